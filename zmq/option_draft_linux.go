package zmq

import "syscall"

const soBusyPoll = 46

// trySocketOption tries a socket option, which libzmq will set on its connections, on a
// temporary socket.
func trySocketOption(option, value int) error {
	number := syscall.SO_PRIORITY
	if option == numBusyPoll {
		if value == 0 {
			return nil
		}
		number = soBusyPoll
	}
	fd, err := openSocket(syscall.AF_INET, syscall.SOCK_STREAM)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	return syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, number, value)
}
