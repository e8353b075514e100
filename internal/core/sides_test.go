package core

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

const here, there = "tcp://127.0.0.1:5555", "tcp://127.0.0.1:40000"

// second makes an event of the second version of libzmq's reports.
func second(event uint64, fd int32, local, remote string) *MonitorEvent {
	return &MonitorEvent{Event: event, Value: fd, Values: []uint64{uint64(fd)}, Local: local, Remote: remote}
}

// tracked returns a track, and what a monitor of it has been given since the last call.
func tracked() (t *track, told func() []string) {
	t = &track{links: &links{}}
	m := &Monitor{track: t, mask: libzmq.MonitorAll}
	t.monitors = []*Monitor{m}
	return t, func() (list []string) {
		for _, e := range m.queue {
			list = append(list, fmt.Sprintf("%#x %s", e.Event, e.Endpoint))
		}
		m.queue = nil
		return list
	}
}

func peersOf(t *track) int {
	n, _, _ := t.links.look()
	return n
}

// A handshake that is reported before the connection was accepted counts, and comes
// behind it, at the endpoint that was bound.
func TestEventsOfSeveralIOThreads(t *testing.T) {
	t.Parallel()
	for _, listener := range []string{here, "tcp://0.0.0.0:5555"} {
		k, told := tracked()
		k.handOut(second(libzmq.MonitorListening, 3, listener, ""))
		require.Equal(t, []string{"0x8 " + listener}, told())
		k.handOut(second(libzmq.MonitorSucceeded, 0, here, there))
		require.Empty(t, told())
		require.Zero(t, peersOf(k))
		k.handOut(second(libzmq.MonitorAccepted, 7, here, there))
		require.Equal(t, []string{"0x20 " + here, "0x1000 " + here}, told())
		require.Equal(t, 1, peersOf(k))
		k.handOut(second(libzmq.MonitorDisconnected, 7, here, there))
		require.Equal(t, []string{"0x200 " + here}, told())
		require.Zero(t, peersOf(k))

		// The whole of a short life comes before its beginning.
		k.handOut(second(libzmq.MonitorSucceeded, 0, here, there))
		k.handOut(second(libzmq.MonitorDisconnected, 8, here, there))
		k.handOut(second(libzmq.MonitorAccepted, 8, here, there))
		require.Equal(t, []string{"0x20 " + here, "0x1000 " + here, "0x200 " + here}, told())
		require.Zero(t, peersOf(k))
		require.Empty(t, k.sides.accepted)
		require.Empty(t, k.sides.waiting)

		// The connections that the socket makes itself are not those of its listener.
		k.handOut(second(libzmq.MonitorConnected, 9, "tcp://127.0.0.1:40001", there))
		k.handOut(second(libzmq.MonitorSucceeded, 0, "tcp://127.0.0.1:40001", there))
		require.Equal(t, []string{"0x1 " + there, "0x1000 " + there}, told())
		require.Equal(t, 1, peersOf(k))

		// Nothing waits for a listener that has gone.
		k.handOut(second(libzmq.MonitorSucceeded, 0, here, there))
		k.sides.forget(listener)
		require.Empty(t, k.sides.waiting)
		k.handOut(second(libzmq.MonitorNoDetail, 0, here, there))
		require.Len(t, told(), 1)
	}
}

// With several I/O threads every connection counts, however its events were ordered.
func TestWaitPeersWithIOThreads(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	c := newContext(t)
	require.NoError(t, c.SetOption(libzmq.CtxIOThreads, 4))
	router := newTestSocket(t, c, libzmq.Router, 0)
	m, err := router.Monitor(libzmq.MonitorAll)
	require.NoError(t, err)
	require.NoError(t, router.Bind("tcp://127.0.0.1:*"))
	const peers = 50
	var dealers []*Socket
	for range peers {
		dealer := newTestSocket(t, c, libzmq.Dealer, 0)
		require.NoError(t, dealer.Connect(router.Endpoint()))
		dealers = append(dealers, dealer)
	}
	require.NoError(t, router.WaitPeers(ctx, peers))
	for _, dealer := range dealers {
		require.NoError(t, dealer.WaitPeers(ctx, 1))
		require.NoError(t, dealer.Close())
	}
	accepted, succeeded, ended := 0, 0, 0
	for ended < peers {
		e, err := m.Next(ctx, false)
		require.NoError(t, err)
		require.Equal(t, router.Endpoint(), e.Endpoint)
		switch e.Event {
		case libzmq.MonitorAccepted:
			accepted++
		case libzmq.MonitorSucceeded:
			succeeded++
			if libzmq.MonitorVersioned() {
				require.LessOrEqual(t, succeeded, accepted)
			}
		case libzmq.MonitorDisconnected:
			ended++
		}
	}
	require.Zero(t, router.Stats().Peers)
}
