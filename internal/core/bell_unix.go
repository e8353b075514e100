//go:build unix

package core

import (
	"errors"
	"os"
	"syscall"
)

// bell is a pipe to which C code writes a byte when memory was given back.
type bell struct{ reader, writer *os.File }

// openBell also returns the descriptor to write to.
func openBell() (b bell, fd int, err error) {
	if b.reader, b.writer, err = os.Pipe(); err != nil {
		errno := syscall.EMFILE
		errors.As(err, &errno)
		return b, 0, &Fault{errno, "no file descriptors are left for the pipe that reports released memory; raise the limit (ulimit -n) or close some"}
	}
	conn, err := b.writer.SyscallConn()
	if err == nil {
		err = conn.Control(func(n uintptr) { fd = int(n) })
	}
	if err != nil {
		b.close()
	}
	return b, fd, err
}

// wait waits for a byte, and reads all.
func (b bell) wait() error {
	var buf [64]byte
	_, err := b.reader.Read(buf[:])
	return err
}

func (b bell) close() {
	b.reader.Close()
	b.writer.Close()
}
