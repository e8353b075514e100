package main

import (
	"context"
	"errors"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// A handler answers a request with at least one part. It is called on the goroutine that
// sends the heartbeats, so it takes less time than the broker waits for them.
type handler func(request [][]byte) (reply [][]byte)

// serve offers a service until ctx ends. When the broker is silent, or does not know
// the worker any more, it connects anew.
func serve(ctx context.Context, c *zmq.Context, endpoint, service string, handle handler) error {
	for {
		err := offer(ctx, c, endpoint, service, handle)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// offer signs on and answers requests until the broker is silent.
func offer(ctx context.Context, c *zmq.Context, endpoint, service string, handle handler) error {
	s, err := c.NewSocket(zmq.Dealer, zmq.Linger.To(0))
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Connect(endpoint); err != nil {
		return err
	}
	say := func(message ...[]byte) error {
		return s.SendMultipartContext(ctx, join([][]byte{nil, []byte(workerProtocol)}, message))
	}
	if err := say(parts(cmdReady, service)...); err != nil {
		return err
	}
	beat := time.NewTicker(interval)
	defer beat.Stop()
	silence := time.NewTimer(liveness * interval)
	defer silence.Stop()
	for {
		select {
		case <-beat.C:
			if err := say([]byte(cmdHeartbeat)); err != nil {
				return err
			}
		case <-silence.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-s.Ready():
			message, err := s.RecvMultipart(zmq.DontWait)
			if errors.Is(err, zmq.ErrAgain) {
				continue
			}
			if err != nil {
				return err
			}
			if len(message) < 3 || string(message[1]) != workerProtocol {
				continue // not a broker's
			}
			silence.Reset(liveness * interval)
			switch string(message[2]) {
			case cmdDisconnect:
				return nil
			case cmdRequest:
				client, request := envelope(message[3:])
				if err := say(join(parts(cmdReply), client, [][]byte{nil}, handle(request))...); err != nil {
					return err
				}
			}
		}
	}
}
