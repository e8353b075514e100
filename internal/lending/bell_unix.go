//go:build unix

package lending

import (
	"errors"
	"os"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/fault"
)

// bell is a pipe to which C code writes a byte when memory was given back.
type bell struct{ reader, writer *os.File }

// openBell also returns the descriptor to write to.
func openBell() (b bell, fd int, err error) {
	if b.reader, b.writer, err = os.Pipe(); err != nil {
		errno := syscall.EMFILE
		errors.As(err, &errno)
		return b, 0, fault.New(errno, "no file descriptors are left for the pipe that reports released memory; raise the limit (ulimit -n) or close some")
	}
	return b, int(b.writer.Fd()), nil // Fd makes it blocking, but C writes only a few bytes
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
