//go:build unix && (zmq_poll_portable || !(linux || darwin || dragonfly || freebsd || netbsd || openbsd))

package readiness

import (
	"errors"
	"os"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// waker is a pipe. It never holds more than one byte, so a write does not block.
type waker struct{ r, w *os.File }

// openWaker also returns the descriptor to wait for.
func openWaker() (k waker, fd int, err error) {
	if k.r, k.w, err = os.Pipe(); err != nil {
		return k, 0, err
	}
	// Fd makes reads block. The waker is read only when it is readable.
	return k, int(k.r.Fd()), nil
}

func (k waker) wake() { _, _ = k.w.Write([]byte{0}) }

func (k waker) clear() bool {
	var b [1]byte
	_, err := k.r.Read(b[:])
	return err == nil
}

func (k waker) close() error { return errors.Join(k.r.Close(), k.w.Close()) }

func pollItem(fd int, interest Interest) libzmq.PollItem {
	return libzmq.PollItem{FD: int32(fd), Events: asked(interest)}
}

// file identifies the file of a descriptor, as far as the system can.
type file struct{ device, inode uint64 }

// fileOf returns the file of a descriptor. It fails if the descriptor does not exist or
// cannot be waited for.
func fileOf(fd int) (file, error) {
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return file{}, err
	}
	if kind := st.Mode & syscall.S_IFMT; kind == syscall.S_IFREG || kind == syscall.S_IFDIR {
		return file{}, syscall.EPERM
	}
	return file{uint64(st.Dev), uint64(st.Ino)}, nil
}

// possible reports whether an interest can be waited for.
func possible(Interest) error { return nil }
