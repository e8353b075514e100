package peertable

import (
	"fmt"
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
	var c Table
	c.JoinInproc(Peer{ID: 1})
	require.False(t, c.HaveEnded())
	c.Settled(0)
	c.LeaveInproc(1, Ended)
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

// FuzzMonitorHistory gives a Table any reports in any order: it does not fail, never counts
// fewer than none, and forgets all when the endpoints go.
func FuzzMonitorHistory(f *testing.F) {
	seed := func(events ...byte) []byte { return events }
	// Of each event: its bit, the descriptor, the endpoint.
	f.Add(seed(3, 9, 0, 5, 10, 0, 12, 10, 0, 9, 10, 0))
	f.Add(seed(12, 10, 0, 3, 9, 0, 5, 10, 0, 9, 10, 0, 9, 10, 0))
	f.Add(seed(0, 7, 1, 12, 7, 1, 9, 7, 1, 0, 7, 1, 12, 7, 1))
	f.Add(seed(5, 7, 1, 13, 7, 1, 9, 7, 1, 5, 7, 2, 12, 7, 2))
	f.Add(seed(12, 1, 3, 12, 1, 3, 12, 1, 3, 9, 1, 3))
	f.Add(seed(15, 1, 5, 0, 0, 5, 12, 7, 5, 9, 0, 5, 5, 34, 0, 0, 9, 0))
	f.Add(seed(15, 1, 5, 0, 7, 5, 12, 7, 5, 9, 7, 5, 0, 7, 0, 12, 7, 0))
	f.Add(seed(15, 1, 6, 0, 7, 6, 12, 7, 6, 12, 7, 6, 9, 7, 6, 12, 7, 3, 0, 7, 3, 12, 7, 3))
	f.Fuzz(func(t *testing.T, history []byte) {
		endpoints := []string{"tcp://127.0.0.1:1", "tcp://0.0.0.0:2", "ipc:///x", "ws://127.0.0.1:3/", "", "tcp://localhost:1", "ws://localhost:3"}
		var c Table
		given := 0
		for ; len(history) >= 3; history = history[3:] {
			e := libzmq.MonitorEvent{Event: 1 << (history[0] % 16), Value: int32(int8(history[1]))}
			e.Endpoint = endpoints[int(history[2])%len(endpoints)]
			if history[0]%16 == 15 { // no event
				if undo := c.Attach(e.Endpoint); history[1]%2 == 0 {
					undo()
				}
				continue
			}
			c.Note(&e, libzmq.Identity{})
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
		require.Empty(t, c.conns)
		require.Empty(t, c.also)
	})
}

// script gives a Table events of connections, such as "connected 7 tcp://localhost:1".
func script(t *testing.T, c *Table, events ...string) {
	t.Helper()
	kinds := map[string]uint64{
		"connected": libzmq.MonitorConnected, "accepted": libzmq.MonitorAccepted,
		"succeeded": libzmq.MonitorSucceeded, "disconnected": libzmq.MonitorDisconnected,
	}
	for _, event := range events {
		var kind, endpoint string
		var fd int32
		_, err := fmt.Sscan(event, &kind, &fd, &endpoint)
		require.NoError(t, err)
		require.Contains(t, kinds, kind)
		c.Note(&libzmq.MonitorEvent{Event: kinds[kind], Value: fd, Endpoint: endpoint}, libzmq.Identity{})
	}
}

func requireTotals(t *testing.T, c *Table, peers int, reconnects uint64) {
	t.Helper()
	gotPeers, gotReconnects := c.Totals()
	require.Equal(t, peers, gotPeers)
	require.Equal(t, reconnects, gotReconnects)
}

// libzmq reports the first connection to a host name at that name, and further ones at the address.
func TestResolvedEndpoints(t *testing.T) {
	for name, endpoint := range map[string]string{"name": "tcp://localhost:1", "source": "tcp://127.0.0.1:0;127.0.0.1:1"} {
		for order, again := range map[string][]string{
			"usual":           {"connected 8 tcp://127.0.0.1:1", "succeeded 0 tcp://127.0.0.1:1"},
			"handshake first": {"succeeded 0 tcp://127.0.0.1:1", "connected 8 tcp://127.0.0.1:1"},
		} {
			t.Run(name+"/"+order, func(t *testing.T) {
				var c Table
				c.Attach(endpoint)
				script(t, &c, "connected 7 "+endpoint, "succeeded 0 "+endpoint)
				requireTotals(t, &c, 1, 0)
				for reconnects := range uint64(3) {
					script(t, &c, "disconnected 7 "+endpoint, "disconnected 8 tcp://127.0.0.1:1")
					requireTotals(t, &c, 0, reconnects)
					script(t, &c, again...)
					requireTotals(t, &c, 1, reconnects+1)
				}
				c.Detach(endpoint)
				requireTotals(t, &c, 0, 3)
				require.Empty(t, c.also)
			})
		}
	}
}

// Connections to addresses that the user has connected to are not those of a name.
func TestAttachedAddresses(t *testing.T) {
	var c Table
	c.Attach("tcp://localhost:1")
	script(t, &c, "connected 7 tcp://localhost:1", "succeeded 0 tcp://localhost:1", "disconnected 7 tcp://localhost:1")
	c.Attach("tcp://127.0.0.2:1")
	script(t, &c, "connected 8 tcp://127.0.0.2:1", "succeeded 0 tcp://127.0.0.2:1")
	requireTotals(t, &c, 1, 0)
	c.Detach("tcp://localhost:1")
	requireTotals(t, &c, 1, 0)
	c.Detach("tcp://127.0.0.2:1")
	requireTotals(t, &c, 0, 0)

	c.Attach("tcp://localhost:1")() // the connect failed
	script(t, &c, "connected 9 tcp://127.0.0.1:1", "succeeded 0 tcp://127.0.0.1:1")
	requireTotals(t, &c, 1, 0)
}

// An Unbind of a wildcard ends the connections that it accepted, and no others.
func TestWildcards(t *testing.T) {
	for bound, at := range map[string]string{
		"tcp://0.0.0.0:1": "tcp://127.0.0.1:1", "tcp://[::]:1": "tcp://[::1]:1",
		"ws://0.0.0.0:1/": "ws://127.0.0.1:1/", "wss://[::]:1/p": "wss://[::1]:1/p",
	} {
		t.Run(bound, func(t *testing.T) {
			var c Table
			c.Attach("tcp://10.0.0.1:1")
			script(t, &c, "accepted 7 "+at, "succeeded 0 "+at, "succeeded 0 "+at,
				"connected 8 tcp://10.0.0.1:1", "succeeded 0 tcp://10.0.0.1:1", "accepted 9 tcp://127.0.0.1:11", "succeeded 0 tcp://127.0.0.1:11")
			c.Detach(bound)
			requireTotals(t, &c, 2, 0)
		})
	}
}

// libzmq may connect once more after a disconnect, to send the messages that linger, and does not
// report when that connection ends.
func TestConnectionsAfterADetach(t *testing.T) {
	const name, address, other = "tcp://localhost:1", "tcp://127.0.0.1:1", "tcp://127.0.0.1:2"
	var c Table
	c.Attach(other)
	c.Attach(name)
	script(t, &c, "connected 7 "+name, "succeeded 0 "+name, "disconnected 7 "+name, "connected 7 "+address, "succeeded 0 "+address)
	c.Detach(name)
	for _, endpoint := range []string{name, address} {
		script(t, &c, "disconnected 7 "+endpoint, "connected 8 "+endpoint, "succeeded 0 "+endpoint)
		requireTotals(t, &c, 0, 1)
	}
	script(t, &c, "connected 9 "+other, "succeeded 0 "+other)
	requireTotals(t, &c, 1, 1)
	require.Len(t, c.at, 1)

	c.Attach("tcp://127.0.0.1:4")()
	c.Listen("tcp://127.0.0.1:4")
	script(t, &c, "connected 8 "+address, "succeeded 0 "+address)
	requireTotals(t, &c, 1, 1)

	c.Attach(name)
	script(t, &c, "connected 10 "+name, "succeeded 0 "+name)
	requireTotals(t, &c, 2, 1)
	c.Detach(name)

	c.Detach("tcp://0.0.0.0:3") // unbound during a handshake
	accepted := []string{"accepted 11 tcp://10.0.0.1:3", "succeeded 0 tcp://10.0.0.1:3"}
	script(t, &c, accepted...)
	requireTotals(t, &c, 1, 1)
	c.Listen("tcp://*:3")
	script(t, &c, accepted...)
	requireTotals(t, &c, 2, 1)
	c.Detach("tcp://0.0.0.0:3")
	c.Listen("tcp://*:*") // any port, perhaps the same
	script(t, &c, accepted...)
	requireTotals(t, &c, 2, 1)
}

// A connect that failed leaves nothing behind.
func TestFailedConnects(t *testing.T) {
	var c Table
	c.Attach("tcp://127.0.0.1:1")()
	require.Empty(t, c.at)
	c.Attach("tcp://127.0.0.1:1")
	c.Attach("tcp://127.0.0.1:1")() // the first one stays
	require.Len(t, c.at, 1)
	require.True(t, c.at["tcp://127.0.0.1:1"].attached)
}
