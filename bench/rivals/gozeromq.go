package rivals

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	zmq4 "github.com/go-zeromq/zmq4"

	"github.com/go-zmq/go-zmq/bench/workload"
)

// The calls are those of the documentation of type Socket on pkg.go.dev and of the
// examples of go-zeromq/zmq4: Recv, and SendMulti, which writes a part and its header in
// one system call. Send needs two, and on a ROUTER SendMulti does as well. Only PUB has a
// high-water mark (HWM), and its default is no limit. A sender waits if a peer has no room.

func goZeroMQRival() *Rival {
	return &Rival{
		Impl:   "go-zeromq",
		Modes:  []workload.Mode{workload.Blocking},
		cannot: goZeroMQCannot,
		open:   openGoZeroMQ,
		park:   parkGoZeroMQ,
	}
}

// goZeroMQCannot returns what version 0.17.0 cannot do.
func goZeroMQCannot(spec workload.Spec) string {
	if spec.Transport == workload.InProc && spec.Size > 255 {
		return "over inproc its reader takes the 9 bytes that come before a part of more than 255 bytes apart, and ends the process: panic: makeslice: len out of range"
	}
	return ""
}

type goZeroMQSocket struct {
	zmq4.Socket
	ids   bool // the first part of each message received is a routing id
	keeps bool // the socket keeps the slices that it sends
}

func (s *goZeroMQSocket) send(to, payload []byte) error {
	if s.keeps {
		payload = bytes.Clone(payload)
	}
	if to != nil {
		return s.SendMulti(zmq4.NewMsgFrom(to, payload))
	}
	return s.SendMulti(zmq4.NewMsg(payload))
}

func (s *goZeroMQSocket) recv() (from, payload []byte, err error) {
	msg, err := s.Recv()
	if err != nil {
		return nil, nil, err
	}
	if s.ids {
		if len(msg.Frames) != 2 {
			return nil, nil, workload.ErrIntegrity
		}
		return msg.Frames[0], msg.Frames[1], nil
	}
	if len(msg.Frames) != 1 {
		return nil, nil, workload.ErrIntegrity
	}
	return nil, msg.Frames[0], nil
}

// close closes a connection. It ignores the error if the reader has already closed it.
func (s *goZeroMQSocket) close() error {
	return unless(io.ErrClosedPipe, unless(net.ErrClosed, s.Close()))
}

func openGoZeroMQ(spec workload.Spec, endpoint string) (s sockets, err error) {
	type maker func(context.Context, ...zmq4.Option) zmq4.Socket
	makers := map[workload.Pattern][2]maker{
		workload.RouterRouter: {zmq4.NewRouter, zmq4.NewRouter},
		workload.PushPull:     {zmq4.NewPush, zmq4.NewPull},
		workload.PubSub:       {zmq4.NewPub, zmq4.NewSub},
		workload.DealerDealer: {zmq4.NewDealer, zmq4.NewDealer},
		workload.DealerRouter: {zmq4.NewDealer, zmq4.NewRouter},
		workload.ReqRep:       {zmq4.NewReq, zmq4.NewRep},
	}[spec.Pattern]
	ctx, cancel := context.WithCancel(context.Background())
	end := func(make maker, id []byte) *goZeroMQSocket {
		s := &goZeroMQSocket{Socket: make(ctx, zmq4.WithID(id))}
		s.ids = s.Type() == zmq4.Router
		// A PUB sends from a queue of its own, and inproc passes on the slice.
		s.keeps = s.Type() == zmq4.Pub || spec.Transport == workload.InProc
		return s
	}
	near, far := end(makers[0], nearID), end(makers[1], farID)
	s = sockets{near: near, far: far}
	s.close = sync.OnceValue(func() error {
		cancel()
		return errors.Join(near.close(), far.close())
	})
	// Closing a connection interrupts its reads and writes.
	s.stop = func() { _ = s.close() }
	if far.Type() == zmq4.Sub {
		if err := far.SetOption(zmq4.OptionSubscribe, ""); err != nil {
			return s, errors.Join(err, s.close())
		}
	}
	binds, connects := far, near
	if spec.Pattern == workload.PubSub {
		binds, connects = near, far
	}
	if err := binds.Listen(endpoint); err != nil {
		return s, errors.Join(err, s.close())
	}
	if spec.Transport == workload.TCP { // the port was chosen by the system
		endpoint = "tcp://" + binds.Addr().String()
	}
	if err := connects.Dial(endpoint); err != nil {
		return s, errors.Join(err, s.close())
	}
	return s, nil
}

func parkGoZeroMQ(n int) (p parked, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	p.stop = func() error {
		cancel()
		return nil
	}
	for range n {
		pull := zmq4.NewPull(ctx)
		if err := pull.Listen(fmt.Sprintf("inproc://parked-%d", serial.Add(1))); err != nil {
			return p, errors.Join(err, pull.Close())
		}
		p.receive = append(p.receive, func() error {
			_, err := pull.Recv()
			return errors.Join(unless(context.Canceled, err), pull.Close())
		})
	}
	return p, nil
}
