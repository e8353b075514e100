// Command kvevents follows the KV-cache events of an inference server such as vLLM, as a
// router does that sends each request to the server that has its prefix in the cache.
//
//	go run ./kvevents
//
// The events are in the format of vLLM (--kv-events-config): batches in MessagePack, which
// are numbered, published and kept for replay. Package server stands in for the server. For
// a real one, connect to its endpoint and replay_endpoint, and pass its topic.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/examples/kvevents/server"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/replay"
)

func main() {
	demo.Run(run)
	// Output:
	// batch 0: 2 blocks stored after [], 32 tokens: [11 12]
	// batch 1: 1 blocks stored after [12], 16 tokens: [13]
	// the follower restarts, and misses nothing
	// batch 2: blocks removed: [11]
	// batch 3: 1 blocks stored after [], 16 tokens: [21]
	// the server restarts
	// the server is a new one: forget its blocks
	// batch 0: 1 blocks stored after [], 16 tokens: [31]
	// batch 1: all blocks cleared
}

func run(ctx context.Context, d *demo.Demo) error {
	s, err := server.Start(d, d.IPC("live"), d.IPC("replay"))
	if err != nil {
		return err
	}
	if err := s.Publish(ctx, server.Stored(nil, 11, 12), server.Stored(12, 13)); err != nil {
		return err
	}
	f := newFollower(d, s, replay.FromOldest)
	next, err := f.follow(ctx, 1)
	if err != nil {
		return err
	}

	fmt.Println("the follower restarts, and misses nothing")
	if err := f.Close(); err != nil {
		return err
	}
	if err := s.Publish(ctx, server.Removed(11), server.Stored(nil, 21)); err != nil {
		return err
	}
	f = newFollower(d, s, replay.FromSeq(next))
	if _, err := f.follow(ctx, 3); err != nil {
		return err
	}

	fmt.Println("the server restarts")
	if err := s.Close(); err != nil {
		return err
	}
	if s, err = server.Start(d, s.Live, s.Replay); err != nil {
		return err
	}
	if err := s.Publish(ctx, server.Stored(nil, 31), server.Cleared()); err != nil {
		return err
	}
	if _, err := f.follow(ctx, 1); err != nil {
		return err
	}
	return errors.Join(f.Close(), s.Close())
}

type follower struct{ *replay.Subscriber }

// newFollower returns a follower of a server, connected to its two endpoints.
func newFollower(d *demo.Demo, s *server.Server, from replay.Start) follower {
	again := zmq.ReconnectInterval.To(10 * time.Millisecond)
	sub := d.Connect(zmq.Sub, s.Live, again)
	dealer := d.Connect(zmq.Dealer, s.Replay, again, zmq.RecvHWM.To(100_000)) // vLLM drops answers for which there is no room
	r, err := replay.NewSubscriber(sub, dealer, replay.SubscriberConfig{Topic: server.Topic, From: from, Probe: 50 * time.Millisecond})
	if err != nil {
		panic(err)
	}
	return follower{r}
}

// follow prints events up to a number, and returns the next number. A real follower never
// returns, and stores the number with what it knows of the blocks.
func (f follower) follow(ctx context.Context, last uint64) (next uint64, err error) {
	for m, err := range f.Messages(ctx) {
		var gap *replay.GapError
		var restart *replay.RestartError
		switch {
		case errors.As(err, &gap):
			fmt.Println("events are lost, so the state of the server is unknown: ", gap)
			continue
		case errors.As(err, &restart):
			fmt.Println("the server is a new one: forget its blocks")
			continue
		case err != nil:
			return 0, err
		}
		if err := show(m); err != nil {
			return 0, err
		}
		if m.Seq == last {
			return m.Seq + 1, nil
		}
	}
	return 0, nil
}

// show prints a batch: [time, [event...], rank of the data-parallel worker]. An event is
// an array that begins with its name; later versions of the server append fields.
func show(m replay.Message) error {
	var batch []any
	if err := msgpack.Unmarshal(m.Payload, &batch); err != nil {
		return fmt.Errorf("batch %d: %w", m.Seq, err)
	}
	if len(batch) < 2 {
		return fmt.Errorf("batch %d has %d fields", m.Seq, len(batch))
	}
	events, _ := batch[1].([]any)
	for _, e := range events {
		event, _ := e.([]any)
		switch {
		case len(event) >= 5 && event[0] == "BlockStored":
			hashes, _ := event[1].([]any)
			tokens, _ := event[3].([]any)
			parent := []any{}
			if event[2] != nil {
				parent = append(parent, event[2])
			}
			fmt.Printf("batch %d: %d blocks stored after %v, %d tokens: %v\n", m.Seq, len(hashes), parent, len(tokens), hashes)
		case len(event) >= 2 && event[0] == "BlockRemoved":
			fmt.Printf("batch %d: blocks removed: %v\n", m.Seq, event[1])
		case len(event) >= 1 && event[0] == "AllBlocksCleared":
			fmt.Printf("batch %d: all blocks cleared\n", m.Seq)
		}
	}
	return nil
}
