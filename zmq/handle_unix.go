//go:build unix

package zmq

import (
	"errors"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// handle is a descriptor as package syscall takes it.
type handle = int

// earlierErrno is no error number, see unfinished.
const earlierErrno = ^syscall.Errno(0)

func closeHandle(fd handle) { _ = syscall.Close(fd) }

// listeningSocket reports whether fd is a UNIX domain socket. It returns an error unless fd is
// a listening stream socket.
func listeningSocket(fd int) (unix bool, err error) {
	listens, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_ACCEPTCONN)
	if err != nil {
		return false, err
	}
	if listens == 0 {
		return false, errors.New("it does not listen")
	}
	kind, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_TYPE)
	if err != nil {
		return false, err
	}
	if kind != syscall.SOCK_STREAM {
		return false, errors.New("it is not a stream socket")
	}
	address, err := syscall.Getsockname(fd)
	if err != nil {
		return false, err
	}
	switch address.(type) {
	case *syscall.SockaddrInet4, *syscall.SockaddrInet6:
		return false, nil
	case *syscall.SockaddrUnix:
		return true, nil
	}
	return false, errors.New("it is neither a TCP nor a UNIX domain socket")
}

// duplicate returns a copy of fd that child processes do not inherit. It makes the socket
// behind fd non-blocking, because an I/O thread could otherwise block in accept.
func duplicate(fd int) (int, error) {
	dup := libzmq.Dup(fd)
	if dup < 0 {
		return -1, syscall.Errno(-dup)
	}
	if err := syscall.SetNonblock(dup, true); err != nil {
		syscall.Close(dup)
		return -1, err
	}
	return dup, nil
}
