package core

import "github.com/go-zmq/go-zmq/internal/libzmq"

// incoming holds parts that libzmq has given up and nobody has received yet: what
// is left of the message that is being handed out part by part, what was read
// ahead, and sometimes a message that a disconnect took out, or one that was given
// back. libzmq gives up whole messages only: a disconnect between two parts of one
// would make it abort.
type incoming struct {
	msgs  []libzmq.Msg // entries below n may hold content, until the next receive reuses them
	head  int          // the next part to hand out
	n     int
	more  bool // the part handed out last has a successor
	ahead int  // messages to take at once; 0 or 1: no reading ahead
	short bool // msgs had no room for as many

	auto   bool // ahead changes by itself (ahead.go)
	barred bool // but not on this socket
	inARow int  // receives that did not wait, while ahead may change

	oversized bool // msgs has room for what was taken out for a sender (takeout.go)

	addressed bool     // messages have one part, and come with a routing id
	ids       []uint32 // those of msgs, while known says so
	known     int      // of how many, from the first on
}

func (in *incoming) pending() int { return in.n - in.head }

// ready reports whether a message waits here from its beginning.
func (in *incoming) ready() bool { return in.n > in.head && !in.more }

// next hands out a part, which stays valid until the next receive.
func (in *incoming) next() *libzmq.Msg {
	m := &in.msgs[in.head]
	in.head++
	in.more = m.More()
	return m
}

// leastRoom is for how many parts behind the first a socket has room at all times.
const leastRoom = 4

// shrink gives up the room for what was taken out. Nothing is pending.
func (in *incoming) shrink() {
	in.releaseAll()
	in.msgs, in.short, in.oversized = make([]libzmq.Msg, leastRoom), false, false
}

// rest returns the number of parts that complete the message at hand.
func (in *incoming) rest() int {
	for i := in.head; i < in.n; i++ {
		if !in.msgs[i].More() {
			return i + 1 - in.head
		}
	}
	return in.pending()
}

// receive takes a message from libzmq: its first part goes to first, the others
// stay here. Nothing is pending.
func (in *incoming) receive(handle libzmq.Socket, first *libzmq.Msg, flags int) (rc, events int) {
	if in.ahead > 1 {
		if rc, events = in.fill(handle, flags); rc == 0 {
			handOut(first, in.next())
		}
		return rc, events
	}
	rc, events = libzmq.Recv(handle, first, in.msgs, in.n, flags)
	in.head, in.n, in.known, in.more = 0, 0, 0, false
	if rc <= 0 {
		in.inARow = 0
		return rc, events
	}
	in.inARow++
	in.n = rc - 1
	for in.n == len(in.msgs) && in.msgs[in.n-1].More() {
		if rc = grow(handle, &in.msgs, flags); rc < 0 {
			first.Close()
			in.n = 0
			return rc, events
		}
		in.n += rc
	}
	in.more = first.More()
	return 0, events
}

// firstAhead is for how many parts there is room at first; it doubles when they do
// not suffice.
const firstAhead = 64

// fill reads ahead: it takes what libzmq has, in one crossing, which also releases
// the parts that were handed out before. Nothing is pending.
func (in *incoming) fill(handle libzmq.Socket, flags int) (rc, events int) {
	if want := min(in.ahead, firstAhead); in.short || len(in.msgs) < want {
		if in.short {
			want = 2 * len(in.msgs)
		}
		closeHeld(in.msgs[:in.n])
		in.msgs, in.n, in.short = make([]libzmq.Msg, want), 0, false
	}
	rc, events, whole := in.take(handle, flags)
	in.head, in.n, in.more = 0, max(rc, 0), false
	in.short = in.n == len(in.msgs) && whole < in.ahead
	if in.auto {
		in.goOn(whole)
	}
	if rc <= 0 {
		return rc, events
	}
	for in.n == len(in.msgs) && in.msgs[in.n-1].More() {
		if rc = grow(handle, &in.msgs, flags); rc < 0 {
			in.n = 0
			return rc, events
		}
		in.n += rc
	}
	return 0, events
}

// handOut moves a part to the caller. What that held before, if it is small, takes
// its place, and is released by a later receive, in the same crossing.
func handOut(to, part *libzmq.Msg) {
	if to.Ours() || to.Len() > maxHeld {
		to.Close() // somebody waits for it, or for so much memory
	}
	to.Swap(part)
}

// append takes a message from libzmq, if there is one, and keeps it behind what is
// pending. It reports whether there was one.
func (in *incoming) append(handle libzmq.Socket) bool {
	msgs := make([]libzmq.Msg, 4)
	n, _ := libzmq.Recv(handle, &msgs[0], msgs[1:], 0, 0)
	if n <= 0 {
		return false
	}
	for n == len(msgs) && msgs[n-1].More() {
		rc := grow(handle, &msgs, 0)
		if rc < 0 {
			return false
		}
		n += rc
	}
	in.add(msgs[:n])
	return true
}

// add takes over the parts of a message, behind what is pending.
func (in *incoming) add(parts []libzmq.Msg) {
	switch {
	case in.pending() == 0:
		closeHeld(in.msgs[:in.n])
		in.head, in.n, in.known = 0, 0, 0
	case in.head > len(in.msgs)/2:
		closeHeld(in.msgs[:in.head])
		n := copy(in.msgs, in.msgs[in.head:in.n])
		clear(in.msgs[n:in.n]) // moved
		in.known = copy(in.ids, in.ids[min(in.head, in.known):in.known])
		in.head, in.n = 0, n
	}
	if need := in.n + len(parts); need > len(in.msgs) {
		more := make([]libzmq.Msg, max(2*len(in.msgs), need))
		copy(more, in.msgs[:in.n])
		clear(in.msgs[:in.n]) // moved
		in.msgs = more
	}
	copy(in.msgs[in.n:], parts)
	in.n += len(parts)
	clear(parts)
}

// attemptRecv takes the next part into first. s.mu is held.
func (s *Socket) attemptRecv(first *libzmq.Msg, flags int) (rc, events int) {
	if s.in.pending() > 0 {
		handOut(first, s.in.next())
		return 0, s.eventsFor(flags)
	}
	if s.in.inARow >= aheadAfter {
		s.beginAhead()
	}
	return s.in.receive(s.handle, first, flags)
}

// eventsFor reads the events after a receive that did without libzmq, for those
// who wait behind it; while messages are ready here they need none.
func (s *Socket) eventsFor(flags int) int {
	if flags&libzmq.WantEvents == 0 || s.in.ready() {
		return 0
	}
	return s.events()
}

// attemptRecvAll takes a whole message into *dst, growing it as needed: what
// remains of the one that is being handed out, if there is one, else a new one.
func (s *Socket) attemptRecvAll(dst *[]libzmq.Msg, flags int) (rc, events int) {
	msgs := (*dst)[:cap(*dst)]
	if s.in.pending() == 0 && s.in.ahead > 1 {
		if rc, events = s.in.fill(s.handle, flags); rc < 0 {
			closeHeld(msgs)
			*dst = msgs[:0]
			return rc, events
		}
		flags &^= libzmq.WantEvents // they were read
	}
	if s.in.pending() > 0 {
		n := s.in.rest()
		if len(msgs) < n {
			closeHeld(msgs)
			msgs = make([]libzmq.Msg, n)
		}
		for i := range n {
			handOut(&msgs[i], s.in.next())
		}
		closeHeld(msgs[n:])
		*dst = msgs[:n]
		return 0, events | s.eventsFor(flags)
	}
	if len(msgs) == 0 {
		msgs = make([]libzmq.Msg, 4)
	}
	rc, events = libzmq.Recv(s.handle, &msgs[0], msgs[1:], len(msgs)-1, flags)
	n := rc
	for n == len(msgs) && msgs[n-1].More() {
		if rc = grow(s.handle, &msgs, flags); rc < 0 {
			*dst = msgs[:0]
			return rc, events
		}
		n += rc
	}
	*dst = msgs[:max(n, 0)]
	s.in.more = false
	return min(n, 0), events
}

// closeHeld releases what msgs hold, and does not cross if that is nothing.
func closeHeld(msgs []libzmq.Msg) {
	for i := range msgs {
		if msgs[i].Holds() {
			libzmq.CloseMsgs(msgs[i:])
			return
		}
	}
}

// grow makes room behind a full slice and receives what remains of the message
// there. On failure, which only a shutdown causes, all parts are released.
func grow(handle libzmq.Socket, msgs *[]libzmq.Msg, flags int) int {
	n := len(*msgs)
	more := make([]libzmq.Msg, max(2*n, 4))
	copy(more, *msgs)
	clear(*msgs) // moved: somebody else may know the old array, such as a batch
	*msgs = more
	rc := libzmq.RecvRest(handle, more[n:], flags)
	if rc < 0 {
		libzmq.CloseMsgs(more[:n])
	}
	return rc
}
