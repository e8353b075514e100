package zmq

import (
	"errors"
	"syscall"
)

// handle is a socket as package syscall takes it.
type handle = syscall.Handle

// earlierErrno was seen under wine for a handshake that took too long, see unfinished.
const earlierErrno = syscall.EINVAL

func closeHandle(fd handle) { _ = syscall.Closesocket(fd) }

// reusePort is SO_REUSEADDR, which lets several sockets bind a port here.
const reusePort = syscall.SO_REUSEADDR

var errUseFD = errors.New("UseFD is not supported on Windows")

func listeningSocket(int) (unix bool, err error) { return false, errUseFD }

func duplicate(int) (handle, error) { return 0, errUseFD }
