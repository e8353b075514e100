package core

import (
	"encoding/binary"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/park"
)

// crowd holds the waiting senders of a socket whose ZMQ_POLLOUT says nothing (libzmq.Inexact).
// They wait in groups by the first part of their message, which is the routing id of the peer or
// the topic: two such messages can be sent at the same time or not at all. Socket.mu guards it.
type crowd struct {
	park.Groups
	again    *time.Timer // wakes the groups that the budget left over
	againDue bool
	tend     *time.Timer // see tendCrowd
	tendDue  bool
	pause    time.Duration // the last one of tend
	ended    bool          // connections have ended since the crowd was empty, or shortly before
}

// joinCrowd adds the waiter of a send. s.mu is held.
func (s *Socket) joinCrowd(w *park.Waiter, r *request) {
	c := s.crowd
	if w.Since.IsZero() {
		w.Since = time.Now()
		if c.Empty() {
			c.ended = false
		}
		c.pause = 0
		s.tendLater(s.crowdPause())
	}
	c.Push(w, s.keyOf(r))
}

// keyOf returns what decides whether a message can be sent, or nil if that is not known.
func (s *Socket) keyOf(r *request) []byte {
	switch {
	case r.looks:
		return nil
	case r.batch != nil:
		return r.batch.firstPart()
	case s.typ < libzmq.Server:
		return r.part(0)
	case len(r.msgs) == 1 && (s.typ == libzmq.Server || s.typ == libzmq.Peer):
		return binary.NativeEndian.AppendUint32(nil, uint32(r.msgs[0].RoutingID()))
	}
	return nil
}

// judge completes the attempt of a waiter that has left the crowd. s.mu is held.
func (s *Socket) judge(w *park.Waiter, rc int, took time.Duration) {
	if rc == again {
		w.Failed(took)
		return
	}
	w.Next()
	s.wakeCrowd() // it has given its part of the budget back
}

// wakeCrowd wakes the senders whose turn it is, and schedules the next call if some are left.
// s.mu is held.
func (s *Socket) wakeCrowd() {
	c := s.crowd
	pause := c.Wake(time.Now())
	if pause == 0 || c.againDue {
		return
	}
	c.againDue = true
	restart(&c.again, pause, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		c.againDue = false
		if s.state == stateOpen {
			s.wakeCrowd()
		}
	})
}

// restart lets a timer call f after a pause. The first call creates the timer.
func restart(t **time.Timer, pause time.Duration, f func()) {
	if *t == nil {
		*t = time.AfterFunc(pause, f)
	} else {
		(*t).Reset(pause)
	}
}

// crowdMostPause is the longest time between two attempts where no edge announces room.
const crowdMostPause = 10 * time.Millisecond

// crowdPause returns the time until the next tendCrowd.
func (s *Socket) crowdPause() time.Duration {
	if s.watched && seesThefts {
		return takeOutAfter
	}
	s.crowd.pause = min(max(2*s.crowd.pause, time.Millisecond), crowdMostPause)
	return s.crowd.pause
}

// tendLater schedules tendCrowd, unless it is scheduled. s.mu is held.
func (s *Socket) tendLater(pause time.Duration) {
	c := s.crowd
	if c.tendDue {
		return
	}
	c.tendDue = true
	restart(&c.tend, pause, s.tendCrowd)
}

// tendCrowd runs at intervals while senders wait, once for all of them. It takes out messages
// if a peer has left (takeout.go). Where no descriptor is watched, or another goroutine may
// consume its signal unnoticed, it makes the senders try again.
func (s *Socket) tendCrowd() {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.crowd
	c.tendDue = false
	if s.state != stateOpen || c.Empty() {
		return
	}
	if !s.watched || !seesThefts {
		s.process()
	}
	pause := s.crowdPause()
	if s.state == stateOpen && s.takeOut() {
		pause = takeOutAgain
	}
	s.tendLater(pause)
}

// len returns the number of waiting senders. c may be nil.
func (c *crowd) len() int {
	if c == nil {
		return 0
	}
	return c.Len()
}
