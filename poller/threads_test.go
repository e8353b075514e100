//go:build linux && !zmq_poll_portable

package poller_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

func threads(t *testing.T) int {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	require.NoError(t, err)
	return len(tasks)
}

// A waiting Poller holds no thread.
func TestWaitingHoldsNoThread(t *testing.T) {
	zctx := newContext(t)
	const n = 200
	var pollers []*poller.Poller
	for range n {
		p := newPoller(t)
		s := newSocket(t, zctx, zmq.Pull)
		require.NoError(t, p.Add(s, in))
		pollers = append(pollers, p)
	}
	before := threads(t)
	var done []<-chan result
	for _, p := range pollers {
		done = append(done, waiting(t, p, forEver(p)))
	}
	time.Sleep(50 * time.Millisecond) // a thread that is held would be there by now
	during := threads(t)
	for _, p := range pollers {
		require.NoError(t, p.Wake())
	}
	for _, d := range done {
		require.NoError(t, await(t, d, "the end").err)
	}
	require.Less(t, during, before+n/8, "threads while %d pollers wait; %d before", n, before)
}
