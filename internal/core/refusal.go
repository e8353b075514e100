package core

import (
	"strconv"
	"sync/atomic"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// A Refusal is the error of a send for which there was no room, with the reason.
type Refusal struct {
	cause error // EAGAIN, ErrTimeout or the error of the context
	peers int   // connected at that moment; negative: not counted
	kind  refusalKind
}

// A refusalKind says for whom there was no room.
type refusalKind uint8

const (
	fullForAll  refusalKind = iota // the message could go to any peer
	fullForOne                     // it is for one peer
	fullForSome                    // it is for all subscribers
)

func (r *Refusal) Error() string { return r.cause.Error() + ": " + r.Reason() }

// Unwrap returns EAGAIN, ErrTimeout or the error of the context.
func (r *Refusal) Unwrap() error { return r.cause }

// Reason says why there was no room.
func (r *Refusal) Reason() string {
	switch {
	case r.peers == 0:
		return "no peer is connected"
	case r.kind == fullForOne:
		return "the queue of the peer with that routing ID is full (SendHWM)"
	case r.kind == fullForSome:
		return "the queue of a subscriber is full (SendHWM)"
	case r.peers < 0:
		return "no peer is connected, or the queues of all peers are full (SendHWM)"
	case r.peers == 1:
		return "the queue of the only peer is full (SendHWM)"
	case r.peers > countedPeers:
		return "the queues of all peers are full (SendHWM)"
	}
	return "the queues of all " + strconv.Itoa(r.peers) + " peers are full (SendHWM)"
}

// countedPeers is the largest number of peers that has a refusal of its own.
const countedPeers = 64

// refusals are those of calls that do not wait, so that DontWait in a loop does not allocate.
var refusals [3][countedPeers + 3]atomic.Pointer[Refusal]

// refuse returns the error of a send that found no room, with the cause.
func (s *held) refuse(cause error) error {
	peers, kind := s.connected(), fullForAll
	switch {
	case s.typ.SendsToOne():
		kind = fullForOne
	case s.typ == libzmq.Pub || s.typ == libzmq.XPub || s.typ == libzmq.Radio:
		kind = fullForSome
	}
	if cause != error(syscall.EAGAIN) {
		return &Refusal{cause, peers, kind}
	}
	peers = min(peers, countedPeers+1)
	known := &refusals[kind][peers+1]
	if known.Load() == nil {
		known.CompareAndSwap(nil, &Refusal{cause, peers, kind})
	}
	return known.Load()
}

// connected returns the number of connected peers, or a negative number if it is not known.
func (s *held) connected() int {
	if s.ctx.blind.Load() {
		return -1
	}
	n, _ := s.peers.Totals()
	return n
}

// refuseTimed is refuse for the error with which a wait to send ended, if that is not the fault of the
// message or of the socket.
func (s *held) refuseTimed(err, ended error) error {
	if err != nil && (err == ErrTimeout || err == ended) {
		return s.refuse(err)
	}
	return err
}
