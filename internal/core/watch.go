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
	s.ctx.startWatchdog()
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

// attend makes the watcher process the socket's commands from now on, although no goroutine
// waits. libzmq ends a connection in steps, and takes those of the socket's side in calls
// on the socket. Without such calls the peer stays connected and goes on sending. The
// answers to RequestPipesStats arrive in the same way. s.mu is held.
//
// It stays so until the socket is closed, because nothing tells when such an end is
// complete. libzmq reports no end that the socket itself began, so that links forgets these
// connections at once (detach). An end can wait for Linger, for messages that the program
// has not received, or for an I/O thread that looks up a name, and its last command comes
// after that, at any time. The price is one look when a command comes to the idle socket.
func (s *Socket) attend() {
	s.attentive = true
	if s.watchIfCan() != nil || !s.watched {
		s.ctx.startWatchdog() // see tendUnwatched
	}
	s.attendLater()
}

// attendAgain is the time between looks at an attentive socket that has messages to
// receive. Behind them is the end of a connection, which no command announces.
const attendAgain = 500 * time.Millisecond

// attendLater makes sure that a look is due. s.mu is held.
func (s *Socket) attendLater() {
	if s.lookDue {
		return
	}
	s.lookDue = true
	time.AfterFunc(attendAgain, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.lookDue = false
		if s.state == stateOpen && s.attends() {
			s.process()
		}
	})
}

// process processes the socket's commands and wakes the waiters that can go on. s.mu is
// held.
func (s *Socket) process() {
	events := s.events()
	s.inexact.wakeAll()
	s.notify(events)
	if s.attentive && s.receives() && events&libzmq.EventIn != 0 {
		s.attendLater()
	}
}

// attends reports whether the watcher is to process the socket's commands. A program
// that was given the descriptor waits for the signal, and must not lose it.
func (s *Socket) attends() bool { return s.waiting() > 0 || s.attentive && !s.fdGiven }

// tendUnwatched stands in for a watcher that attend could not start because no
// descriptor was left. s.mu is held.
func (s *Socket) tendUnwatched() bool {
	if !s.attentive || s.watched || s.state != stateOpen {
		return false
	}
	s.attend()
	s.process()
	return true
}

// closesPeer reports whether a request sends, or may send, the empty part with which a raw
// socket closes a peer's connection. It looks before the send, which empties native parts.
func (r *request) closesPeer() bool {
	switch r.kind {
	case sendOne:
		return len(r.part) == 0
	case sendParts:
		return len(r.parts[len(r.parts)-1]) == 0
	case sendList:
		return r.out.lens[len(r.out.lens)-1] <= 0
	case sendMsgs:
		return r.msgs[len(r.msgs)-1].Len() == 0
	case sendPrefixed:
		return r.msg.Len() == 0
	}
	return r.kind == sendBatch
}

// unwatch ends the watching, unless a goroutine waits, the watcher attends to the socket,
// or the program was given the descriptor. The
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
		if s.attends() {
			s.process()
		}
		return false
	})
}
