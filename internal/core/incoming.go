package core

import (
	"slices"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// incoming holds parts that were taken from libzmq and not yet received: the rest of the
// message that is being received part by part, messages read ahead, and sometimes a
// message that a disconnect took out or that was given back. Only whole messages are
// taken from libzmq, because it would abort on a disconnect between two parts of one.
type incoming struct {
	msgs  []libzmq.Msg // entries below n may have contents until the next receive
	head  int          // the next part to hand out
	n     int
	more  bool // the part handed out last is followed by another
	ahead int  // messages to take at once; with 0 or 1, no read-ahead

	auto   bool // ahead changes automatically (ahead.go)
	barred bool // but not on this socket
	inARow int  // consecutive receives that did not wait, while ahead may change
	after  int  // so many of them make the next one read ahead

	oversized bool // msgs has room for messages taken out for a sender (takeout.go)
}

func (in *incoming) pending() int { return in.n - in.head }

// ready reports whether the first pending part begins a message.
func (in *incoming) ready() bool { return in.n > in.head && !in.more }

// next hands out a part, which stays valid until the next receive.
func (in *incoming) next() *libzmq.Msg {
	m := &in.msgs[in.head]
	in.head++
	in.more = m.More()
	return m
}

// leastRoom is the number of parts behind the first for which a socket always has room.
const leastRoom = 4

// shrink frees the room for messages that were taken out. Nothing is pending.
func (in *incoming) shrink() {
	closeHeld(in.msgs[:in.n])
	in.msgs, in.head, in.n, in.more = make([]libzmq.Msg, leastRoom), 0, 0, false
	in.oversized = false
}

// rest returns the number of parts that complete the current message.
func (in *incoming) rest() int {
	for i := in.head; i < in.n; i++ {
		if !in.msgs[i].More() {
			return i + 1 - in.head
		}
	}
	return in.pending()
}

// receive takes a message from libzmq. Its first part goes to first, the others stay
// here. Nothing is pending.
func (in *incoming) receive(handle libzmq.Socket, first *libzmq.Msg, flags int) (rc, events int) {
	if in.ahead > 1 {
		if rc, events = in.fill(handle, flags); rc == 0 {
			handOut(first, in.next())
		}
		return rc, events
	}
	rc, events = libzmq.Recv(handle, first, in.msgs, in.n, flags)
	in.head, in.n, in.more = 0, 0, false
	if rc <= 0 {
		in.inARow = 0
		return rc, events
	}
	in.inARow++
	if rc = complete(handle, &in.msgs, rc-1, flags); rc < 0 {
		first.Close()
		return rc, events
	}
	in.n, in.more = rc, first.More()
	return 0, events
}

// firstAhead is the initial number of parts for which there is room. It doubles when they
// do not suffice.
const firstAhead = 64

// fill reads ahead: it takes the available messages from libzmq in one call into C. That
// call also releases the parts that were handed out before. Nothing is pending.
func (in *incoming) fill(handle libzmq.Socket, flags int) (rc, events int) {
	want := min(firstAhead, in.ahead)
	if in.n == len(in.msgs) { // all were used
		want = max(want, 2*in.n)
	}
	if want > len(in.msgs) {
		closeHeld(in.msgs[:in.n])
		in.msgs, in.n = make([]libzmq.Msg, want), 0
	}
	messages, bytes := in.room()
	rc, events, whole := libzmq.RecvBatch(handle, in.msgs, 0, in.n, nil, messages, bytes, flags)
	in.head, in.n, in.more = 0, max(rc, 0), false
	if in.auto {
		in.goOn(whole)
	}
	if rc > 0 {
		rc = complete(handle, &in.msgs, rc, flags)
		in.n = max(rc, 0)
	}
	return min(rc, 0), events
}

// handOut moves a part to the caller. If the previous contents of to are small, they take
// the place of the part, and a later receive releases them in its call into C.
func handOut(to, part *libzmq.Msg) {
	if to.Ours() || to.Len() > maxHeld {
		to.Close() // its owner waits for the release, or it is large
	}
	to.Swap(part)
}

// append takes a message from libzmq, if there is one, and puts it behind the pending
// ones. It returns the number of its parts, or -errno.
func (in *incoming) append(handle libzmq.Socket, flags int) int {
	msgs := make([]libzmq.Msg, 4)
	n, _ := libzmq.Recv(handle, &msgs[0], msgs[1:], 0, flags)
	n = complete(handle, &msgs, n, flags)
	in.add(msgs[:max(n, 0)], false)
	return n
}

// add takes ownership of the parts of messages and puts them behind the pending ones, or
// in front of them. A message that is being received part by part stays in front.
func (in *incoming) add(parts []libzmq.Msg, inFront bool) {
	switch {
	case in.pending() == 0:
		closeHeld(in.msgs[:in.n])
		in.head, in.n = 0, 0
	case in.head > len(in.msgs)/2:
		closeHeld(in.msgs[:in.head])
		n := copy(in.msgs, in.msgs[in.head:in.n])
		clear(in.msgs[n:in.n]) // moved
		in.head, in.n = 0, n
	}
	at := in.n
	if inFront {
		at = in.head
		if in.more {
			at += in.rest()
		}
	}
	all := slices.Insert(in.msgs[:in.n], at, parts...)
	in.msgs, in.n = all[:cap(all)], len(all)
	clear(parts)
}

// attemptRecv receives the next part into first. s.mu is held.
func (s *Socket) attemptRecv(first *libzmq.Msg, flags int) (rc, events int) {
	if s.in.pending() > 0 {
		handOut(first, s.in.next())
		return 0, s.eventsFor(flags)
	}
	if s.in.inARow >= s.in.after {
		s.beginAhead()
	}
	return s.in.receive(s.handle, first, flags)
}

// eventsFor reads the events after a receive that did not use libzmq. The next waiter
// needs them, unless more messages are ready here.
func (s *Socket) eventsFor(flags int) int {
	if flags&libzmq.WantEvents == 0 || s.in.ready() {
		return 0
	}
	return s.events()
}

// closeHeld releases the contents of msgs. If there are none, it makes no call into C.
func closeHeld(msgs []libzmq.Msg) {
	for i := range msgs {
		if msgs[i].Holds() {
			libzmq.CloseMsgs(msgs[i:])
			return
		}
	}
}

// complete receives the rest of a message if its first n parts fill msgs. It returns the
// number of parts, or n if that is negative. Only a shutdown makes it fail, and then it
// releases all parts.
func complete(handle libzmq.Socket, msgs *[]libzmq.Msg, n, flags int) int {
	for n > 0 && n == len(*msgs) && (*msgs)[n-1].More() {
		more := make([]libzmq.Msg, 2*n)
		move(more, *msgs)
		*msgs = more
		rc := libzmq.RecvRest(handle, more[n:], flags)
		if rc < 0 {
			libzmq.CloseMsgs(more[:n])
			return rc
		}
		n += rc
	}
	return n
}
