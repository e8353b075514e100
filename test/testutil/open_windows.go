package testutil

import "syscall"

const soType = 0x1008 // SO_TYPE

// Open returns an error unless the socket is open.
func Open(fd int) error {
	_, err := syscall.GetsockoptInt(syscall.Handle(fd), syscall.SOL_SOCKET, soType)
	return err
}
