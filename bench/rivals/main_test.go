package rivals

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// The tests fail if a goroutine leaks, except for the known leaks of the rivals.
func TestMain(m *testing.M) {
	if name := os.Getenv(cellVariable); name != "" {
		os.Exit(runCell(name))
	}
	goleak.VerifyTestMain(m,
		// Closing a PUB of go-zeromq/zmq4 does not close its writer, so its goroutine does
		// not end.
		goleak.IgnoreAnyFunction("github.com/go-zeromq/zmq4.(*pubMWriter).run"),
		// The goroutines that read from its inproc connections never end.
		goleak.IgnoreAnyFunction("github.com/go-zeromq/zmq4/internal/inproc.(*conn).read"),
	)
}
