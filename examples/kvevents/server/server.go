// Package server stands in for an inference server that publishes its KV-cache events.
package server

import (
	"context"
	"time"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/replay"
)

// Topic is the topic of the events: kv@ the pod @ the model.
const Topic = "kv@pod-1@llama"

const blockSize = 16 // tokens in a block

// Server publishes events. Its methods may be called by any goroutine.
type Server struct {
	Live, Replay string // endpoints
	publisher    *replay.Publisher
}

// Start starts a server with the last 10,000 batches in memory, as vLLM keeps them.
func Start(d *demo.Demo, live, replays string) (*Server, error) {
	pub, live := d.Bind(zmq.Pub, live, zmq.SendHWM.To(100_000))
	router, replays := d.Bind(zmq.Router, replays)
	p, err := replay.NewPublisher(pub, router, replay.PublisherConfig{Topic: Topic, KeepMessages: 10_000})
	return &Server{live, replays, p}, err
}

// Publish publishes each event in a batch of its own.
func (s *Server) Publish(ctx context.Context, events ...[]any) error {
	for _, event := range events {
		payload, err := msgpack.Marshal([]any{float64(time.Now().UnixNano()) / 1e9, []any{event}, 0})
		if err != nil {
			return err
		}
		if _, err := s.publisher.Publish(ctx, payload); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the server.
func (s *Server) Close() error { return s.publisher.Close() }

// Stored returns the event that blocks follow a parent, or begin a prompt if it is nil.
func Stored(parent any, hashes ...uint64) []any {
	return []any{"BlockStored", hashes, parent, make([]int, blockSize*len(hashes)), blockSize, nil, "GPU"}
}

// Removed returns the event that blocks were evicted.
func Removed(hashes ...uint64) []any { return []any{"BlockRemoved", hashes, "GPU"} }

// Cleared returns the event that the cache is empty.
func Cleared() []any { return []any{"AllBlocksCleared"} }
