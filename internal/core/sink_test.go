package core

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
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

// Of more events than its queue holds, a monitor keeps the last and counts the others.
func TestMonitorKeepsTheLastEvents(t *testing.T) {
	const extra = 10
	m := newMonitor(new(track), libzmq.MonitorAccepted)
	for i := range int32(MonitorQueue + extra) {
		m.push(&libzmq.MonitorEvent{Event: libzmq.MonitorAccepted, Value: i})
		m.push(&libzmq.MonitorEvent{Event: libzmq.MonitorClosed})
	}
	require.EqualValues(t, extra, m.Dropped())
	require.Len(t, m.queue, MonitorQueue)
	for i := range int32(MonitorQueue) {
		require.Equal(t, i+extra, (<-m.queue).Value)
	}
}
