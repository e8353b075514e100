package core

import (
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// A mandatory ROUTER, a STREAM, a SERVER and a PEER wait in a send while the queue of the
// destination peer is full. When that peer disconnects, libzmq keeps the connection until
// all messages from it are received (xsend of these types, and pipe.cpp,
// waiting_for_delimiter). Until then it reports the queue as full. A goroutine that both
// sends and receives would wait without end. So the blocked sender tries again at
// intervals. If connections have ended, it takes out the available messages for the next
// receives. Then libzmq closes the connection, and the send fails.
//
// This does not end a wait for a connected peer, and memory stays bounded. A sender takes
// out a portion at a time. In all it takes out about as much again as libzmq's queues
// hold for the connected peers and one that has disconnected. If that does not suffice,
// only a timeout or a context ends the wait. The same applies if libzmq itself has not
// noticed the end of a peer because its queue of received messages is full.
const (
	takeOutAfter  = 50 * time.Millisecond
	takeOutAgain  = time.Millisecond // after messages were taken out
	takeOutAtOnce = 64               // messages
	takeOutParts  = 3                // parts per message, as in a request
	takeOutUntil  = time.Second      // after the last reported end, if no message is left
	takeOutNoHWM  = 1000             // messages per peer if RecvHWM sets no limit
)

// blockedSend is the wait of a sender for a peer that may have disconnected.
type blockedSend struct {
	began time.Time
	pause time.Duration // until the next attempt
	ended bool          // connections have ended, before or during the wait
}

// may reports whether a request can be blocked in this way, and records when that began.
func (h *blockedSend) may(s *Socket, r *request) bool {
	if r.dir != Send || !s.typ.SendsToOne() {
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
	// An end that was seen is remembered for the rest of this wait: on a machine that
	// stalls, messages of a disconnected peer may come late.
	h.ended = h.ended || s.peers.HaveEnded()
	if time.Since(h.began) < takeOutAfter || !h.ended {
		return again
	}
	most := libzmq.GetInt(s.handle, libzmq.OptRecvHWM)
	if most <= 0 {
		most = takeOutNoHWM
	}
	peers, _, _ := s.peers.Look()
	most *= takeOutParts * (peers + 1)
	taken := 0
	for taken < takeOutAtOnce && s.in.Held() < most && s.in.Append(s.handle, s.flags) > 0 {
		taken++
	}
	if taken == 0 {
		if s.in.Held() < most {
			s.peers.Settled(takeOutUntil)
		}
		return again
	}
	s.in.Enlarged()
	s.classify()
	h.pause = takeOutAgain
	s.touchAll()
	return s.try(r) // try wakes receivers
}
