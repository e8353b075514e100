package workload

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zmq/go-zmq/bench/cfloor"
	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

// Scale is a PUSH socket connected to many PULL sockets over inproc. One goroutine uses
// all of them and polls the PULL sockets. Calls of its methods must not overlap.
type Scale interface {
	// One repeats three steps the given number of times. It sends a message to the next
	// socket in turn, polls, which finds that socket ready, and receives the message.
	One(polls int) (time.Duration, error)
	// Fill sends a message to each socket.
	Fill() error
	// All polls the given number of times while every socket has a message, which is not
	// received.
	All(polls int) (time.Duration, error)
	// Close closes the sockets and their context.
	Close() error
}

// OpenScale creates a Scale with the given number of PULL sockets. It uses package
// poller, or zmq_poll called from C.
func OpenScale(impl Impl, sockets int) (Scale, error) {
	if err := known("impl", impl, Impls()...); err != nil {
		return nil, err
	}
	if sockets < 1 {
		return nil, fmt.Errorf("%d sockets: use 1 or more", sockets)
	}
	if impl == C {
		s, err := cfloor.OpenScale(sockets)
		if err != nil {
			return nil, err // a nil *cfloor.Scale must not become a Scale
		}
		return s, nil
	}
	return openScale(sockets)
}

// scale is the Scale of the binding.
type scale struct {
	ctx     *zmq.Context
	push    *zmq.Socket
	poller  *poller.Poller
	sockets int
	buf     [8]byte
}

func openScale(sockets int) (Scale, error) {
	s := &scale{sockets: sockets}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *scale) open() (err error) {
	if s.ctx, err = zmq.NewContext(zmq.MaxSockets.To(s.sockets + 10)); err != nil {
		return err
	}
	if s.poller, err = poller.New(); err != nil {
		return err
	}
	unlimited := []zmq.Setting{zmq.Linger.To(0), zmq.SendHWM.To(0), zmq.RecvHWM.To(0)}
	if s.push, err = s.ctx.NewSocket(zmq.Push, unlimited...); err != nil {
		return err
	}
	for i := range s.sockets {
		endpoint := fmt.Sprintf("inproc://scale-%d", i)
		pull, err := s.ctx.NewSocket(zmq.Pull, unlimited...)
		if err == nil {
			err = errors.Join(pull.Bind(endpoint), s.push.Connect(endpoint), s.poller.Add(pull, poller.In))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var oneByte = []byte("x")

func (s *scale) One(polls int) (time.Duration, error) {
	begin := time.Now()
	for range polls {
		if err := s.push.Send(context.Background(), oneByte); err != nil {
			return 0, err
		}
		ready, err := s.poller.Poll(-1)
		if err != nil {
			return 0, err
		}
		if len(ready) != 1 {
			return 0, ErrIntegrity
		}
		if _, err := ready[0].Socket.Recv(context.Background(), s.buf[:]); err != nil {
			return 0, err
		}
	}
	return time.Since(begin), nil
}

func (s *scale) Fill() error {
	for range s.sockets {
		if err := s.push.Send(context.Background(), oneByte); err != nil {
			return err
		}
	}
	return nil
}

func (s *scale) All(polls int) (time.Duration, error) {
	begin := time.Now()
	for range polls {
		ready, err := s.poller.Poll(-1)
		if err != nil {
			return 0, err
		}
		if len(ready) != s.sockets {
			return 0, ErrIntegrity
		}
	}
	return time.Since(begin), nil
}

func (s *scale) Close() error {
	var err error
	if s.poller != nil {
		err = s.poller.Close()
	}
	if s.ctx != nil {
		err = errors.Join(err, s.ctx.Close())
	}
	return err
}
