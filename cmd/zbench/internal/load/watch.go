package load

import (
	"context"
	"fmt"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/zmq"
)

// A Watch says what happens to the peers of a socket that are elsewhere. One goroutine calls
// its functions, of which any may be nil.
type Watch struct {
	Left    func(at time.Duration, peers int) // a peer left, and so many remain
	Joined  func(at time.Duration, peers int)
	Gone    func(at time.Duration) // all left, the last one then, and none came back in time
	Refused func(why error)        // a connection did not come about, and that will not change
}

// again is how long a peer that ended a connection has to come back.
const again = time.Second

const watched = zmq.EventHandshakeSucceeded | zmq.EventDisconnected | zmq.EventHandshakeFailedProtocol | zmq.EventHandshakeFailedNoDetail | zmq.EventHandshakeFailedAuth

// Follow watches a socket until stop is called. It is called before the socket is connected
// or bound.
func (w Watch) Follow(s *zmq.Socket, endpoint string) (stop func(), err error) {
	m, err := s.Monitor(watched)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.follow(ctx, m, s, endpoint)
	}()
	return func() {
		cancel()
		<-ended
		_ = m.Close()
	}, nil
}

func (w Watch) follow(ctx context.Context, m *zmq.Monitor, s *zmq.Socket, endpoint string) {
	peers, left, failed := 0, time.Duration(0), false
	for {
		wait, cancel := ctx, func() {}
		if left > 0 {
			wait, cancel = context.WithTimeout(ctx, left+again-pace.Now())
		}
		e, err := m.Next(wait)
		cancel()
		now, before := pace.Now(), peers
		// The events of a connection may be read long after it has ended.
		switch there := s.Stats().Connections; {
		case err == nil && e.Event == zmq.EventHandshakeSucceeded:
			peers++
		case err == nil && e.Event == zmq.EventDisconnected && !failed && there < peers:
			peers--
		}
		switch {
		case ctx.Err() != nil, err != nil && left == 0:
			return
		case err != nil && peers == 0:
			call(w.Gone, left)
			return
		case peers > before && w.Joined != nil:
			w.Joined(now, peers)
		case peers < before && w.Left != nil:
			w.Left(now, peers)
		}
		switch {
		case err != nil || peers > 0:
			left = 0
		case before > 0:
			left = now
		}
		failed = w.refusal(e, failed, before == peers && left == 0, func() error { return unfit(s, endpoint, e) })
	}
}

// refusal tells of a connection that did not come about: its handshake failed, or it ended
// although nobody left. It returns whether a handshake has failed whose connection has not
// ended yet.
func (w Watch) refusal(e zmq.MonitorEvent, failed, nobody bool, why func() error) bool {
	switch e.Event {
	case zmq.EventHandshakeFailedProtocol, zmq.EventHandshakeFailedNoDetail, zmq.EventHandshakeFailedAuth:
		call(w.Refused, why())
		return true
	case zmq.EventDisconnected:
		if !failed && nobody {
			call(w.Refused, why())
		}
		return false
	}
	return failed
}

// call calls a function that may be nil.
func call[T any](f func(T), v T) {
	if f != nil {
		f(v)
	}
}

// unfit says why a connection did not come about. libzmq ends one to a socket type that does
// not fit without a word, and tells only the side that refuses what is wrong with CURVE.
func unfit(s *zmq.Socket, endpoint string, e zmq.MonitorEvent) error {
	const keys = "use --security curve=KEY with the public key of the side that binds"
	mechanism, _ := zmq.Mechanism.Get(s)
	server, _ := zmq.CurveServer.Get(s)
	why := fmt.Sprintf("its socket type does not fit a %s (--pattern), or it wants CURVE (--security)", s.Type())
	switch {
	case e.Protocol == zmq.ProtocolErrorZMTPMechanismMismatch:
		why = "one side uses CURVE and the other does not; " + keys + ", or none at both"
	case e.Protocol != 0, e.Event == zmq.EventHandshakeFailedAuth:
		why = "the CURVE key is wrong; " + keys
	case server:
		why = fmt.Sprintf("it uses no CURVE, or its socket type does not fit a %s", s.Type())
	case mechanism == zmq.MechanismCurve:
		why = "the CURVE key is wrong, or the peer has none, or its socket type does not fit; " + keys
	}
	return mismatchError{fmt.Errorf("%s: the peer and a %s do not connect: %s", endpoint, s.Type(), why)}
}
