//go:build goczmq

package rivals

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/zeromq/goczmq"

	"github.com/go-zmq/go-zmq/bench/workload"
)

// The calls are those of goczmq's README ("Direct CZMQ Sock API") and its cmd/perf:
// SendFrame for each part, and RecvFrame. Its Channeler adds a socket and a goroutine to
// each end, and its ReadWriter adds a copy. NewPoller and Wait are the mode Poll. All
// sockets are in the one context of CZMQ, which lives as long as the process.

// CZMQ cannot interrupt a call, and a signal ends a call with an error like any other. So
// each call has a timeout. It is repeated until stop, or until it has failed for
// goczmqPatience.
const (
	goczmqWait     = 500 // milliseconds
	goczmqPatience = 20 * time.Second
)

func goczmqRival() *Rival {
	return &Rival{
		Impl:  "goczmq",
		Modes: []workload.Mode{workload.Blocking, Poll},
		open:  openGoczmq,
		park:  parkGoczmq,
	}
}

type goczmqSocket struct {
	*goczmq.Sock
	ids     bool // the first part of each message received is a routing id
	poller  *goczmq.Poller
	polled  bool // and no message was received after that
	stopped *atomic.Bool
}

// again returns nil if a failed call is to be repeated, and otherwise err. first is the
// time of the first failure.
func (s *goczmqSocket) again(first *time.Time, err error) error {
	switch {
	case s.stopped.Load():
		return err
	case first.IsZero():
		*first = time.Now()
	case time.Since(*first) > goczmqPatience:
		return err
	}
	return nil
}

func (s *goczmqSocket) frame() ([]byte, error) {
	var first time.Time
	for {
		p, _, err := s.RecvFrame()
		if err == nil {
			return p, nil
		}
		if err := s.again(&first, err); err != nil {
			return nil, err
		}
	}
}

func (s *goczmqSocket) send(to, payload []byte) error {
	if to != nil {
		if err := s.sendFrame(to, goczmq.FlagMore); err != nil {
			return err
		}
	}
	return s.sendFrame(payload, goczmq.FlagNone)
}

func (s *goczmqSocket) sendFrame(frame []byte, flags int) error {
	var first time.Time
	for {
		err := s.SendFrame(frame, flags)
		if err == nil {
			return nil
		}
		if err := s.again(&first, err); err != nil {
			return err
		}
	}
}

func (s *goczmqSocket) recv() (from, payload []byte, err error) {
	if s.ids {
		if from, err = s.frame(); err != nil {
			return nil, nil, err
		}
	}
	payload, err = s.frame()
	return from, payload, err
}

func (s *goczmqSocket) poll(drain func() (bool, error)) error {
	var first time.Time
	for {
		if s.poller.Wait(goczmqWait) == nil {
			if err := s.again(&first, errors.New("goczmq: nothing to receive")); err != nil {
				return err
			}
			continue
		}
		first, s.polled = time.Time{}, true
		if enough, err := drain(); enough || err != nil {
			return err
		}
	}
}

// try receives one message per poll. RecvFrameNoWait could receive more, but on a socket
// that can also send it never finds a message.
func (s *goczmqSocket) try() (from, payload []byte, ok bool, err error) {
	if !s.polled {
		return nil, nil, false, nil
	}
	s.polled = false
	from, payload, err = s.recv()
	return from, payload, err == nil, err
}

func (s *goczmqSocket) close() error {
	s.poller.Destroy()
	s.Destroy()
	return nil
}

func openGoczmq(spec workload.Spec, endpoint string) (s sockets, err error) {
	types := map[workload.Pattern][2]int{
		workload.RouterRouter: {goczmq.Router, goczmq.Router},
		workload.PushPull:     {goczmq.Push, goczmq.Pull},
		workload.PubSub:       {goczmq.Pub, goczmq.Sub},
		workload.DealerDealer: {goczmq.Dealer, goczmq.Dealer},
		workload.DealerRouter: {goczmq.Dealer, goczmq.Router},
		workload.ReqRep:       {goczmq.Req, goczmq.Rep},
	}[spec.Pattern]
	stopped := new(atomic.Bool)
	near, err := newGoczmq(types[0], spec, "a", stopped)
	if err != nil {
		return s, err
	}
	far, err := newGoczmq(types[1], spec, "b", stopped)
	if err != nil {
		return s, errors.Join(err, near.close())
	}
	s = sockets{near: near, far: far, probes: true}
	s.stop = func() { stopped.Store(true) }
	s.close = func() error { return errors.Join(near.close(), far.close()) }
	if spec.Pattern == workload.RouterRouter {
		near.SetProbeRouter(1)
	}
	binds, connects := far, near
	if spec.Pattern == workload.PubSub {
		binds, connects = near, far
	}
	// LastEndpoint leaks memory.
	port, err := binds.Bind(endpoint)
	if err == nil {
		err = connects.Connect(strings.Replace(endpoint, "*", strconv.Itoa(port), 1))
	}
	if err != nil {
		return s, errors.Join(err, s.close())
	}
	return s, nil
}

// newGoczmq creates a socket with the same options as the sockets of go-zmq.
func newGoczmq(t int, spec workload.Spec, id string, stopped *atomic.Bool) (*goczmqSocket, error) {
	sock := goczmq.NewSock(t)
	sock.SetLinger(0)
	sock.SetSndhwm(highWater(spec))
	sock.SetRcvhwm(highWater(spec))
	sock.SetRcvtimeo(goczmqWait)
	if t == goczmq.Sub {
		sock.SetSubscribe("")
	}
	if spec.Pattern == workload.RouterRouter {
		sock.SetIdentity(id)
		sock.SetRouterMandatory(1)
	}
	poller, err := goczmq.NewPoller(sock)
	if err != nil {
		sock.Destroy()
		return nil, err
	}
	return &goczmqSocket{Sock: sock, ids: t == goczmq.Router, poller: poller, stopped: stopped}, nil
}

// parkGoczmq ends each receiver with a message from a socket of its own.
func parkGoczmq(n int) (p parked, err error) {
	var pushes []*goczmq.Sock
	p.stop = func() error {
		var errs []error
		for _, push := range pushes {
			push.SetLinger(-1) // sends the message after the socket is closed
			errs = append(errs, push.SendFrame([]byte("end"), goczmq.FlagNone))
			push.Destroy()
		}
		return errors.Join(errs...)
	}
	for range n {
		push, pull := goczmq.NewSock(goczmq.Push), goczmq.NewSock(goczmq.Pull)
		endpoint := fmt.Sprintf("inproc://parked-%d", serial.Add(1))
		if _, err = pull.Bind(endpoint); err == nil {
			err = push.Connect(endpoint)
		}
		if err != nil {
			push.Destroy()
			pull.Destroy()
			return p, err
		}
		pushes = append(pushes, push)
		p.receive = append(p.receive, func() error {
			defer pull.Destroy()
			for { // a signal also ends the call
				if _, _, err := pull.RecvFrame(); err == nil {
					return nil
				}
			}
		})
	}
	return p, nil
}
