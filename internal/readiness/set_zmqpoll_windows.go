package readiness

import (
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

type waker struct{ libzmq.Waker }

// openWaker also returns the descriptor to wait for.
func openWaker() (k waker, fd int, err error) {
	w, rc := libzmq.OpenWaker()
	return waker{w}, int(w), errorOf(rc)
}

func (k waker) wake() { k.Wake() }

func (k waker) clear() bool {
	k.Clear()
	return true
}

func (k waker) close() error {
	k.Close()
	return nil
}

func pollItem(fd int, interest Interest) libzmq.PollItem {
	return libzmq.PollItem{FD: fd, Events: asked(interest) &^ libzmq.PollErr}
}

// file identifies nothing here: a socket that was closed, and whose number belongs to
// another socket, is not noticed.
type file struct{}

// fileOf fails if fd is no socket. Windows can wait for nothing else together with sockets.
func fileOf(fd int) (file, error) {
	if _, err := syscall.GetsockoptInt(syscall.Handle(fd), syscall.SOL_SOCKET, soType); err != nil {
		return file{}, syscall.EBADF
	}
	return file{}, nil
}

const soType = 0x1008 // SO_TYPE

// possible refuses urgent data, for which WSAPoll cannot wait.
func possible(interest Interest) error {
	if interest&Pri != 0 {
		return syscall.ENOTSUP
	}
	return nil
}
