package workload

import (
	"encoding/binary"
	"time"
)

// What an engine from elsewhere needs to measure the same as those here do.

// Engine drives a pair of connected sockets. Ready returns when messages have gone
// through it. Run sends and receives so many, and times that. Conclude, which follows each
// Run, sends a message of StampEnd and returns ErrIntegrity if another one comes first.
// Latencies appends how long each round trip of the last Run took, if Spec.Latency wants to
// know. Stop may be called from any goroutine, and makes the other calls fail. Close is
// called when no other call is under way.
type Engine = engine

// Payload returns size bytes that no transport could compress.
func Payload(size int) []byte { return payload(size) }

// Fill returns size bytes that repeat a text, or Payload's without one.
func Fill(size int, text string) []byte { return fill(size, text) }

// Stamp writes into the payload of message i what the only sender does.
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

// StampEnd writes what the message behind a run has.
func StampEnd(p []byte) { Stamp(end, p) }

// CheckEnd returns ErrIntegrity if p is not the payload of that message.
func CheckEnd(size int, p []byte) error { return Check(end, size, p) }

// ProcessTime returns the processor time that all threads of the process have
// taken, 0 where the system does not say.
func ProcessTime() time.Duration { return processTime() }
