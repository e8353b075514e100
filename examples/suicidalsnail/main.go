// Command suicidalsnail shows the Suicidal Snail pattern: a subscriber that is too slow
// notices it and gives up, so that it does not work with old data.
//
//	go run ./suicidalsnail
//
// Each message carries the time at which it was sent. The clocks of publisher and
// subscriber must agree; in one process they do. A sequence number instead of the time
// shows lost messages, see clone. To wait for slow subscribers or to drop messages by a
// rule, set zmq.WhenFull on the publisher.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
)

const (
	interval = time.Millisecond // between messages
	maxDelay = time.Second      // older messages are too late
)

// errTooLate is the error of a subscriber that gives up.
var errTooLate = errors.New("too late")

func main() {
	demo.Run(run)
	// Output:
	// the slow subscriber gives up: too late
	// the fast subscriber keeps up
}

func run(ctx context.Context, d *demo.Demo) error {
	publisher, endpoint := d.Bind(zmq.Pub, demo.AnyPort)
	fast := d.Connect(zmq.Sub, endpoint, zmq.Subscribe.To(""))
	slow := d.Connect(zmq.Sub, endpoint, zmq.Subscribe.To(""))
	d.Go(func() error { return publish(ctx, publisher) })

	followed, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- follow(followed, fast, 0) }()
	if err := follow(ctx, slow, 50*time.Millisecond); !errors.Is(err, errTooLate) {
		return err
	}
	// A real subscriber would raise an alarm here, and join again with an empty queue.
	fmt.Println("the slow subscriber gives up:", errTooLate)
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		return err
	}
	fmt.Println("the fast subscriber keeps up")
	return nil
}

// publish sends the time until ctx is done.
func publish(ctx context.Context, publisher *zmq.Socket) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			if err := publisher.Send(ctx, binary.BigEndian.AppendUint64(nil, uint64(now.UnixNano()))); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// follow receives messages and works on each for a while. It returns errTooLate when a
// message is older than maxDelay.
func follow(ctx context.Context, s *zmq.Socket, work time.Duration) error {
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
