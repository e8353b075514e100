package lending

import (
	"syscall"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// bell is a waker that C code wakes when memory was given back.
type bell struct{ waker libzmq.Waker }

// openBell also returns the descriptor of the waker.
func openBell() (b bell, fd int, err error) {
	waker, rc := libzmq.OpenWaker()
	if rc < 0 {
		return b, 0, fault.New(syscall.Errno(-rc), "no socket is left to report released memory; close some sockets")
	}
	return bell{waker}, int(waker), nil
}

// wait blocks a thread until the waker is woken.
func (b bell) wait() error {
	if rc := b.waker.Wait(); rc < 0 {
		return syscall.Errno(-rc)
	}
	return nil
}

func (b bell) close() { b.waker.Close() }
