package workload

import (
	"encoding/binary"
	"time"
)

// An external engine needs these functions to measure the same as the engines in this
// package.

// Engine drives connected sockets. Ready returns when messages have passed through them.
// Run sends and receives the given number of messages, and returns the elapsed time and
// the CPU time. Conclude is called after each Run. It sends a message of StampEnd and
// returns ErrIntegrity if another message arrives first. Latencies appends the duration
// of each round trip of the last Run, if Spec.Latency is set. Stop may be called from any
// goroutine, and makes the other calls fail. Close is called when no other call is in
// progress.
type Engine = engine

// Payload returns size bytes that no transport can compress.
func Payload(size int) []byte { return payload(size) }

// Fill returns size bytes that repeat text, or Payload(size) if text is empty.
func Fill(size int, text string) []byte { return fill(size, text) }

// Stamp writes the number of message i into its payload, like the only sender does.
func Stamp(i int, p []byte) {
	if stamped(i) {
		binary.NativeEndian.PutUint64(p, stampOf(i))
	}
}

// Check returns ErrIntegrity if p is not the payload of message i, of size bytes, from
// the only sender.
func Check(i, size int, p []byte) error {
	if len(p) != size || checked(i) && binary.NativeEndian.Uint64(p) != stampOf(i) {
		return ErrIntegrity
	}
	return nil
}

// StampEnd writes the number of the message that follows a run.
func StampEnd(p []byte) { Stamp(end, p) }

// CheckEnd returns ErrIntegrity if p is not the payload of the message that follows a
// run.
func CheckEnd(size int, p []byte) error { return Check(end, size, p) }

// ProcessTime returns the CPU time used by all threads of the process, or 0 if the system
// does not report it.
func ProcessTime() time.Duration { return processTime() }
