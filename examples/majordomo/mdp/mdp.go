// Package mdp implements the Majordomo Protocol MDP/0.1 (RFC 7): [Broker], [Serve] for
// workers, and [Call] for clients.
package mdp

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

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
	silence  = 5 * interval           // the longest time without a message
)

// envelope splits a message at its first empty part, which it drops. Without an empty part,
// rest is empty.
func envelope(message [][]byte) (outer, rest [][]byte) {
	if i := slices.IndexFunc(message, func(part []byte) bool { return len(part) == 0 }); i >= 0 {
		return message[:i:i], message[i+1:]
	}
	return message, nil
}

// words returns a message of strings.
func words(texts ...string) (message [][]byte) {
	for _, text := range texts {
		message = append(message, []byte(text))
	}
	return message
}

// Call sends a request to a service and returns the reply. The DEALER of the client is
// connected to the broker. To the broker, the number that a request.Client puts in front of
// the empty part is one more part of the client's address.
func Call(ctx context.Context, client *request.Client, service string, body ...[]byte) ([][]byte, error) {
	reply, err := client.Request(ctx, slices.Concat(words(clientProtocol, service), body)...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", service, err)
	}
	if len(reply) < 3 || string(reply[0]) != clientProtocol || string(reply[1]) != service {
		return nil, fmt.Errorf("%s: unexpected reply %q", service, reply)
	}
	return reply[2:], nil
}

// A Handler answers a request with at least one part. The goroutine that calls it also
// sends the heartbeats, so it must return before the broker misses them.
type Handler func(request [][]byte) (reply [][]byte)

// Serve runs a worker for a service on a DEALER that is connected to the broker, until ctx
// is done. The worker registers again when the broker is silent or does not know it.
func Serve(ctx context.Context, s *zmq.Socket, service string, handle Handler) error {
	say := func(ctx context.Context, command string, rest ...[]byte) error {
		return s.SendMultipart(ctx, slices.Concat(words("", workerProtocol, command), rest))
	}
	messages, beat, register := s.RecvChan(ctx), time.NewTicker(interval), time.NewTimer(0)
	defer beat.Stop()
	for {
		var err error
		select {
		case <-register.C:
			register.Reset(silence)
			err = say(ctx, cmdReady, []byte(service))
		case <-beat.C:
			err = say(ctx, cmdHeartbeat)
		case <-ctx.Done():
			_ = say(context.WithoutCancel(ctx), cmdDisconnect)
			return ctx.Err()
		case message, ok := <-messages.C:
			if !ok {
				return messages.Err()
			}
			if len(message) < 3 || string(message[1]) != workerProtocol {
				continue // not from a broker
			}
			register.Reset(silence)
			switch string(message[2]) {
			case cmdDisconnect:
				register.Reset(0)
			case cmdRequest:
				client, body := envelope(message[3:])
				err = say(ctx, cmdReply, slices.Concat(client, words(""), handle(body))...)
			}
		}
		if err != nil {
			return err
		}
	}
}
