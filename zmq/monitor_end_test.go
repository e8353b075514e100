package zmq_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// With DontWait, Next returns what libzmq has reported, and ErrAgain if that is nothing.
func TestMonitorNextDontWait(t *testing.T) {
	t.Parallel()
	networks(t, func(t *testing.T, endpoint string) {
		ctx := context.Background()
		zctx := newContext(t)
		s := newSocket(t, zctx, zmq.Pull)
		m := monitor(t, s, zmq.EventListening|zmq.EventMonitorStopped)
		none := func() {
			t.Helper()
			_, err := m.Next(ctx, zmq.DontWait)
			require.ErrorIs(t, err, zmq.ErrAgain)
			require.ErrorIs(t, err, syscall.EAGAIN)
		}
		none()
		none()
		for range 50 {
			// Bind reports before it returns, so the event is there.
			require.NoError(t, s.Bind(endpoint))
			e := noErr(m.Next(ctx, zmq.DontWait))(t)
			require.Equal(t, zmq.EventListening, e.Event)
			require.Equal(t, last(t, s), e.Endpoint)
			none()
			require.NoError(t, s.Unbind(last(t, s)))
		}
		done := cancelled()
		require.ErrorIs(t, errOf(m.Next(done, zmq.DontWait)), context.Canceled)
		require.NoError(t, s.Close())
		require.Equal(t, zmq.EventMonitorStopped, noErr(m.Next(ctx, zmq.DontWait))(t).Event)
		require.ErrorIs(t, errOf(m.Next(ctx, zmq.DontWait)), zmq.ErrClosed)
	})
}

func TestProtocolErrors(t *testing.T) {
	t.Parallel()
	for p, name := range map[zmq.ProtocolError]string{
		0:                                      "NONE",
		7:                                      "0x7",
		zmq.ProtocolErrorZMTPUnspecified:       "ZMTP_UNSPECIFIED",
		zmq.ProtocolErrorZMTPUnexpectedCommand: "ZMTP_UNEXPECTED_COMMAND",
		zmq.ProtocolErrorZMTPInvalidSequence:   "ZMTP_INVALID_SEQUENCE",
		zmq.ProtocolErrorZMTPKeyExchange:       "ZMTP_KEY_EXCHANGE",
		zmq.ProtocolErrorZMTPMalformedCommandUnspecified: "ZMTP_MALFORMED_COMMAND_UNSPECIFIED",
		zmq.ProtocolErrorZMTPMalformedCommandMessage:     "ZMTP_MALFORMED_COMMAND_MESSAGE",
		zmq.ProtocolErrorZMTPMalformedCommandHello:       "ZMTP_MALFORMED_COMMAND_HELLO",
		zmq.ProtocolErrorZMTPMalformedCommandInitiate:    "ZMTP_MALFORMED_COMMAND_INITIATE",
		zmq.ProtocolErrorZMTPMalformedCommandError:       "ZMTP_MALFORMED_COMMAND_ERROR",
		zmq.ProtocolErrorZMTPMalformedCommandReady:       "ZMTP_MALFORMED_COMMAND_READY",
		zmq.ProtocolErrorZMTPMalformedCommandWelcome:     "ZMTP_MALFORMED_COMMAND_WELCOME",
		zmq.ProtocolErrorZMTPInvalidMetadata:             "ZMTP_INVALID_METADATA",
		zmq.ProtocolErrorZMTPCryptographic:               "ZMTP_CRYPTOGRAPHIC",
		zmq.ProtocolErrorZMTPMechanismMismatch:           "ZMTP_MECHANISM_MISMATCH",
		zmq.ProtocolErrorZAPUnspecified:                  "ZAP_UNSPECIFIED",
		zmq.ProtocolErrorZAPMalformedReply:               "ZAP_MALFORMED_REPLY",
		zmq.ProtocolErrorZAPBadRequestID:                 "ZAP_BAD_REQUEST_ID",
		zmq.ProtocolErrorZAPBadVersion:                   "ZAP_BAD_VERSION",
		zmq.ProtocolErrorZAPInvalidStatusCode:            "ZAP_INVALID_STATUS_CODE",
		zmq.ProtocolErrorZAPInvalidMetadata:              "ZAP_INVALID_METADATA",
		zmq.ProtocolErrorWSUnspecified:                   "WS_UNSPECIFIED",
	} {
		require.Equal(t, name, p.String())
	}
	// As zmq.h numbers them; the first of each kind, and the last.
	require.EqualValues(t, 0x10000000, zmq.ProtocolErrorZMTPUnspecified)
	require.EqualValues(t, 0x10000011, zmq.ProtocolErrorZMTPMalformedCommandUnspecified)
	require.EqualValues(t, 0x10000018, zmq.ProtocolErrorZMTPInvalidMetadata)
	require.EqualValues(t, 0x11000001, zmq.ProtocolErrorZMTPCryptographic)
	require.EqualValues(t, 0x20000000, zmq.ProtocolErrorZAPUnspecified)
	require.EqualValues(t, 0x20000005, zmq.ProtocolErrorZAPInvalidMetadata)
	require.EqualValues(t, 0x30000000, zmq.ProtocolErrorWSUnspecified)
}

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

// Context.Close returns when the monitors of the sockets that it closed have ended.
func TestMonitorOfContextClose(t *testing.T) {
	t.Parallel()
	networks(t, func(t *testing.T, endpoint string) {
		for range 20 {
			zctx := newContext(t)
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
	zmqtest.NeedIPC(t)
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
		require.Equal(t, "x", recvString(t, pull))
	})
}

// Listeners that were unbound before Close are reported as well. A shutdown or closing the monitor
// ends the wait for them.
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
				require.ErrorIs(t, errOf(m.Next(context.Background())), zmq.ErrClosed)
			}
		}
	})
}

// Another program has removed the directory that libzmq created for an ipc endpoint.
func TestMonitorOfCloseFailed(t *testing.T) {
	t.Parallel()
	zmqtest.NeedIPC(t)
	s := newSocket(t, newContext(t), zmq.Pull)
	m := monitor(t, s, zmq.EventAll)
	require.NoError(t, s.Bind("ipc://*"))
	endpoint := last(t, s)
	require.NoError(t, os.RemoveAll(filepath.Dir(strings.TrimPrefix(endpoint, "ipc://"))))
	require.NoError(t, s.Unbind(endpoint))
	e := until(t, m, zmq.EventClosed|zmq.EventCloseFailed)
	require.Equal(t, zmq.EventCloseFailed, e.Event)
	require.Equal(t, endpoint, e.Endpoint)
	require.Equal(t, -1, e.FD)
	require.ErrorIs(t, e.Err, syscall.ENOENT)
}
