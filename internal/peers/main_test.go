package peers

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// A rival's own leaks are its users' trouble; that they are known is noted here.
func TestMain(m *testing.M) {
	if name := os.Getenv(cellVariable); name != "" {
		os.Exit(runCell(name))
	}
	goleak.VerifyTestMain(m,
		// go-zeromq/zmq4's PUB ends its goroutine when its writer is closed, which
		// closing the socket does not do.
		goleak.IgnoreAnyFunction("github.com/go-zeromq/zmq4.(*pubMWriter).run"),
		// Its connections over inproc are read from for ever.
		goleak.IgnoreAnyFunction("github.com/go-zeromq/zmq4/internal/inproc.(*conn).read"),
	)
}
