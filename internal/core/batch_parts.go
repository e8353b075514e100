package core

import (
	"math"

	"github.com/go-zmq/go-zmq/internal/inbox"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// attemptSend sends as many messages as libzmq has room for, at most a portion.
func (b *Batch) attemptSend(s *held, flags int) (rc, events int) {
	for p := s.portion.begin(b.count); b.count > 0 && !p.over(); {
		var gone, ev, sent int
		var traffic libzmq.Traffic
		if b.slotted {
			starts := b.slots.starts[b.first:][:min(b.count, p.messages)+1]
			gone, ev, sent = libzmq.SendBatch(s.handle, b.slots.msgs, starts, p.bytes, &traffic, flags)
			b.first += max(gone, 0)
		} else {
			var n int
			n, gone, ev, sent = libzmq.SendPacked(s.handle, b.packed.memory[b.packed.head:b.packed.end], p.messages, p.bytes, &traffic, flags)
			b.packed.head += n
		}
		events = ev &^ libzmq.EventLost
		if gone < 0 {
			return gone, events
		}
		p.took(gone, int(traffic.Bytes))
		b.count -= gone
		b.sent.batch(sent, traffic)
		s.stats.Sent.batch(sent, traffic)
		s.endedPeers(traffic.Ended)
		if ev&libzmq.EventLost != 0 {
			return -libzmq.ELOST, events
		}
	}
	return 0, events
}

// firstPart returns the first part of the next message to send.
func (b *Batch) firstPart() []byte {
	if b.slotted {
		return b.slots.msgs[b.head()].Bytes()
	}
	part, _, _ := b.packed.next(b.packed.head)
	return part
}

// attemptRecv takes the messages that were read ahead and those in libzmq.
func (b *Batch) attemptRecv(s *held, flags int) (rc, events int) {
	if b.forwards && s.in.More() { // the receiver of the other parts wakes this one (R6)
		return again, 0
	}
	bytes := math.MaxInt
	if b.forwards {
		bytes = inbox.Portion
	}
	// The parts begin at the front. Parts behind the last one taken may have contents
	// that must be released.
	old, n, looked := 0, 0, false
	if b.slotted {
		old = b.end()
	}
	b.empty()
	b.slotted = true
	if s.in.Held() > 0 || s.subs != nil || s.learns {
		n = b.takeHeld(s, 0)
	}
	for s.subs == nil && !s.learns && b.count < b.most {
		if n == len(b.slots.msgs) {
			b.grow(n, 1)
		}
		most := min(b.most-b.count, recvPortion)
		parts, ev, whole := libzmq.RecvBatch(s.handle, b.slots.msgs, n, old, b.slots.starts[b.count:], most, bytes, flags)
		events, old, looked = ev, 0, true
		if parts < 0 {
			rc = parts
			break
		}
		n += parts
		b.count += whole
		if n < len(b.slots.msgs) && whole < most {
			break // there was room for more
		}
		if n, rc = b.complete(s, n); rc < 0 {
			break
		}
		if whole < recvPortion {
			continue
		}
		s.notify(events) // R2
		if s.giveWay(); s.state != stateOpen || s.in.More() {
			break
		}
		flags |= libzmq.WantEvents // others may wait by now
		n, looked = b.takeHeld(s, n), false
	}
	if b.count == 0 {
		return rc, events
	}
	if old > n {
		libzmq.CloseMsgs(b.slots.msgs[n:old])
	}
	if b.received(s, n); !looked { // otherwise the same call has read the events if they are wanted
		events = s.eventsFor(flags)
	}
	return 0, events
}

// received counts the first n parts of a batch.
func (b *Batch) received(s *held, n int) {
	s.in.EndMessage()
	s.stats.Received.all(b.slots.msgs[:n])
}

// takeHeld moves the messages that were read ahead behind the first n parts of a batch. If
// the socket counts its subscriptions, it also takes the messages that takeOne returns. It
// returns the number of parts.
func (b *Batch) takeHeld(s *held, n int) int {
	for b.count < b.most && (s.in.Held() > 0 || s.subs != nil && s.takeOne() > 0) {
		for range s.in.Rest() {
			if n == len(b.slots.msgs) {
				b.grow(n, 1)
			}
			s.in.Take(&b.slots.msgs[n])
			n++
		}
		b.ends(n)
	}
	return n
}

// complete takes the parts of the last message that did not fit.
func (b *Batch) complete(s *held, n int) (end, rc int) {
	if int(b.slots.starts[b.count]) == n {
		return n, 0
	}
	for b.slots.msgs[n-1].More() {
		if n == len(b.slots.msgs) {
			b.grow(n, 1)
		}
		rc := libzmq.RecvRest(s.handle, b.slots.msgs[n:], s.flags)
		if rc < 0 { // a shutdown: drop all parts of this message
			libzmq.CloseMsgs(b.slots.msgs[b.end():n])
			return b.end(), rc
		}
		n += rc
	}
	b.ends(n)
	return n, 0
}

// takeIn puts a message that libzmq has into the socket's queue. It returns the number of
// its parts, or -errno.
func (s *held) takeIn(flags int) int {
	parts := s.in.Append(s.handle, flags)
	if parts > 0 && s.learns {
		s.meet(s.in.Last(parts))
	}
	return parts
}
