package core

import "github.com/go-zmq/go-zmq/internal/libzmq"

// incoming holds parts that libzmq has given up and nobody has received yet: what
// is left of the message that is being handed out part by part, and sometimes a
// message behind it. libzmq gives up whole messages only: a disconnect between
// two parts of one would make it abort.
type incoming struct {
	msgs []libzmq.Msg // entries below n may hold content, until the next receive reuses them
	head int          // the next part to hand out
	n    int
	more bool // the part handed out last has a successor
}

func (in *incoming) pending() int { return in.n - in.head }

// next hands out a part, which stays valid until the next receive.
func (in *incoming) next() *libzmq.Msg {
	m := &in.msgs[in.head]
	in.head++
	in.more = m.More()
	return m
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
func (in *incoming) receive(handle libzmq.Socket, first *libzmq.Msg, how int) (rc, events int) {
	rc, events = libzmq.Recv(handle, first, in.msgs, in.n, how)
	in.head, in.n, in.more = 0, 0, false
	if rc <= 0 {
		return rc, events
	}
	in.n = rc - 1
	for in.n == len(in.msgs) && in.msgs[in.n-1].More() {
		if rc = grow(handle, &in.msgs); rc < 0 {
			first.Close()
			in.n = 0
			return rc, events
		}
		in.n += rc
	}
	in.more = first.More()
	return 0, events
}

// append takes a message from libzmq, if there is one, and keeps it behind what
// is pending.
func (in *incoming) append(handle libzmq.Socket) {
	msgs := make([]libzmq.Msg, 4)
	rc, _ := libzmq.Recv(handle, &msgs[0], msgs[1:], 0, 0)
	if rc <= 0 {
		return
	}
	n := rc
	for n == len(msgs) && msgs[n-1].More() {
		if rc = grow(handle, &msgs); rc < 0 {
			return
		}
		n += rc
	}
	all := append([]libzmq.Msg(nil), in.msgs[in.head:in.n]...)
	libzmq.CloseMsgs(in.msgs[:in.head])
	clear(in.msgs[in.head:in.n]) // moved
	in.msgs = append(all, msgs...)
	in.head, in.n = 0, len(all)+n
}

// attemptRecv takes the next part into first. s.mu is held.
func (s *Socket) attemptRecv(first *libzmq.Msg, how int) (rc, events int) {
	if s.in.pending() > 0 {
		first.Close()
		first.Take(s.in.next())
		return 0, s.eventsFor(how)
	}
	return s.in.receive(s.handle, first, how)
}

// eventsFor reads the events after a receive that did without libzmq, for those
// who wait behind it.
func (s *Socket) eventsFor(how int) int {
	if how&libzmq.WantEvents == 0 {
		return 0
	}
	return libzmq.Events(s.handle)
}

// attemptRecvAll takes a whole message into *dst, growing it as needed: what
// remains of the one that is being handed out, if there is one, else a new one.
func (s *Socket) attemptRecvAll(dst *[]libzmq.Msg, how int) (rc, events int) {
	msgs := (*dst)[:cap(*dst)]
	if s.in.pending() > 0 {
		libzmq.CloseMsgs(msgs)
		msgs = msgs[:0]
		for range s.in.rest() {
			msgs = append(msgs, libzmq.Msg{})
			msgs[len(msgs)-1].Take(s.in.next())
		}
		*dst = msgs
		return 0, s.eventsFor(how)
	}
	if len(msgs) == 0 {
		msgs = make([]libzmq.Msg, 4)
	}
	rc, events = libzmq.Recv(s.handle, &msgs[0], msgs[1:], len(msgs)-1, how)
	n := rc
	for n == len(msgs) && msgs[n-1].More() {
		if rc = grow(s.handle, &msgs); rc < 0 {
			*dst = msgs[:0]
			return rc, events
		}
		n += rc
	}
	*dst = msgs[:max(n, 0)]
	s.in.more = false
	return min(n, 0), events
}

// grow makes room behind a full slice and receives what remains of the message
// there. On failure, which only a shutdown causes, all parts are released.
func grow(handle libzmq.Socket, msgs *[]libzmq.Msg) int {
	n := len(*msgs)
	more := make([]libzmq.Msg, max(2*n, 4))
	copy(more, *msgs)
	*msgs = more
	rc := libzmq.RecvRest(handle, more[n:])
	if rc < 0 {
		libzmq.CloseMsgs(more[:n])
	}
	return rc
}
