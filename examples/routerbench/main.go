// Command routerbench sends many messages from one ROUTER to another and prints the rate:
// one message per call, and then in batches.
//
//	go run ./routerbench
//	go run ./routerbench -messages 1000000 -size 1024
//
// The rates go to standard error. Use cmd/zbench for real measurements.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
)

var (
	messages = flag.Int("messages", 50_000, "number of messages")
	size     = flag.Int("size", 64, "bytes in each message")
)

var receiver = []byte("receiver") // the routing id

func main() {
	flag.Parse()
	demo.Run(run)
	// Output:
	// one by one: 50000 messages arrived
	// in batches: 50000 messages arrived
}

func run(ctx context.Context, d *demo.Demo) error {
	to, endpoint := d.Bind(zmq.Router, demo.AnyPort, zmq.RoutingID.To(receiver))
	// With RouterMandatory, a send waits when the queue is full. Without it, a ROUTER drops
	// the message.
	from := d.Connect(zmq.Router, endpoint, zmq.RouterMandatory.To(true), zmq.ConnectRoutingID.To(receiver))
	for _, way := range []struct {
		name       string
		send, recv func(context.Context, *zmq.Socket) error
	}{
		{"one by one", send, recv},
		{"in batches", sendBatches, recvBatches},
	} {
		began := time.Now()
		g, ctx := errgroup.WithContext(ctx)
		g.Go(func() error { return way.send(ctx, from) })
		g.Go(func() error { return way.recv(ctx, to) })
		if err := g.Wait(); err != nil {
			return err
		}
		log.Printf("%s: %.0f messages/s", way.name, float64(*messages)/time.Since(began).Seconds())
		fmt.Printf("%s: %d messages arrived\n", way.name, *messages)
	}
	return nil
}

func send(ctx context.Context, s *zmq.Socket) error {
	message := [][]byte{receiver, make([]byte, *size)}
	for range *messages {
		if err := s.SendMultipart(ctx, message); err != nil {
			return err
		}
	}
	return nil
}

func recv(ctx context.Context, s *zmq.Socket) error {
	var message zmq.Multipart // reused for each message
	defer message.Close()
	for range *messages {
		if err := s.RecvMultipartMessage(ctx, &message); err != nil {
			return err
		}
	}
	return nil
}

func sendBatches(ctx context.Context, s *zmq.Socket) error {
	batch := zmq.NewBatch(64)
	defer batch.Close()
	body := make([]byte, *size)
	for i := range *messages {
		if err := batch.Append(receiver, body); err != nil {
			return err
		}
		if batch.Len() < 64 && i < *messages-1 {
			continue
		}
		if _, err := s.SendBatch(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

func recvBatches(ctx context.Context, s *zmq.Socket) error {
	batch := zmq.NewBatch(256)
	defer batch.Close()
	for received := 0; received < *messages; {
		n, err := s.RecvBatch(ctx, batch) // waits for one message, takes up to 256
		if err != nil {
			return err
		}
		received += n
	}
	return nil
}
