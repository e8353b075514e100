package main

import "time"

// The words of MDP/0.1.
const (
	clientProtocol = "MDPC01"
	workerProtocol = "MDPW01"

	// A worker's messages, and the broker's to it, have one of these after an empty
	// part and workerProtocol.
	cmdReady      = "\x01" // service
	cmdRequest    = "\x02" // client's envelope, empty part, request
	cmdReply      = "\x03" // client's envelope, empty part, reply
	cmdHeartbeat  = "\x04"
	cmdDisconnect = "\x05"
)

const (
	interval = 500 * time.Millisecond // between heartbeats
	liveness = 5                      // intervals without a sign of life: it is dead
)

// envelope returns a message up to its first empty part, which is in neither of the
// two, and what follows. Without an empty part there is no rest.
func envelope(message [][]byte) (outer, rest [][]byte) {
	for i, part := range message {
		if len(part) == 0 {
			return message[:i:i], message[i+1:]
		}
	}
	return message, nil
}

// join returns a message that consists of the parts of several.
func join(messages ...[][]byte) (joined [][]byte) {
	for _, m := range messages {
		joined = append(joined, m...)
	}
	return joined
}

// parts returns a message of strings.
func parts(words ...string) (message [][]byte) {
	for _, w := range words {
		message = append(message, []byte(w))
	}
	return message
}
