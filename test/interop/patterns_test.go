package interop

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

func TestPushToPull(t *testing.T) {
	t.Parallel()
	overSides(t, zmq.Push, "pull", func(t *testing.T, ctx context.Context, s *zmq.Socket, p *peer) {
		for i := range messages {
			require.NoError(t, s.SendMultipart(ctx, message(i)))
		}
		p.done()
	})
}

func TestPullFromPush(t *testing.T) {
	t.Parallel()
	overSides(t, zmq.Pull, "push", func(t *testing.T, ctx context.Context, s *zmq.Socket, p *peer) {
		for i := range messages {
			got, err := s.RecvMultipart(ctx)
			require.NoError(t, err)
			same(t, message(i), got, "message", i)
		}
		p.done()
	})
}

func TestPair(t *testing.T) {
	t.Parallel()
	overSides(t, zmq.Pair, "pair", ask)
}

// A message of 5,000 parts, and one of 32 MiB, each way.
func TestManyPartsAndLargeMessages(t *testing.T) {
	t.Parallel()
	const many, large = 5000, 32 << 20
	overSides(t, zmq.Pair, "big", func(t *testing.T, ctx context.Context, s *zmq.Socket, p *peer) {
		parts := func(seed int) [][]byte {
			parts := make([][]byte, many)
			for k := range parts {
				parts[k] = content(k%300, k+seed)
			}
			return parts
		}
		require.NoError(t, s.SendMultipart(ctx, parts(0)))
		got, err := s.RecvMultipart(ctx)
		require.NoError(t, err)
		same(t, parts(1), got, "many parts", 0)
		require.NoError(t, s.Send(ctx, content(large, 7)))
		got, err = s.RecvMultipart(ctx)
		require.NoError(t, err)
		same(t, [][]byte{content(large, 8)}, got, "large message", 0)
		p.done()
	})
}

// Two dealers, neither of which waits for the other.
func TestDealerToDealer(t *testing.T) {
	t.Parallel()
	overSides(t, zmq.Dealer, "dealer", answer)
}

// Each router calls the other by the routing id that it has set. Ours does not know the
// other before their handshake, and says so until then.
func TestRouterToRouter(t *testing.T) {
	t.Parallel()
	overSides(t, zmq.Router, "router", func(t *testing.T, ctx context.Context, s *zmq.Socket, p *peer) {
		them := []byte("\x00py\xff")
		again := time.NewTicker(time.Millisecond)
		defer again.Stop()
		for i := range messages {
			err := s.SendMultipart(ctx, append([][]byte{them}, message(i)...))
			for i == 0 && errors.Is(err, zmq.ErrHostUnreachable) && ctx.Err() == nil {
				<-again.C
				err = s.SendMultipart(ctx, append([][]byte{them}, message(i)...))
			}
			require.NoError(t, err)
			got, err := s.RecvMultipart(ctx)
			require.NoError(t, err)
			require.Equal(t, them, got[0])
			same(t, message(i+1), got[1:], "answer", i)
		}
		p.done()
	}, zmq.RoutingID.To([]byte("go\x00\xff")), zmq.RouterMandatory.To(true))
}

// beating returns a REP with its monitor and a REQ that sends a heartbeat every so many milliseconds.
func beating(t *testing.T, ctx context.Context, at place, interval int, settings ...zmq.Setting) (*zmq.Socket, *zmq.Monitor, *peer) {
	t.Helper()
	security := secure(t, at.mechanism, true)
	s := newSecureSocket(t, zmq.Rep, security, settings...)
	m := zmqtest.Monitor(t, s, zmq.EventHandshakeSucceeded|zmq.EventDisconnected)
	require.NoError(t, s.Bind(at.endpoint))
	endpoint := zmqtest.LastEndpoint(t, s)
	p := startPeer(t, ctx, at.language, "req", "connect", endpoint, interval, security)
	p.expect("ready " + endpoint)
	return s, m, p
}

// A suspended peer is disconnected when it does not answer a heartbeat. A running one stays
// connected while only heartbeats are exchanged.
func TestHeartbeats(t *testing.T) {
	t.Parallel()
	overPeers(t, func(t *testing.T, ctx context.Context, at place) {
		_, m, p := beating(t, ctx, at, 0, zmq.HeartbeatInterval.To(50*time.Millisecond), zmq.HeartbeatTimeout.To(5*time.Second))
		next := func(want zmq.MonitorEvents) {
			t.Helper()
			e, err := m.Next(ctx)
			require.NoError(t, err)
			require.Equal(t, want, e.Event)
		}
		next(zmq.EventHandshakeSucceeded)
		// The first request waits for its reply over twenty heartbeats.
		quiet, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err := m.Next(quiet)
		require.ErrorIs(t, err, context.DeadlineExceeded, "the connection was given up")
		require.NoError(t, p.cmd.Process.Signal(syscall.SIGSTOP))
		next(zmq.EventDisconnected)
		require.NoError(t, p.cmd.Process.Signal(syscall.SIGCONT))
		next(zmq.EventHandshakeSucceeded)
	})
}

// A peer that asks for heartbeats is answered: it would give up after half of the time
// for which nothing else goes over the connection.
func TestPeerHeartbeats(t *testing.T) {
	t.Parallel()
	const interval, patience = 50, 2 * 40 * 50 * time.Millisecond // 40: HEARTBEATS of the peers
	overPeers(t, func(t *testing.T, ctx context.Context, at place) {
		s, m, p := beating(t, ctx, at, interval)
		e, err := m.Next(ctx)
		require.NoError(t, err)
		require.Equal(t, zmq.EventHandshakeSucceeded, e.Event)
		quiet, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		_, err = m.Next(quiet)
		require.ErrorIs(t, err, context.DeadlineExceeded, "the peer gave the connection up")
		answer(t, ctx, s, p)
	})
}
