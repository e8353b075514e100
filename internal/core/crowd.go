package core

import (
	"encoding/binary"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/park"
)

// joinCrowd adds the waiter of a send.
func (s *held) joinCrowd(w *park.Waiter, r *request) {
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
func (s *shared) keyOf(r *request) []byte {
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

// judge completes the attempt of a waiter that has left the crowd.
func (s *held) judge(w *park.Waiter, rc int, took time.Duration) {
	if rc == again {
		w.Failed(took)
		return
	}
	w.Next()
	s.wakeCrowd() // it has given its part of the budget back
}

// wakeCrowd wakes the senders whose turn it is, and schedules the next call if some are
// left.
func (s *held) wakeCrowd() {
	c := s.crowd
	pause := c.Wake(time.Now())
	if pause == 0 || c.againDue {
		return
	}
	c.againDue = true
	restart(&c.again, pause, func() {
		s.lock.Lock()
		defer s.lock.Unlock()
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
func (s *held) crowdPause() time.Duration {
	if s.watched && seesThefts {
		return takeOutAfter
	}
	s.crowd.pause = min(max(2*s.crowd.pause, time.Millisecond), crowdMostPause)
	return s.crowd.pause
}

// tendLater schedules tendCrowd, unless it is scheduled.
func (s *held) tendLater(pause time.Duration) {
	c := s.crowd
	if c.tendDue {
		return
	}
	c.tendDue = true
	restart(&c.tend, pause, s.sock.tendCrowd)
}

// tendCrowd runs at intervals while senders wait, once for all of them. It takes out messages
// if a peer has left (takeout.go). Where no descriptor is watched, or another goroutine may
// consume its signal unnoticed, it makes the senders try again.
func (s *Socket) tendCrowd() {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	c := h.crowd
	c.tendDue = false
	if h.state != stateOpen || c.Empty() {
		return
	}
	if !h.watched || !seesThefts {
		h.process()
	}
	pause := h.crowdPause()
	if h.state == stateOpen && h.takeOut() {
		pause = takeOutAgain
	}
	h.tendLater(pause)
}
