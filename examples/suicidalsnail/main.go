// Command suicidalsnail shows the Suicidal Snail pattern: a subscriber that is too slow
// notices it and gives up, so that it does not work with old data.
//
//	go run ./suicidalsnail
//
// Each message carries the time at which it was sent. The clocks of publisher and
// subscriber must agree; in one process they do. A sequence number instead of the time
// shows lost messages, see the example clone. To wait for slow subscribers or to drop
// messages by a rule, set zmq.WhenFull on the publisher.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
)

const (
	interval = time.Millisecond // between messages
	maxDelay = time.Second      // older messages are too late
)

// errTooLate is what a snail returns when it gives up.
var errTooLate = errors.New("too late")

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// the slow subscriber gives up: too late
	// the fast subscriber keeps up
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	publisher, err := zctx.NewSocket(zmq.Pub)
	if err != nil {
		return err
	}
	if err := publisher.Bind("tcp://127.0.0.1:*"); err != nil {
		return err
	}
	endpoint, err := publisher.LastEndpoint()
	if err != nil {
		return err
	}

	ctx, stop := context.WithCancel(ctx)
	defer stop()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return publish(ctx, publisher) })
	g.Go(func() error {
		if err := follow(ctx, zctx, endpoint, 0); !errors.Is(err, context.Canceled) {
			return err
		}
		fmt.Println("the fast subscriber keeps up")
		return nil
	})
	g.Go(func() error {
		defer stop()
		err := follow(ctx, zctx, endpoint, 50*time.Millisecond)
		if !errors.Is(err, errTooLate) {
			return err
		}
		// A real subscriber would raise an alarm here, and join again with an empty queue.
		fmt.Println("the slow subscriber gives up:", errTooLate)
		return nil
	})
	return g.Wait()
}

// publish sends the time until ctx is done.
func publish(ctx context.Context, publisher *zmq.Socket) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			stamp := binary.BigEndian.AppendUint64(nil, uint64(now.UnixNano()))
			if err := publisher.Send(ctx, stamp); err != nil && ctx.Err() == nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// follow receives messages and works on each for a while. It returns errTooLate when a
// message is older than maxDelay.
func follow(ctx context.Context, zctx *zmq.Context, endpoint string, work time.Duration) error {
	s, err := zctx.NewSocket(zmq.Sub, zmq.Subscribe.To(""))
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Connect(endpoint); err != nil {
		return err
	}
	for message, err := range s.Messages(ctx) {
		if err != nil {
			return err
		}
		sent := time.Unix(0, int64(binary.BigEndian.Uint64(message[0].Bytes())))
		if delay := time.Since(sent); delay > maxDelay {
			return fmt.Errorf("%w: a message is %v old", errTooLate, delay)
		}
		select {
		case <-time.After(work):
		case <-ctx.Done():
		}
	}
	return nil
}
