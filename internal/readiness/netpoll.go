//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !zmq_poll_portable

package readiness

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
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
	// Such a descriptor never blocks, but Go adds it to its netpoller only if the flag is
	// set. For a kqueue the kernel sets the flag and reports an error nevertheless.
	_ = syscall.SetNonblock(fd, true)
	p.file, p.notify = os.NewFile(uintptr(fd), name), notify
	// NewFile does not report whether the netpoller accepted the descriptor. SetDeadline
	// does.
	if err := p.file.SetDeadline(time.Time{}); err != nil {
		return errors.Join(errors.New("the runtime cannot wait for this descriptor; build with the tag zmq_poll_portable"), err, p.file.Close())
	}
	return nil
}

// Arm makes the next descriptor that becomes ready call notify. It does not wait. One that is
// ready already may not call it, so the caller calls Ready after Arm.
func (p *netpoll) Arm() {
	p.armed.Store(true)
	p.start.Do(func() {
		conn, _ := p.file.SyscallConn() // fails only for a nil File
		// Read returns an error when the descriptor is closed, which ends the goroutine.
		go func() { _ = conn.Read(p.woken) }()
	})
}

func (p *netpoll) woken(uintptr) bool {
	if p.armed.Swap(false) {
		p.notify()
	}
	return false
}

// Close frees the set. It waits for a running call of notify to return.
func (p *netpoll) Close() error { return p.file.Close() }
