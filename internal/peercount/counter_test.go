package peercount

import (
	"maps"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// An ended connection counts until all of its messages are certain to be received, and no longer.
func TestEndsAreForgotten(t *testing.T) {
	t.Parallel()
	var c Counter
	c.AddInproc(1)
	require.False(t, c.HaveEnded())
	c.Settled(0)
	c.AddInproc(-1)
	require.True(t, c.HaveEnded())
	c.Settled(time.Hour)
	require.True(t, c.HaveEnded(), "its last messages may be on their way")
	for begun := time.Now(); time.Since(begun) == 0; { // a clock may be coarse
	}
	c.Settled(0)
	require.False(t, c.HaveEnded())
	c.Miss(syscall.EMFILE)
	c.Settled(0)
	require.True(t, c.HaveEnded(), "unseen, perhaps")
}

// FuzzMonitorHistory gives a Counter any reports in any order: it does not fail, never counts
// fewer than none, and forgets all when the endpoints go.
func FuzzMonitorHistory(f *testing.F) {
	seed := func(events ...byte) []byte { return events }
	// Of each event: its bit, the descriptor, the endpoint.
	f.Add(seed(3, 9, 0, 5, 10, 0, 12, 10, 0, 9, 10, 0))
	f.Add(seed(12, 10, 0, 3, 9, 0, 5, 10, 0, 9, 10, 0, 9, 10, 0))
	f.Add(seed(0, 7, 1, 12, 7, 1, 9, 7, 1, 0, 7, 1, 12, 7, 1))
	f.Add(seed(5, 7, 1, 13, 7, 1, 9, 7, 1, 5, 7, 2, 12, 7, 2))
	f.Add(seed(12, 1, 3, 12, 1, 3, 12, 1, 3, 9, 1, 3))
	f.Fuzz(func(t *testing.T, history []byte) {
		endpoints := []string{"tcp://127.0.0.1:1", "tcp://0.0.0.0:2", "ipc:///x", "ws://127.0.0.1:3/", ""}
		var c Counter
		given := 0
		for ; len(history) >= 3; history = history[3:] {
			e := libzmq.MonitorEvent{Event: 1 << (history[0] % 16), Value: int32(int8(history[1]))}
			e.Endpoint = endpoints[int(history[2])%len(endpoints)]
			c.Note(&e)
			given++
			peers, _, _ := c.Look()
			require.GreaterOrEqual(t, peers, 0)
			require.LessOrEqual(t, peers, given)
		}
		for _, at := range slices.Collect(maps.Keys(c.at)) {
			c.Detach(at)
		}
		peers, _, _ := c.Look()
		require.Zero(t, peers)
		require.Empty(t, c.fds)
	})
}
