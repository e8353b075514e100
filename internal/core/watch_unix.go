//go:build unix

package core

import (
	"os"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/fault"
)

// followed is a descriptor in Go's netpoller.
type followed = os.File

// follow starts a watcher for the descriptor, and owns the descriptor.
func (s *Socket) follow(fd int) (*followed, error) {
	file := os.NewFile(uintptr(fd), "zmq")
	// NewFile does not report whether the netpoller accepted the file. SetDeadline does.
	if err := file.SetDeadline(time.Time{}); err != nil {
		file.Close()
		return nil, fault.New(syscall.ENOTSUP, "the runtime cannot wait for this socket's descriptor")
	}
	conn, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return nil, err
	}
	go s.watcher(conn)
	return file, nil
}

// watcher wakes waiters when the descriptor reports an event. It ends when the descriptor
// is closed.
func (s *Socket) watcher(conn syscall.RawConn) {
	wait := conn.Read
	if seesThefts {
		wait = conn.Write
	}
	// The only error is that the descriptor was closed, which ends the watcher.
	_ = wait(func(uintptr) bool {
		h := s.lock.Lock()
		defer s.lock.Unlock()
		return h.woken()
	})
}

// expect has nothing to do: on Unix the watcher always waits.
func (s *held) expect() {}
