// Command routerbench sends many messages one way from a ROUTER to another and says how
// fast that was: one by one, then in batches.
//
//	go run ./routerbench
//	go run ./routerbench -messages 1000000 -size 1024
//
// The rates are printed on standard error. cmd/zbench measures thoroughly.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"log"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
)

var (
	messages = flag.Int("messages", 50_000, "number of messages")
	size     = flag.Int("size", 64, "bytes in each message, at least 8")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// one by one: 50000 messages arrived in order
	// in batches: 50000 messages arrived in order
}

// Names of the two ROUTERs, which each knows of the other from the beginning.
const (
	sender   = "sender"
	receiver = "receiver"
)

func run() error {
	if *size < 8 {
		return errors.New("a message has room for its number: -size must be at least 8")
	}
	for _, way := range []struct {
		name string
		send func(*zmq.Socket) error
		recv func(*zmq.Socket) error
	}{
		{"one by one", send, recv},
		{"in batches", sendBatches, recvBatches},
	} {
		if err := measure(way.name, way.send, way.recv); err != nil {
			return fmt.Errorf("%s: %w", way.name, err)
		}
	}
	return nil
}

// measure runs a sender and a receiver, each in a goroutine, over tcp.
func measure(name string, send, recv func(*zmq.Socket) error) error {
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer zctx.Close()
	to, err := zctx.NewSocket(zmq.Router, zmq.RoutingID.To([]byte(receiver)))
	if err != nil {
		return err
	}
	if err := to.Bind("tcp://127.0.0.1:*"); err != nil {
		return err
	}
	endpoint, err := to.LastEndpoint()
	if err != nil {
		return err
	}
	// With RouterMandatory a send waits when the queue is full, and drops nothing.
	from, err := zctx.NewSocket(zmq.Router, zmq.RoutingID.To([]byte(sender)),
		zmq.RouterMandatory.To(true), zmq.ConnectRoutingID.To([]byte(receiver)))
	if err != nil {
		return err
	}
	if err := from.Connect(endpoint); err != nil {
		return err
	}

	began := time.Now()
	var g errgroup.Group
	g.Go(func() error { return send(from) })
	g.Go(func() error { return recv(to) })
	if err := g.Wait(); err != nil {
		return err
	}
	took := time.Since(began)
	fmt.Printf("%s: %d messages arrived in order\n", name, *messages)
	log.Printf("%s: %.0f messages/s", name, float64(*messages)/took.Seconds())
	return nil
}

func send(s *zmq.Socket) error {
	body := make([]byte, *size)
	message := [][]byte{[]byte(receiver), body}
	for i := range *messages {
		binary.BigEndian.PutUint64(body, uint64(i))
		if err := s.SendMultipart(context.Background(), message); err != nil {
			return err
		}
	}
	return nil
}

func recv(s *zmq.Socket) error {
	var message zmq.Multipart // used again for each message
	defer func() { _ = message.Close() }()
	for i := range *messages {
		if err := s.RecvMultipartMessage(context.Background(), &message); err != nil {
			return err
		}
		if err := check(message, i); err != nil {
			return err
		}
	}
	return nil
}

func sendBatches(s *zmq.Socket) error {
	batch := zmq.NewBatch(64)
	defer batch.Close()
	body := make([]byte, *size)
	for i := range *messages {
		binary.BigEndian.PutUint64(body, uint64(i))
		if err := batch.Append([]byte(receiver), body); err != nil {
			return err
		}
		if batch.Len() == 64 || i == *messages-1 {
			if _, err := s.SendBatch(context.Background(), batch); err != nil {
				return err
			}
		}
	}
	return nil
}

func recvBatches(s *zmq.Socket) error {
	batch := zmq.NewBatch(256)
	defer batch.Close()
	for received := 0; received < *messages; {
		n, err := s.RecvBatch(context.Background(), batch) // what is there, at least one
		if err != nil {
			return err
		}
		for i, message := range batch.All() {
			if err := check(message, received+i); err != nil {
				return err
			}
		}
		received += n
	}
	return nil
}

// check tells whether a message is the one that should come now.
func check(message zmq.Multipart, want int) error {
	if string(message[0].Bytes()) != sender || message[1].Len() != *size {
		return fmt.Errorf("a message of %q, of %d bytes", message[0].Bytes(), message[1].Len())
	}
	if got := binary.BigEndian.Uint64(message[1].Bytes()); got != uint64(want) {
		return fmt.Errorf("message %d came in place of %d", got, want)
	}
	return nil
}
