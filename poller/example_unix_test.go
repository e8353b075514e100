//go:build unix

package poller_test

import (
	"fmt"
	"os"

	"github.com/go-zmq/go-zmq/poller"
)

// A Poller waits for a pipe like for a socket.
func ExamplePoller_AddFD() {
	r, w, err := os.Pipe()
	check(err)
	defer r.Close()
	defer w.Close()
	var fd uintptr
	conn, err := r.SyscallConn() // File.Fd would make the pipe a blocking one
	check(err)
	check(conn.Control(func(f uintptr) { fd = f }))

	p, err := poller.New()
	check(err)
	defer p.Close()
	check(p.AddFD(fd, poller.In))
	_, err = w.WriteString("from a pipe")
	check(err)
	events, err := p.Poll(-1)
	check(err)
	text := make([]byte, 100)
	n, err := r.Read(text)
	check(err)
	fmt.Printf("%v: %s\n", events[0].Events, text[:n])
	check(p.RemoveFD(fd)) // before the pipe is closed
	// Output: In: from a pipe
}
