package core

import "github.com/go-zmq/go-zmq/internal/libzmq"

// incoming holds the parts of the message that is being handed out part by part.
// libzmq gives up whole messages only: a disconnect between two parts of one
// would make it abort.
type incoming struct {
	msgs []libzmq.Msg // entries below n may hold content, until the next receive reuses them
	head int          // the next part to hand out
	n    int
}

func (in *incoming) pending() int { return in.n - in.head }

// next returns the next part, which stays valid until the next receive.
func (in *incoming) next() *libzmq.Msg {
	m := &in.msgs[in.head]
	in.head++
	return m
}

// attemptRecv takes the next part into first: of the message that is being
// handed out, if there is one, else of a new one, whose other parts stay here.
// s.mu is held.
func (s *Socket) attemptRecv(first *libzmq.Msg, how int) (rc, events int) {
	in := &s.in
	if in.pending() > 0 {
		first.Close()
		first.Take(in.next())
		return 0, 0
	}
	rc, events = libzmq.Recv(s.handle, first, in.msgs, in.n, how)
	in.head, in.n = 0, 0
	if rc <= 0 {
		return rc, events
	}
	in.n = rc - 1
	for in.n == len(in.msgs) && in.n > 0 && in.msgs[in.n-1].More() {
		if rc = grow(s.handle, &in.msgs); rc < 0 {
			first.Close()
			in.n = 0
			return rc, events
		}
		in.n += rc
	}
	return 0, events
}

// attemptRecvAll takes a whole message into *dst, growing it as needed: what
// remains of the one that is being handed out, if there is one, else a new one.
func (s *Socket) attemptRecvAll(dst *[]libzmq.Msg, how int) (rc, events int) {
	msgs := (*dst)[:cap(*dst)]
	if s.in.pending() > 0 {
		libzmq.CloseMsgs(msgs)
		msgs = msgs[:0]
		for s.in.pending() > 0 {
			msgs = append(msgs, libzmq.Msg{})
			msgs[len(msgs)-1].Take(s.in.next())
		}
		*dst = msgs
		return 0, 0
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
