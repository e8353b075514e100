package core

import (
	"sync"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// DefaultLinger is the linger period of a closed socket if none was set and there is no
// deadline. libzmq's own default has no limit, so a peer that is gone would keep a
// program from ending. DefaultLinger does not apply to sockets that send subscriptions
// (subscribes).
const DefaultLinger = 1 * time.Second

// leastLinger is the shortest linger period that this package passes to libzmq. With
// zero, libzmq stops a connection in the middle of a message of several parts. It aborts
// the process if the peer disconnects before that is settled (session_base.cpp,
// clean_pipes: the rest of the message cannot be read). If the period is long enough,
// libzmq first gives the whole message to the connection. In stress tests, 1 ms failed
// within a second, 20 ms within a minute, and 50 ms not in two minutes. Sockets that never
// sent several parts need less. A close lasts the whole period only if it has messages that
// no peer takes.
const (
	leastLinger      = time.Millisecond
	leastLingerParts = 100 * time.Millisecond
)

// effectiveLinger returns the linger period that libzmq gets for the given period.
// Negative means no limit. s.mu is held.
func (s *Socket) effectiveLinger(period time.Duration) time.Duration {
	switch {
	case period < 0:
		return period
	case s.stats.Sent.Parts > s.stats.Sent.Messages || s.multipart || s.typ.InTurn(): // these add a part
		return max(period, leastLingerParts)
	}
	return max(period, leastLinger)
}

// Close closes the socket. Blocked calls return ErrClosed. Close does not wait for them. It
// waits only for the mutex, which a call that is inside libzmq holds.
func (s *Socket) Close() error { return s.close(-1, false) }

// close closes the socket. A limit of 0 or more is the linger period if none was set, and
// otherwise an upper limit of it. A negative limit has no effect. withContext says that
// the context is being closed.
func (s *Socket) close(limit time.Duration, withContext bool) error {
	s.mu.Lock()
	if s.state == stateClosed {
		s.mu.Unlock()
		return nil
	}
	terminated := s.state == stateTerminated
	s.stop(stateClosed)
	for _, o := range s.observers {
		o.Stopped(true, withContext)
	}
	s.observers = nil
	if s.signal != nil {
		libzmq.CloseSignal(s.signal)
		s.signal = nil
	}
	s.closeMessages()
	// The reaper opens a descriptor for a thread-safe socket, and aborts if none is free.
	s.reserve.Close()
	rc := s.closeHandle(s.closingLinger(limit, terminated))
	s.handle = nil
	file, tracked, onClose := s.fd, s.track, s.onClose
	s.mu.Unlock()
	if tracked != nil {
		tracked.finish()
	}

	// Close the file without the mutex: it waits for the watcher's callback, which takes
	// the mutex.
	if file != nil {
		file.Close()
	}
	s.ctx.announceInproc()
	s.ctx.forget(s)
	if onClose != nil {
		onClose()
	}
	return errorOf(rc)
}

// OnClose makes the socket call f after it is closed, alone or with its context. If it is
// closed already, OnClose calls f.
func (s *Socket) OnClose(f func()) {
	s.mu.Lock()
	closed := s.state == stateClosed
	s.onClose = f
	s.mu.Unlock()
	if closed {
		f()
	}
}

// closeMessages releases the messages that the socket holds. s.mu is held.
func (s *Socket) closeMessages() {
	s.in.Close()
	if !s.out.finishing {
		s.out.reset()
	}
}

// closingLinger returns the linger period of the socket. s.mu is held.
func (s *Socket) closingLinger(limit time.Duration, terminated bool) time.Duration {
	linger := s.linger
	cut := limit >= 0 && (!s.lingerSet || linger < 0 || limit < linger)
	if cut && (s.lingerSet || !terminated) { // otherwise terminate has already set it
		linger = limit
	}
	if s.sent && s.far && linger != 0 {
		s.ctx.lingers.add(s, linger, cut)
	}
	return linger
}

// closing lets only one goroutine at a time close a libzmq socket. All of them put a command into
// the mailbox of libzmq's reaper, and those that had to wait there would each block a thread, which
// Go keeps for the rest of the process.
var closing sync.Mutex

// closeHandle closes the libzmq socket. s.mu is held.
func (s *Socket) closeHandle(linger time.Duration) int {
	ms := int(s.effectiveLinger(linger) / time.Millisecond)
	// libzmq frees an inproc name on another thread, some time after the close. A caller
	// expects the name to be free at once.
	kept := time.Duration(0)
	if s.sent {
		kept = linger
	}
	s.ctx.inproc.close(s, kept)
	outlives := s.track != nil && s.track.outlives()
	closing.Lock()
	defer closing.Unlock()
	return libzmq.CloseSocket(s.handle, ms, outlives)
}
