//go:build unix

package watch

import (
	"os"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/fault"
)

// Watcher waits for the signals of one socket.
type Watcher struct {
	file *os.File
	fd   int
}

// New starts to wait for a descriptor of libzmq, by a duplicate. With edges, a read that resets the
// descriptor is reported like a signal (K1 in package core).
func New(fd int, edges bool, target Target) (*Watcher, error) {
	own, err := duplicate(fd)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(own), "zmq")
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
	w := &Watcher{file: file, fd: own}
	wait := conn.Read
	if edges {
		wait = conn.Write
	}
	go func() {
		// The only error is that the descriptor was closed, which ends the Watcher.
		_ = wait(func(uintptr) bool { return target.Signaled(w, true) == Over })
	}()
	return w, nil
}

// FD returns the duplicate, which belongs to the Watcher.
func (w *Watcher) FD() int { return w.fd }

// Expect makes the Watcher report the next signal after an Ignored one. On Unix it always does.
func (w *Watcher) Expect() {}

// Close ends the waiting and closes the duplicate. It waits for a call of the Target under way, so
// the caller must not hold a lock that the Target takes.
func (w *Watcher) Close() { w.file.Close() }
