package core

import (
	"sync"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Close closes the socket. Blocked calls return ErrClosed. Close waits only for a call that is
// already inside libzmq, because that call holds the lock.
func (s *Socket) Close() error { return s.close(-1, false) }

// close closes the socket. A limit of 0 or more is the linger period if none was set, and
// otherwise an upper limit of it. A negative limit has no effect. withContext says that
// the context is being closed.
func (s *Socket) close(limit time.Duration, withContext bool) error {
	h := s.lock.Lock()
	if h.state == stateClosed {
		s.lock.Unlock()
		return nil
	}
	terminated := h.state == stateTerminated
	h.stop(stateClosed)
	for _, o := range h.observers {
		o.Stopped(true, withContext)
	}
	h.observers = nil
	if h.signal != nil {
		libzmq.CloseSignal(h.signal)
		h.signal = nil
	}
	h.closeMessages()
	// The reaper opens a descriptor for a thread-safe socket, and aborts if none is free.
	h.reserve.Close()
	rc := h.closeHandle(h.closingLinger(limit, terminated))
	h.handle = nil
	watcher, tracked, onClose := h.watcher, h.track, h.onClose
	s.lock.Unlock()
	if tracked != nil {
		tracked.finish()
	}

	// Without the lock: the close waits for the watcher's call, which takes the lock.
	if watcher != nil {
		watcher.Close()
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
	h := s.lock.Lock()
	closed := h.state == stateClosed
	h.onClose = f
	s.lock.Unlock()
	if closed {
		f()
	}
}

// closeMessages releases the messages that the socket holds.
func (s *held) closeMessages() {
	s.in.Close()
	if !s.out.finishing {
		s.out.reset()
	}
}

// closingLinger returns the linger period of the socket.
func (s *held) closingLinger(limit time.Duration, terminated bool) time.Duration {
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

// closeHandle closes the libzmq socket.
func (s *held) closeHandle(linger time.Duration) int {
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
