package core

import (
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// A ROUTER that is mandatory, a STREAM, a SERVER and a PEER wait in a send while the queue
// of the peer that they send to is full. When that peer goes, libzmq (xsend of these types,
// and pipe.cpp, waiting_for_delimiter) keeps the connection until all that has come from
// it was received, and calls its queue full as long: who receives and sends on one
// goroutine would wait for ever. So such a sender looks again now and then, and when
// connections have ended, it takes out what is there, for the next receives. Then libzmq
// lets the peer go, and the send fails.
//
// That does not end a wait for a peer that is there, and memory stays bounded: a sender
// takes out a portion at a time, and in all about as much again as libzmq's queues hold
// of the peers that are there and of one that has gone. Where that does not suffice, and
// for a peer whose end libzmq itself has not noticed since its queue of received messages
// is full, the wait is one that a timeout or a context ends.
const (
	takeOutAfter  = 50 * time.Millisecond
	takeOutAgain  = time.Millisecond // when there was something
	takeOutAtOnce = 64               // messages
	takeOutParts  = 3                // of a message, for the limit: a request's
	takeOutUntil  = time.Second      // after the last end that was reported, if nothing is left then
	takeOutNoHWM  = 1000             // messages for each peer where RecvHWM sets no limit
)

// blockedSend is a sender's wait for a peer that may have gone.
type blockedSend struct {
	began time.Time
	pause time.Duration // until the next look
	ended bool          // connections have, before or since
}

// may reports whether a request is one that can be held up, and notes when that began.
func (h *blockedSend) may(s *Socket, r *request) bool {
	switch s.typ {
	case libzmq.Router, libzmq.Stream, libzmq.Server, libzmq.Peer:
	default:
		return false
	}
	if r.dir != Send {
		return false
	}
	if h.pause == 0 {
		h.began, h.pause = time.Now(), takeOutAfter
	}
	return true
}

// takeOut takes a portion of messages out of libzmq and tries again. s.mu is held.
func (h *blockedSend) takeOut(s *Socket, r *request) int {
	h.pause = takeOutAfter
	// What it has seen it goes by to the end of this wait: messages of a peer that has gone
	// may come late from a machine that stood still.
	h.ended = h.ended || s.links.haveEnded()
	if time.Since(h.began) < takeOutAfter || !h.ended {
		return again
	}
	most := libzmq.GetInt(s.handle, libzmq.OptRecvHWM)
	if most <= 0 {
		most = takeOutNoHWM
	}
	peers, _, _ := s.links.look()
	most *= takeOutParts * (peers + 1)
	taken := 0
	for taken < takeOutAtOnce && s.in.pending() < most && s.in.append(s.handle) {
		taken++
	}
	if taken == 0 {
		if s.in.pending() < most {
			s.links.settled(takeOutUntil)
		}
		return again
	}
	s.in.oversized = true
	s.classify()
	h.pause = takeOutAgain
	s.touchAll()
	return s.try(r) // which wakes receivers
}
