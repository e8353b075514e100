//go:build pebbe

package rivals

import (
	"errors"
	"fmt"
	"sync"
	"syscall"

	zmq4 "github.com/pebbe/zmq4"

	"github.com/go-zmq/go-zmq/bench/workload"
)

// The calls are those of the documentation of pebbe/zmq4 on pkg.go.dev. SendBytes and
// RecvBytes, one call for each part, do the least work: the other calls use them. The mode
// Message uses SendMessage and RecvMessageBytes, like the examples for messages of several
// parts. The examples for Poller.Poll receive all available messages with DONTWAIT after
// each poll, and the example for NewReactor leaves that to the handler.

func pebbeRival() *Rival {
	return &Rival{
		Impl:  "pebbe",
		Modes: []workload.Mode{workload.Blocking, Poll, Reactor, Message},
		open:  openPebbe,
		park:  parkPebbe,
	}
}

// pebbeSocket makes the calls of the modes Blocking, Poll and Reactor.
type pebbeSocket struct {
	*zmq4.Socket
	ids    bool // the first part of each message received is a routing id
	poller *zmq4.Poller
}

func (s *pebbeSocket) send(to, payload []byte) error {
	if to != nil {
		if _, err := s.SendBytes(to, zmq4.SNDMORE); err != nil {
			return err
		}
	}
	_, err := s.SendBytes(payload, 0)
	return err
}

func (s *pebbeSocket) recv() (from, payload []byte, err error) { return s.take(0) }

func (s *pebbeSocket) take(flags zmq4.Flag) (from, payload []byte, err error) {
	if s.ids {
		if from, err = s.RecvBytes(flags); err != nil {
			return nil, nil, err
		}
	}
	payload, err = s.RecvBytes(flags)
	return from, payload, err
}

func (s *pebbeSocket) try() (from, payload []byte, ok bool, err error) {
	from, payload, err = s.take(zmq4.DONTWAIT)
	if errors.Is(err, zmq4.Errno(syscall.EAGAIN)) {
		return nil, nil, false, nil
	}
	return from, payload, err == nil, err
}

func (s *pebbeSocket) poll(drain func() (bool, error)) error {
	for {
		if _, err := s.poller.Poll(-1); err != nil {
			return err
		}
		if enough, err := drain(); enough || err != nil {
			return err
		}
	}
}

func (s *pebbeSocket) close() error { return s.Close() }

// pebbeReactor polls with a Reactor.
type pebbeReactor struct{ pebbeSocket }

var errEnough = errors.New("enough")

func (s *pebbeReactor) poll(drain func() (bool, error)) error {
	r := zmq4.NewReactor()
	r.AddSocket(s.Socket, zmq4.POLLIN, func(zmq4.State) error {
		enough, err := drain()
		if enough {
			return errEnough // a Reactor runs until a handler fails
		}
		return err
	})
	if err := r.Run(-1); !errors.Is(err, errEnough) {
		return err
	}
	return nil
}

// pebbeMessages makes the calls of the mode Message.
type pebbeMessages struct{ pebbeSocket }

func (s *pebbeMessages) send(to, payload []byte) error {
	var err error
	if to != nil {
		_, err = s.SendMessage(to, payload)
	} else {
		_, err = s.SendMessage(payload)
	}
	return err
}

func (s *pebbeMessages) recv() (from, payload []byte, err error) {
	parts, err := s.RecvMessageBytes(0)
	if err != nil {
		return nil, nil, err
	}
	if s.ids && len(parts) == 2 {
		return parts[0], parts[1], nil
	}
	if s.ids || len(parts) != 1 {
		return nil, nil, workload.ErrIntegrity
	}
	return nil, parts[0], nil
}

func openPebbe(spec workload.Spec, endpoint string) (s sockets, err error) {
	ctx, err := zmq4.NewContext()
	if err != nil {
		return s, err
	}
	types := map[workload.Pattern][2]zmq4.Type{
		workload.RouterRouter: {zmq4.ROUTER, zmq4.ROUTER},
		workload.PushPull:     {zmq4.PUSH, zmq4.PULL},
		workload.PubSub:       {zmq4.PUB, zmq4.SUB},
		workload.DealerDealer: {zmq4.DEALER, zmq4.DEALER},
		workload.DealerRouter: {zmq4.DEALER, zmq4.ROUTER},
		workload.ReqRep:       {zmq4.REQ, zmq4.REP},
	}[spec.Pattern]
	s.probes = true
	// pebbe/zmq4 does not bind zmq_ctx_shutdown. Term also interrupts blocked calls, and
	// then waits until the sockets are closed. close waits for Term.
	term := sync.OnceValue(ctx.Term)
	var terms sync.WaitGroup
	s.stop = func() { terms.Go(func() { _ = term() }) }
	s.close = func() error {
		var errs []error
		for _, end := range []socket{s.near, s.far} {
			if end != nil {
				errs = append(errs, end.close())
			}
		}
		errs = append(errs, term())
		terms.Wait()
		return errors.Join(errs...)
	}
	far, err := newPebbe(ctx, types[1], spec, farID)
	if err != nil {
		return s, errors.Join(err, s.close())
	}
	s.far = far
	near, err := newPebbe(ctx, types[0], spec, nearID)
	if err != nil {
		return s, errors.Join(err, s.close())
	}
	s.near = near
	if err := connectPebbe(pebbeOf(near), pebbeOf(far), spec, endpoint); err != nil {
		return s, errors.Join(err, s.close())
	}
	return s, nil
}

func pebbeOf(s socket) *zmq4.Socket {
	switch s := s.(type) {
	case *pebbeReactor:
		return s.Socket
	case *pebbeMessages:
		return s.Socket
	}
	return s.(*pebbeSocket).Socket
}

// newPebbe creates a socket with the same options as the sockets of go-zmq.
func newPebbe(ctx *zmq4.Context, t zmq4.Type, spec workload.Spec, id []byte) (socket, error) {
	soc, err := ctx.NewSocket(t)
	if err != nil {
		return nil, err
	}
	mark := highWater(spec)
	err = errors.Join(soc.SetLinger(0), soc.SetSndhwm(mark), soc.SetRcvhwm(mark))
	if t == zmq4.SUB {
		err = errors.Join(err, soc.SetSubscribe(""))
	}
	if spec.Pattern == workload.RouterRouter {
		err = errors.Join(err, soc.SetIdentity(string(id)), soc.SetRouterMandatory(1))
	}
	if err != nil {
		return nil, errors.Join(err, soc.Close())
	}
	s := pebbeSocket{Socket: soc, ids: t == zmq4.ROUTER}
	switch spec.Mode {
	case Reactor:
		return &pebbeReactor{s}, nil
	case Message:
		return &pebbeMessages{s}, nil
	}
	s.poller = zmq4.NewPoller()
	s.poller.Add(soc, zmq4.POLLIN)
	return &s, nil
}

func connectPebbe(near, far *zmq4.Socket, spec workload.Spec, endpoint string) error {
	if spec.Pattern == workload.RouterRouter {
		if err := near.SetProbeRouter(1); err != nil {
			return err
		}
	}
	binds, connects := far, near
	if spec.Pattern == workload.PubSub {
		binds, connects = near, far
	}
	if err := binds.Bind(endpoint); err != nil {
		return err
	}
	bound, err := binds.GetLastEndpoint()
	if err != nil {
		return err
	}
	return connects.Connect(bound)
}

func parkPebbe(n int) (p parked, err error) {
	ctx, err := zmq4.NewContext()
	if err != nil {
		return p, err
	}
	p.stop = ctx.Term
	err = ctx.SetMaxSockets(n + 10)
	for i := 0; i < n && err == nil; i++ {
		var soc *zmq4.Socket
		if soc, err = ctx.NewSocket(zmq4.PULL); err != nil {
			break
		}
		p.receive = append(p.receive, func() error {
			_, err := soc.RecvBytes(0)
			return errors.Join(unless(zmq4.ETERM, err), soc.Close())
		})
		err = soc.Bind(fmt.Sprintf("inproc://parked-%d", i))
	}
	return p, err
}
