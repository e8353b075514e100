package load

import (
	"context"
	"errors"

	"github.com/go-zmq/go-zmq/zmq"
)

// echoBatch is how many messages a ROUTER's echo takes at once: it is to keep up
// with rates at which one crossing into C a message is too slow.
const echoBatch = 64

// echo answers each message with itself, until the sockets are stopped.
func (e *ends) echo(before func(i int)) error {
	serve := e.echoOne
	switch {
	case e.server.Type() == zmq.Router:
		serve = e.echoRouted
	case e.server.Type() == zmq.Server, e.parts > 1:
		serve = e.echoWhole
	}
	if err := serve(before); !e.closing.Load() {
		return err
	}
	return nil // whatever the calls said when they were stopped
}

func (e *ends) echoOne(before func(i int)) error {
	buf := make([]byte, e.size+1)
	for i := 0; ; i++ {
		n, err := e.server.Recv(context.Background(), buf)
		if err != nil {
			return err
		}
		if before != nil {
			before(i)
		}
		if err := e.server.Send(context.Background(), buf[:n]); err != nil {
			return err
		}
	}
}

// echoWhole sends messages back as they came, with all their parts, and with the routing
// ids that a SERVER's have.
func (e *ends) echoWhole(before func(i int)) (err error) {
	most := echoBatch
	if e.lockstep {
		most = 1
	}
	in := zmq.NewBatch(most)
	defer func() { err = errors.Join(err, in.Close()) }()
	for i := 0; ; {
		if _, err := e.server.RecvBatch(context.Background(), in); err != nil {
			return err
		}
		for range in.Len() {
			if before != nil {
				before(i)
			}
			i++
		}
		if _, err := e.server.SendBatch(context.Background(), in); err != nil {
			return err
		}
	}
}

func (e *ends) echoRouted(before func(i int)) (err error) {
	in, out := zmq.NewBatch(echoBatch), zmq.NewBatch(echoBatch)
	defer func() { err = errors.Join(err, in.Close(), out.Close()) }()
	parts := make([][]byte, 0, 2)
	for i := 0; ; {
		if _, err := e.server.RecvBatch(context.Background(), in); err != nil {
			return err
		}
		for _, m := range in.All() {
			if before != nil {
				before(i)
			}
			i++
			parts = parts[:0]
			for j := range m {
				parts = append(parts, m[j].Bytes())
			}
			if err := out.Append(parts...); err != nil {
				return err
			}
		}
		if _, err := e.server.SendBatch(context.Background(), out); err != nil {
			return err
		}
	}
}
