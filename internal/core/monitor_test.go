package core

import (
	"context"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/peertable"
)

// A monitor that finds no place for libzmq's socket leaves nothing behind, and is made
// once there is one.
func TestMonitorWithoutAPlace(t *testing.T) {
	t.Parallel()
	c := newContext(t)
	// The reserve, two sockets, and the sink.
	require.Zero(t, libzmq.SetContextOption(c.handle, libzmq.CtxMaxSockets, 4))
	s, other := newTestSocket(t, c, libzmq.Dealer, 0), newTestSocket(t, c, libzmq.Dealer, 0)
	for range 20 {
		_, err := s.Monitor(libzmq.MonitorListening)
		require.ErrorIs(t, err, syscall.EMFILE)
		require.ErrorContains(t, err, "MaxSockets")
		require.Empty(t, c.inproc.unbound, "a name that is still to be bound")
	}
	require.Empty(t, c.sink.tracks)
	require.NoError(t, other.Close())
	var m *Monitor
	require.Eventually(t, func() bool { // libzmq frees the place on a thread of its own
		var err error
		m, err = s.Monitor(libzmq.MonitorListening)
		return err == nil
	}, 30*time.Second, time.Millisecond)
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	e, err := m.Next(ctx, false)
	require.NoError(t, err)
	require.EqualValues(t, libzmq.MonitorListening, e.Event)
	require.Empty(t, c.inproc.unbound)
}

// Of more events than its queue holds, a monitor keeps the last ones and counts the others. It
// gets the events of its mask, in any order and with any content.
func TestMonitorKeepsTheLastEvents(t *testing.T) {
	const extra = 10
	tr := &track{peers: new(peertable.Table), open: map[int32]string{}}
	all, some := newMonitor(tr, libzmq.MonitorAll), newMonitor(tr, libzmq.MonitorAccepted)
	tr.monitors = []*Monitor{all, some}
	accepted := 0
	for i := range int32(MonitorQueue + extra) {
		e := libzmq.MonitorEvent{Event: 1 << rand.IntN(15), Value: i, Endpoint: "tcp://127.0.0.1:1"}
		if e.Event == libzmq.MonitorAccepted {
			accepted++
		}
		tr.handOut(&e, libzmq.Identity{})
	}
	require.EqualValues(t, extra, all.Dropped())
	require.Len(t, all.queue, MonitorQueue)
	require.Len(t, some.queue, accepted)
	for i := range int32(MonitorQueue) {
		require.Equal(t, i+extra, (<-all.queue).Value)
	}
}
