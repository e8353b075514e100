package core

import (
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// A mandatory ROUTER, a STREAM, a SERVER and a PEER wait in a send while the queue of the
// destination peer is full. When that peer disconnects, libzmq keeps the connection until
// all messages from it are received (xsend of these types, and pipe.cpp,
// waiting_for_delimiter). Until then it reports the queue as full. A goroutine that both
// sends and receives would wait without end. So while senders wait and connections have ended,
// the socket takes out the available messages for the next receives (tendCrowd). Then libzmq
// closes the connection, and the send fails.
//
// This does not end a wait for a connected peer, and memory stays bounded. The
// socket takes out a portion at a time, and in all about as much again as libzmq's queues
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

// takeOut takes a portion of messages out of libzmq if a sender may wait for a peer that
// has disconnected, and reports whether there were any. Senders wait.
func (s *held) takeOut() bool {
	if !s.typ.SendsToOne() {
		return false
	}
	// An end that was seen is remembered while senders wait: on a machine that stalls,
	// messages of a disconnected peer may come late.
	s.crowd.ended = s.crowd.ended || s.peers.HaveEnded()
	if !s.crowd.ended || time.Since(s.crowd.Longest()) < takeOutAfter {
		return false
	}
	most := libzmq.GetInt(s.handle, libzmq.OptRecvHWM)
	if most <= 0 {
		most = takeOutNoHWM
	}
	peers, _, _ := s.peers.Look()
	most *= takeOutParts * (peers + 1)
	taken := 0
	for taken < takeOutAtOnce && s.in.Held() < most && s.takeIn(s.flags) > 0 {
		taken++
	}
	if taken == 0 {
		if s.in.Held() < most {
			s.peers.Settled(takeOutUntil)
		}
		return false
	}
	s.in.Enlarged()
	s.classify()
	s.touchAll()
	s.process() // receivers have messages, and senders may learn that their peer is gone
	return true
}
