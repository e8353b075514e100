package core

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// detached returns a socket that has disconnected and is not used any more, and its peer.
func detached(t *testing.T) (s, peer *Socket) {
	t.Helper()
	peer, s = connected(t, newContext(t), "tcp://127.0.0.1:*", libzmq.Pull, libzmq.Push, 1000)
	require.NoError(t, peer.WaitPeers(t.Context(), 1))
	require.NoError(t, s.Disconnect(peer.Endpoint()))
	return s, peer
}

func waitNoPeer(t *testing.T, s *Socket) {
	t.Helper()
	for deadline := time.Now().Add(patience); s.Stats().Peers > 0; runtime.Gosched() {
		require.True(t, time.Now().Before(deadline), "the connection does not end")
	}
}

// The watcher of an idle socket runs for its commands, and then rests.
func TestAttentionRests(t *testing.T) {
	bothProtocols(t, func(t *testing.T) {
		s, peer := detached(t)
		waitNoPeer(t, peer)
		for range 10000 {
			runtime.Gosched()
		}
		h := s.lock.Lock()
		watched, wakeups := h.watched, h.wakeups
		s.lock.Unlock()
		require.True(t, watched)
		require.Less(t, wakeups, uint64(100))
		require.NoError(t, s.ctx.Close(t.Context())) // its watchers know one protocol
	})
}

// Where there was no descriptor for a watcher, the socket is looked at until there is one.
func TestAttentionWithoutWatcher(t *testing.T) {
	s, peer := detached(t)
	h := s.lock.Lock()
	h.attentive = false
	file := h.unwatch()
	h.attentive = true
	h.attendLater() // as attend does
	s.lock.Unlock()
	require.NotNil(t, file)
	file.Close()
	waitNoPeer(t, peer)
	require.Eventually(t, func() bool {
		h = s.lock.Lock()
		defer s.lock.Unlock()
		return h.watched
	}, patience, time.Millisecond)
}
