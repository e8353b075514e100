package main

import (
	"context"
	"errors"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// errDied says that a worker did what it was asked to: to die.
var errDied = errors.New("died")

// work answers requests until ctx ends, or, if last is not 0, until it has that many
// requests, and dies with the last one in its hands.
//
// When the queue shows no sign of life the worker connects anew, with a new socket,
// and gives it twice as long as before until it hears something.
func work(ctx context.Context, endpoint string, last int) error {
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	patience := time.Duration(liveness * interval)
	for {
		s, err := zctx.NewSocket(zmq.Dealer, zmq.Linger.To(0))
		if err != nil {
			return err
		}
		if err := s.Connect(endpoint); err != nil {
			return err
		}
		heard, err := untilSilence(ctx, s, patience, last)
		if ctx.Err() != nil || errors.Is(err, errDied) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.Close(); err != nil {
			return err
		}
		if patience = min(2*patience, 5*time.Second); heard {
			patience = liveness * interval
		}
	}
}

// untilSilence answers requests until the queue has been silent for too long.
func untilSilence(ctx context.Context, s *zmq.Socket, patience time.Duration, last int) (heard bool, err error) {
	if err := s.SendString(ctx, ready); err != nil {
		return false, err
	}
	beat := time.NewTicker(interval)
	defer beat.Stop()
	silence := time.NewTimer(patience)
	defer silence.Stop()
	for requests := 0; ; {
		select {
		case <-beat.C:
			if err := s.SendString(ctx, heartbeat); err != nil {
				return heard, err
			}
		case <-s.Ready():
			message, err := s.RecvMultipart(context.Background(), zmq.DontWait)
			if errors.Is(err, zmq.ErrAgain) {
				continue // there is none after all
			}
			if err != nil {
				return heard, err
			}
			heard = true
			silence.Reset(liveness * interval)
			if len(message) == 1 && string(message[0]) == heartbeat {
				continue
			}
			if requests++; requests == last {
				return heard, errDied
			}
			body := len(message) - 1 // what is before it belongs to the client
			message[body] = append(message[body], '!')
			if err := s.SendMultipart(ctx, message); err != nil {
				return heard, err
			}
		case <-silence.C:
			return heard, nil
		case <-ctx.Done():
			return heard, ctx.Err()
		}
	}
}
