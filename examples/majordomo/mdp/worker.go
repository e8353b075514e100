package mdp

import (
	"context"
	"errors"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// A Handler answers a request with at least one part. The goroutine that calls it also
// sends the heartbeats, so it must return before the broker misses them.
type Handler func(request [][]byte) (reply [][]byte)

// Serve runs a worker for a service until ctx is done, and tells the broker that it leaves.
// It connects again when the broker is silent or no longer knows the worker.
func Serve(ctx context.Context, zctx *zmq.Context, endpoint, service string, handle Handler) error {
	for {
		err := offer(ctx, zctx, endpoint, service, handle)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// offer registers the worker and answers requests until the broker is silent.
func offer(ctx context.Context, zctx *zmq.Context, endpoint, service string, handle Handler) error {
	s, err := zctx.NewSocket(zmq.Dealer, zmq.Linger.To(interval))
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Connect(endpoint); err != nil {
		return err
	}
	say := func(message ...[]byte) error {
		return s.SendMultipart(ctx, join([][]byte{nil, []byte(workerProtocol)}, message))
	}
	if err := say(words(cmdReady, service)...); err != nil {
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
			message := join([][]byte{nil}, words(workerProtocol, cmdDisconnect))
			return s.SendMultipart(context.WithoutCancel(ctx), message, zmq.DontWait)
		case <-s.Ready():
			message, err := s.RecvMultipart(context.Background(), zmq.DontWait)
			if errors.Is(err, zmq.ErrAgain) {
				continue
			}
			if err != nil {
				return err
			}
			if len(message) < 3 || string(message[1]) != workerProtocol {
				continue // not from a broker
			}
			silence.Reset(liveness * interval)
			switch string(message[2]) {
			case cmdDisconnect:
				return nil
			case cmdRequest:
				client, request := envelope(message[3:])
				if err := say(join(words(cmdReply), client, [][]byte{nil}, handle(request))...); err != nil {
					return err
				}
			}
		}
	}
}
