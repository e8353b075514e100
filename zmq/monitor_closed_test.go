package zmq_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// listeners binds the socket several times and returns the descriptor of each endpoint.
func listeners(t *testing.T, s *zmq.Socket, m *zmq.Monitor, endpoint string) map[int]string {
	t.Helper()
	bound := map[int]string{}
	for range 3 {
		require.NoError(t, s.Bind(endpoint))
		e := until(t, m, zmq.EventListening)
		require.Equal(t, last(t, s), e.Endpoint)
		bound[e.FD] = e.Endpoint
	}
	require.Len(t, bound, 3)
	return bound
}

// requireClosed requires that the events to come are those of the listeners that were
// closed, once each, and the end.
func requireClosed(t *testing.T, m *zmq.Monitor, bound map[int]string) {
	t.Helper()
	closed := map[int]string{}
	stopped := false
	for e, err := range m.Events(soon(t)) {
		require.NoError(t, err)
		require.False(t, stopped, "%v after the last event", e.Event)
		switch e.Event {
		case zmq.EventClosed:
			require.NotContains(t, closed, e.FD)
			closed[e.FD] = e.Endpoint
		case zmq.EventMonitorStopped:
			stopped = true
		default:
			require.Fail(t, "unexpected event", "%v", e.Event)
		}
	}
	require.True(t, stopped, "no last event")
	require.Equal(t, bound, closed)
}

// Socket.Close closes the socket's listeners, and its monitors are told before they end.
func TestMonitorOfSocketClose(t *testing.T) {
	t.Parallel()
	networks(t, func(t *testing.T, endpoint string) {
		zctx := newContext(t)
		for range 20 {
			s := newSocket(t, zctx, zmq.Pull)
			m := monitor(t, s, zmq.EventAll)
			bound := listeners(t, s, m, endpoint)
			require.NoError(t, s.Close())
			requireClosed(t, m, bound)
		}
	})
}

// Context.Close returns when the monitors of the sockets that it closed have ended.
func TestMonitorOfContextClose(t *testing.T) {
	t.Parallel()
	networks(t, func(t *testing.T, endpoint string) {
		for range 20 {
			zctx, err := zmq.NewContext()
			require.NoError(t, err)
			var monitors []*zmq.Monitor
			var bounds []map[int]string
			for range 3 {
				s := newSocket(t, zctx, zmq.Pull)
				m := monitor(t, s, zmq.EventAll)
				monitors, bounds = append(monitors, m), append(bounds, listeners(t, s, m, endpoint))
			}
			require.NoError(t, zctx.Close())
			for i, m := range monitors {
				requireClosed(t, m, bounds[i])
			}
		}
	})
}

// The listeners are closed at once, and the monitor ends then, however long the socket's
// messages linger.
func TestMonitorOfSocketCloseEndsBeforeLinger(t *testing.T) {
	t.Parallel()
	networks(t, func(t *testing.T, endpoint string) {
		zctx := newContext(t)
		absent := "ipc://" + filepath.Join(t.TempDir(), "absent")
		s := newSocket(t, zctx, zmq.Push, zmq.Linger.To(3*patience/2), zmq.ReconnectInterval.To(time.Millisecond))
		m := monitor(t, s, zmq.EventListening|zmq.EventClosed|zmq.EventMonitorStopped)
		bound := listeners(t, s, m, endpoint)
		require.NoError(t, s.Connect(absent))
		require.NoError(t, s.SendString(context.Background(), "x"))
		require.NoError(t, s.Close())
		for e, err := range m.Events(soon(t)) {
			require.NoError(t, err)
			if e.Event == zmq.EventClosed { // also of attempts to connect
				delete(bound, e.FD)
			}
		}
		require.Empty(t, bound)
		pull := newSocket(t, zctx, zmq.Pull)
		require.NoError(t, pull.Bind(absent))
		text, err := pull.RecvString(soon(t))
		require.NoError(t, err)
		require.Equal(t, "x", text)
	})
}

// What was unbound before Close is reported as well, and a shutdown, or closing the
// monitor, ends the wait for it.
func TestMonitorEndsWhileListenersClose(t *testing.T) {
	t.Parallel()
	networks(t, func(t *testing.T, endpoint string) {
		for _, test := range []struct {
			all bool // events come
			end func(zctx *zmq.Context, m *zmq.Monitor) error
		}{
			{true, func(*zmq.Context, *zmq.Monitor) error { return nil }},
			{true, func(zctx *zmq.Context, _ *zmq.Monitor) error { return zctx.Close() }},
			{false, func(_ *zmq.Context, m *zmq.Monitor) error { return m.Close() }},
			{false, func(zctx *zmq.Context, _ *zmq.Monitor) error { return zctx.Shutdown() }},
		} {
			for range 10 {
				zctx := newContext(t)
				s := newSocket(t, zctx, zmq.Pull)
				m := monitor(t, s, zmq.EventAll)
				bound := listeners(t, s, m, endpoint)
				require.NoError(t, s.Unbind(last(t, s)))
				require.NoError(t, s.Close())
				require.NoError(t, test.end(zctx, m))
				var final zmq.MonitorEvent
				for e, err := range m.Events(soon(t)) {
					require.NoError(t, err)
					final = e
					if e.Event == zmq.EventClosed {
						require.Contains(t, bound, e.FD)
						delete(bound, e.FD)
					}
				}
				require.Equal(t, zmq.EventMonitorStopped, final.Event)
				require.True(t, len(bound) == 0 || !test.all, "not reported: %v", bound)
				_, err := m.Next(context.Background())
				require.ErrorIs(t, err, zmq.ErrClosed)
			}
		}
	})
}
