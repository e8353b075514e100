// Package demo has the set-up that the examples share.
package demo

import (
	"context"
	"errors"
	"log"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/go-zmq/go-zmq/zmq"
)

// limit is the longest time that an example may take.
const limit = 25 * time.Second

// AnyPort is the endpoint of a free port, for Bind.
const AnyPort = "tcp://127.0.0.1:*"

// errDone ends the goroutines of an example when its main function has returned.
var errDone = errors.New("done")

// A Demo is a running example.
type Demo struct {
	Context *zmq.Context // of the sockets that Bind and Connect create

	goroutines *errgroup.Group
	dir        string
}

// Run runs an example with a context of 25 seconds. When the example returns, Run cancels
// the context, waits for the goroutines and closes all sockets. If the example or one of
// its goroutines fails, Run ends the process with status 1.
func Run(example func(context.Context, *Demo) error) {
	dir, err := os.MkdirTemp("", "demo")
	check(err)
	// Linger is 0 because an example that has returned needs no unsent messages.
	zctx, err := zmq.NewContext(zmq.SocketDefaults(zmq.Linger.To(0)))
	check(err)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if err := example(ctx, &Demo{zctx, g, dir}); err != nil {
			return err
		}
		return errDone
	})
	if err = g.Wait(); errors.Is(err, errDone) {
		err = nil
	}
	check(errors.Join(err, zctx.Close(), os.RemoveAll(dir)))
}

// Go runs f in a goroutine. The example fails if f returns an error before the end.
func (d *Demo) Go(f func() error) { d.goroutines.Go(f) }

// Bind creates a socket, binds it, and returns it with its endpoint.
func (d *Demo) Bind(t zmq.SocketType, endpoint string, settings ...zmq.Setting) (*zmq.Socket, string) {
	s, err := d.Context.NewSocket(t, settings...)
	check(err)
	check(s.Bind(endpoint))
	endpoint, err = s.LastEndpoint()
	check(err)
	return s, endpoint
}

// Connect creates a socket and connects it.
func (d *Demo) Connect(t zmq.SocketType, endpoint string, settings ...zmq.Setting) *zmq.Socket {
	s, err := d.Context.NewSocket(t, settings...)
	check(err)
	check(s.Connect(endpoint))
	return s
}

// Path returns the path of a file in a temporary directory.
func (d *Demo) Path(name string) string { return filepath.Join(d.dir, name) }

// IPC returns an endpoint that sockets can be bound to again after they were closed.
func (d *Demo) IPC(name string) string { return "ipc://" + d.Path(name) }

// Message returns a message of strings.
func Message(parts ...string) [][]byte {
	message := make([][]byte, len(parts))
	for i, part := range parts {
		message[i] = []byte(part)
	}
	return message
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
