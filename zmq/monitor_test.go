package zmq_test

import (
	"context"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// patience bounds what a test waits for; nothing takes as long.
const patience = 20 * time.Second

func soon(t testing.TB) context.Context {
	ctx := timeout(t, patience)
	return ctx
}

func TestMonitorOfAConnection(t *testing.T) {
	t.Parallel()
	networks(t, func(t *testing.T, endpoint string) {
		zctx := newContext(t)
		pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
		bound, connected := monitor(t, pull, zmq.EventAll), monitor(t, push, zmq.EventAll)
		connect(t, pull, push, endpoint)
		actual := last(t, pull)

		e := until(t, bound, zmq.EventListening)
		require.Equal(t, actual, e.Endpoint)
		require.Positive(t, e.FD)
		require.NoError(t, e.Err)
		e = until(t, bound, zmq.EventAccepted)
		require.Equal(t, actual, e.Endpoint)
		fd := e.FD
		require.Positive(t, fd)
		e = until(t, bound, zmq.EventHandshakeSucceeded)
		require.Equal(t, actual, e.Endpoint)
		require.Equal(t, -1, e.FD)

		e = until(t, connected, zmq.EventConnected)
		require.Equal(t, actual, e.Endpoint)
		require.Positive(t, e.FD)
		until(t, connected, zmq.EventHandshakeSucceeded)

		require.NoError(t, push.Close())
		e = until(t, bound, zmq.EventDisconnected)
		require.Equal(t, fd, e.FD)
		require.Equal(t, actual, e.Endpoint)
		require.Equal(t, zmq.EventMonitorStopped, until(t, connected, zmq.EventAll).Event)
		_, err := connected.Next(soon(t))
		require.ErrorIs(t, err, zmq.ErrClosed)
		require.ErrorIs(t, err, net.ErrClosed)

		require.NoError(t, pull.Unbind(actual))
		until(t, bound, zmq.EventClosed)
		require.NoError(t, bound.Close())
		require.NoError(t, bound.Close())
		require.Equal(t, zmq.EventMonitorStopped, until(t, bound, zmq.EventAll).Event)
	})
}

// The peer is not there yet: libzmq tries again and again.
func TestMonitorOfRetries(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	s := newSocket(t, zctx, zmq.Push, zmq.ReconnectInterval.To(20*time.Millisecond))
	m := monitor(t, s, zmq.EventAll)
	dead := deadEndpoint(t)
	require.NoError(t, s.Connect(dead))
	e := until(t, m, zmq.EventConnectDelayed)
	require.Equal(t, dead, e.Endpoint)
	until(t, m, zmq.EventClosed)
	for range 2 {
		e = until(t, m, zmq.EventConnectRetried)
		require.Equal(t, dead, e.Endpoint)
		require.GreaterOrEqual(t, e.RetryInterval, 20*time.Millisecond)
		require.LessOrEqual(t, e.RetryInterval, 40*time.Millisecond)
		require.Equal(t, e.Value, int32(e.RetryInterval/time.Millisecond))
	}
}

func TestMonitorOfBindFailed(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	first, second := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Pull)
	require.NoError(t, first.Bind("tcp://127.0.0.1:*"))
	m := monitor(t, second, zmq.EventAll)
	for range 3 {
		time.Sleep(5 * time.Millisecond) // libzmq looks for commands only from time to time, and then loses its errno
		require.ErrorIs(t, second.Bind(last(t, first)), syscall.EADDRINUSE)
	}
	e := until(t, m, zmq.EventBindFailed)
	require.ErrorIs(t, e.Err, syscall.EADDRINUSE)
	require.Equal(t, last(t, first), e.Endpoint)
}

// A program that is no ZeroMQ peer connects, and hangs up, sends a command that is none, or
// is silent.
func TestMonitorOfForeignPeers(t *testing.T) {
	t.Parallel()
	for _, does := range []string{"hangs up", "talks", "is silent"} {
		s := newSocket(t, newContext(t), zmq.Pull)
		if does == "is silent" {
			require.NoError(t, s.Set(zmq.HandshakeInterval.To(10*time.Millisecond)))
		}
		m := monitor(t, s, zmq.EventAll)
		conn := zmqtest.DialRaw(t, s)
		failed := zmq.EventHandshakeFailedNoDetail
		switch does {
		case "hangs up":
			require.NoError(t, conn.Close())
		case "talks":
			failed = zmq.EventHandshakeFailedProtocol
			noErr(conn.Write(append(zmqtest.Greeting(0, "NULL", 0), zmqtest.Command("HELLO", "")...)))(t)
		}
		e := until(t, m, failed)
		require.Equal(t, last(t, s), e.Endpoint)
		require.Error(t, e.Err)
		if does == "is silent" {
			requireFails(t, e.Err, syscall.ETIMEDOUT, "HandshakeInterval")
		}
		if does == "talks" {
			require.Equal(t, zmq.ProtocolErrorZMTPUnexpectedCommand, e.Protocol)
			require.NoError(t, conn.Close())
		}
		until(t, m, zmq.EventDisconnected)
	}
}

func TestMonitorMisuse(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	s := newSocket(t, zctx, zmq.Pull)
	for _, events := range []zmq.MonitorEvents{0, 1 << 20, zmq.EventAll | 1<<31} {
		require.ErrorIs(t, errOf(s.Monitor(events)), syscall.EINVAL)
	}
	m := monitor(t, s, zmq.EventAll)
	expired := cancelled()
	require.ErrorIs(t, errOf(m.Next(expired)), context.Canceled)
	for _, err := range m.Events(expired) {
		require.ErrorIs(t, err, context.Canceled)
	}
	require.ErrorIs(t, m.Log(context.Background(), nil), syscall.EINVAL)
	require.NoError(t, s.Close())
	require.ErrorIs(t, errOf(s.Monitor(zmq.EventAll)), zmq.ErrClosed)

	var none *zmq.Monitor
	require.NoError(t, none.Close())
	require.Zero(t, none.Dropped())
	require.ErrorIs(t, errOf(none.Next(context.Background())), zmq.ErrClosed)
	require.ErrorIs(t, errOf((*zmq.Socket)(nil).Monitor(zmq.EventAll)), zmq.ErrClosed)

	c2 := newContext(t)
	s2 := newSocket(t, c2, zmq.Pull)
	m2 := monitor(t, s2, zmq.EventAll)
	require.NoError(t, c2.Shutdown())
	require.Equal(t, zmq.EventMonitorStopped, until(t, m2, zmq.EventAll).Event)
	require.ErrorIs(t, errOf(m2.Next(soon(t))), zmq.ErrClosed)
	require.ErrorIs(t, errOf(s2.Monitor(zmq.EventAll)), zmq.ErrTerminated)
}

func TestEventNames(t *testing.T) {
	t.Parallel()
	require.Equal(t, "CONNECTED", zmq.EventConnected.String())
	require.Equal(t, "HANDSHAKE_FAILED_AUTH", zmq.EventHandshakeFailedAuth.String())
	require.Equal(t, "ALL", zmq.EventAll.String())
	require.Equal(t, "NONE", zmq.MonitorEvents(0).String())
	require.Equal(t, "CONNECTED|LISTENING|0x100000", (zmq.EventConnected | zmq.EventListening | 1<<20).String())
	require.Equal(t, "PEER_JOINED|PEER_LEFT", (zmq.EventPeerJoined | zmq.EventPeerLeft).String())
	require.EqualValues(t, 0xffff, zmq.EventAll)
	require.EqualValues(t, 0x4000, zmq.EventHandshakeFailedAuth)
}

// An unread monitor blocks neither its socket, nor other sockets of the context, nor Close.
func TestMonitorNeverRead(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	watched := newSocket(t, zctx, zmq.Pull)
	unread := monitor(t, watched, zmq.EventAll)
	require.NoError(t, watched.Bind("tcp://127.0.0.1:*"))
	address := strings.TrimPrefix(last(t, watched), "tcp://")
	pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
	connect(t, pull, push, "tcp://127.0.0.1:*")
	read := monitor(t, watched, zmq.EventDisconnected)

	// Three events each: accepted, failed, disconnected.
	const connections = 4000
	ctx := timeout(t, 5*patience)
	for i := range connections {
		conn := noErr(net.Dial("tcp", address))(t)
		require.NoError(t, conn.(*net.TCPConn).SetLinger(0))
		require.NoError(t, conn.Close())
		e, err := read.Next(ctx)
		require.NoError(t, err, "event %d", i)
		require.Equal(t, zmq.EventDisconnected, e.Event)
		require.NoError(t, push.Send(ctx, []byte("still there")))
		require.NoError(t, errOf(pull.RecvBytes(ctx)))
	}
	require.Zero(t, read.Dropped())
	require.GreaterOrEqual(t, unread.Dropped(), uint64(3*connections-4096))
	closed := async(func() error { return zctx.Close() })
	select {
	case err := <-closed:
		require.NoError(t, err)
	case <-ctx.Done():
		require.Fail(t, "Close does not return")
	}
	// The newest are kept, up to the end.
	n, final := 0, zmq.MonitorEvent{}
	for e, err := range unread.Events(ctx) {
		require.NoError(t, err)
		n, final = n+1, e
	}
	require.Equal(t, 4096, n)
	require.Equal(t, zmq.EventMonitorStopped, final.Event)
}

// Whatever is closed first, or at the same time, the iteration ends, with the last event before it.
func TestMonitorCloseInEveryOrder(t *testing.T) {
	t.Parallel()
	for _, order := range []string{"monitor socket context", "socket monitor context", "context monitor socket", "shutdown monitor socket context", "at once: monitor socket context"} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			for range 200 {
				zctx := newContext(t)
				s, peer := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
				m := monitor(t, s, zmq.EventAll)
				var final zmq.MonitorEvent
				events := async(func() error {
					for e, err := range m.Events(context.Background()) {
						if err != nil {
							return err
						}
						final = e
					}
					return nil
				})
				connect(t, s, peer, tcp)
				steps := map[string]func() error{"monitor": m.Close, "socket": s.Close, "context": zctx.Close, "shutdown": zctx.Shutdown}
				rest, atOnce := strings.CutPrefix(order, "at once: ")
				var running []<-chan error
				for step := range strings.FieldsSeq(rest) {
					running = append(running, async(steps[step]))
					if !atOnce {
						require.NoError(t, <-running[0])
						running = nil
					}
				}
				for _, step := range running {
					require.NoError(t, <-step)
				}
				require.NoError(t, <-events)
				require.Equal(t, zmq.EventMonitorStopped, final.Event)
			}
		})
	}
}
