package core

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// seesThefts: reading ZMQ_FD's eventfd makes an edge, as writing it does, so that
// a watcher notices a signal that another goroutine used up. So it is on Linux
// (fs/eventfd.c wakes pollers with EPOLLOUT on a read). A variable, so that the
// tests can run the portable rules there too.
var seesThefts = runtime.GOOS == "linux"

// duplicating lets one goroutine at a time ask for a descriptor. Linux stops whoever
// asks while it enlarges the process's table, for milliseconds; a thousand
// goroutines that begin to wait would stop as many threads there.
var duplicating sync.Mutex

// watch sees to it that the socket has a watcher. It is started by the first
// wait, not with the socket: it costs a descriptor and a goroutine. s.mu is held.
func (s *Socket) watch() error {
	if s.watched {
		return nil
	}
	zfd, err := s.signalFD()
	if err != nil {
		return err
	}
	// libzmq's own descriptor must never be closed by anyone else, and its number
	// may belong to another socket right after zmq_close: watch a duplicate.
	duplicating.Lock()
	fd := libzmq.Dup(zfd)
	duplicating.Unlock()
	if fd < 0 {
		return &Fault{syscall.Errno(-fd), "no descriptor left to wait with; raise the limit on open files (ulimit -n) or close something"}
	}
	file := os.NewFile(uintptr(fd), "zmq")
	// NewFile does not say whether the netpoller took it; a deadline does.
	if err := file.SetDeadline(time.Time{}); err != nil {
		file.Close()
		return &Fault{syscall.ENOTSUP, "the runtime cannot wait for this socket's descriptor"}
	}
	conn, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return err
	}
	s.fd, s.fdNum, s.watched = file, fd, true
	s.ctx.startNet()
	go s.watcher(conn)
	return nil
}

// watchIfCan is watch for who otherwise looks again now and then (mustRetry): where a
// thread-safe socket has no descriptor, and while none is left for the duplicate. A
// receiver may have given the last one away itself, for its naps. s.mu is held.
func (s *Socket) watchIfCan() error {
	switch err := s.watch(); {
	case err == nil, errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return nil
	case !s.pollable && errors.Is(err, syscall.ENOTSUP):
		return nil
	default:
		return err
	}
}

// unwatch ends the watching, unless somebody waits, also for the answers to
// RequestPipesStats, or was given the descriptor. The
// file that it returns, if any, is to be closed without s.mu, which is held here.
func (s *Socket) unwatch() *os.File {
	if s.fd == nil || s.fdGiven || s.attentive || s.waiting() > 0 {
		return nil
	}
	file := s.fd
	s.fd, s.fdNum, s.watched = nil, -1, false
	s.look = look{} // at another watcher
	return file
}

// watcher wakes waiters when the descriptor says that something happened. It
// ends when the descriptor is closed.
func (s *Socket) watcher(conn syscall.RawConn) {
	wait := conn.Read
	if seesThefts {
		wait = conn.Write
	}
	// The error is that the descriptor was closed, which is how this ends.
	_ = wait(func(uintptr) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.wakeups++
		if s.state != stateOpen {
			return s.state == stateClosed
		}
		if s.signal != nil && !seesThefts {
			libzmq.ClearSignal(s.signal) // its level would stay
		}
		if s.waiting() > 0 || s.attentive {
			s.inexact.wakeAll()
			s.notify(s.events())
		}
		return false
	})
}
