package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

const (
	messages = 512 // of a step; a multiple of every batch
	size     = 64  // of a message, in bytes
	rounds   = 20  // of a cell; in the first one, buffers and lists grow
	outgoing = 64  // messages of a batch that is sent
	incoming = 256 // messages of a batch that is received, or read ahead
)

// A cell is a way to send and a way to receive. Each moves all messages of a step.
type cell struct {
	name      string
	sameSend  bool // another cell sends in the same way, and is counted
	readAhead int
	make      func(push, pull *zmq.Socket) (ends, error)
}

// ends do the work of a cell.
type ends struct {
	send, receive func() error
	close         func() error
}

// each returns a function that calls f for all messages of a step.
func each(f func() error) func() error {
	return func() error {
		for range messages {
			if err := f(); err != nil {
				return err
			}
		}
		return nil
	}
}

func nothing() error { return nil }

// cells returns all cells, in the order in which they run.
func cells() []cell {
	return []cell{
		{name: "plain", make: plain},
		{name: "readahead", sameSend: true, readAhead: incoming, make: plain},
		{name: "newslice", sameSend: true, make: newSlice},
		{name: "message", make: message},
		{name: "pooled", make: pooled},
		{name: "multipart", make: multipart},
		{name: "batch", make: batch},
	}
}

func plain(push, pull *zmq.Socket) (ends, error) {
	payload, buf := make([]byte, size), make([]byte, size)
	return ends{
		send: each(func() error { return push.Send(context.Background(), payload) }),
		receive: each(func() error {
			_, err := pull.Recv(context.Background(), buf)
			return err
		}),
		close: nothing,
	}, nil
}

func newSlice(push, pull *zmq.Socket) (ends, error) {
	e, err := plain(push, pull)
	e.receive = each(func() error {
		_, err := pull.RecvBytes(context.Background())
		return err
	})
	return e, err
}

// receiveMessage receives into a Message that it reuses.
func receiveMessage(pull *zmq.Socket) (receive, closing func() error) {
	m := new(zmq.Message)
	return each(func() error { return pull.RecvMessage(context.Background(), m) }), m.Close
}

func message(push, pull *zmq.Socket) (ends, error) {
	payload, m := make([]byte, size), new(zmq.Message)
	receive, closing := receiveMessage(pull)
	return ends{
		send: each(func() error {
			if err := m.Alloc(size); err != nil {
				return err
			}
			copy(m.Bytes(), payload)
			return push.SendMessage(context.Background(), m)
		}),
		receive: receive,
		close:   func() error { return errors.Join(m.Close(), closing()) },
	}, nil
}

func pooled(push, pull *zmq.Socket) (ends, error) {
	payload, p := make([]byte, size), pool.New(pool.Config{})
	receive, closing := receiveMessage(pull)
	return ends{
		send: each(func() error {
			m, err := p.GetBytes(payload)
			if err != nil {
				return err
			}
			err = push.SendMessage(context.Background(), m)
			p.Put(m)
			return err
		}),
		receive: receive,
		close:   func() error { return errors.Join(closing(), p.Close()) },
	}, nil
}

func multipart(push, pull *zmq.Socket) (ends, error) {
	parts := [][]byte{[]byte("topic"), make([]byte, size)}
	var in zmq.Multipart
	return ends{
		send:    each(func() error { return push.SendMultipart(context.Background(), parts) }),
		receive: each(func() error { return pull.RecvMultipartMessage(context.Background(), &in) }),
		close:   func() error { return in.Close() },
	}, nil
}

func batch(push, pull *zmq.Socket) (ends, error) {
	payload, out, in := make([]byte, size), zmq.NewBatch(outgoing), zmq.NewBatch(incoming)
	return ends{
		send: each(func() error {
			if err := out.Append(payload); err != nil {
				return err
			}
			if out.Len() < outgoing {
				return nil
			}
			_, err := push.SendBatch(context.Background(), out)
			return err
		}),
		receive: func() error {
			for left := messages; left > 0; {
				if _, err := pull.RecvBatch(context.Background(), in); err != nil {
					return err
				}
				for _, m := range in.All() {
					if m[0].Len() != size {
						return fmt.Errorf("a message of %d bytes, not %d", m[0].Len(), size)
					}
					left--
				}
			}
			return nil
		},
		close: func() error { return errors.Join(out.Close(), in.Close()) },
	}, nil
}
