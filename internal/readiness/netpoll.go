//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !zmq_poll_portable

package readiness

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// netpoll waits for a kernel's set in Go's netpoller, through the set's own descriptor.
type netpoll struct {
	file   *os.File
	notify func()
	armed  atomic.Bool
	start  sync.Once
}

// open takes ownership of the set's descriptor.
func (p *netpoll) open(fd int, name string, notify func()) error {
	p.file, p.notify = os.NewFile(uintptr(fd), name), notify
	// NewFile does not report whether the netpoller accepted the descriptor. SetDeadline
	// does.
	if err := p.file.SetDeadline(time.Time{}); err != nil {
		return errors.Join(errors.New("the runtime cannot wait for this descriptor; build with the tag zmq_poll_portable"), err, p.file.Close())
	}
	return nil
}

// Arm makes the next descriptor that becomes ready, or has become ready since the last
// Ready, call notify. It does not wait.
func (p *netpoll) Arm() error {
	p.armed.Store(true)
	var err error
	p.start.Do(func() {
		conn, failure := p.file.SyscallConn()
		if failure != nil {
			err = failure
			return
		}
		// Read returns an error when the descriptor is closed, which ends the goroutine.
		go func() { _ = conn.Read(p.woken) }()
	})
	return err
}

func (p *netpoll) woken(uintptr) bool {
	if p.armed.Swap(false) {
		p.notify()
	}
	return false
}

// Close frees the set. It waits for a running call of notify to return.
func (p *netpoll) Close() error { return p.file.Close() }
