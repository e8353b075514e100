// Package mdp implements the Majordomo Protocol MDP/0.1 (RFC 7): a [Broker], a [Client],
// and [Serve] for workers.
package mdp

import "time"

// The words of MDP/0.1.
const (
	clientProtocol = "MDPC01"
	workerProtocol = "MDPW01"

	// Messages between worker and broker begin with an empty part, workerProtocol and one
	// of these commands.
	cmdReady      = "\x01" // service
	cmdRequest    = "\x02" // client's envelope, empty part, request
	cmdReply      = "\x03" // client's envelope, empty part, reply
	cmdHeartbeat  = "\x04"
	cmdDisconnect = "\x05"
)

const (
	interval = 500 * time.Millisecond // between heartbeats
	liveness = 5                      // intervals without a message: the peer is gone
)

// envelope splits a message at its first empty part, which it drops. Without an empty
// part, rest is empty.
func envelope(message [][]byte) (outer, rest [][]byte) {
	for i, part := range message {
		if len(part) == 0 {
			return message[:i:i], message[i+1:]
		}
	}
	return message, nil
}

// join returns one message with the parts of several.
func join(messages ...[][]byte) (joined [][]byte) {
	for _, m := range messages {
		joined = append(joined, m...)
	}
	return joined
}

// words returns a message of strings.
func words(texts ...string) (message [][]byte) {
	for _, text := range texts {
		message = append(message, []byte(text))
	}
	return message
}
