package core

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/park"
	"github.com/go-zmq/go-zmq/internal/watch"
)

// forgottenWaiter returns a socket with a waiting goroutine whose message is there, and a watcher
// that is never told: it watches signal instead. leave ends the wait and reports whether the
// waiter was woken.
func forgottenWaiter(t *testing.T, message bool) (s *Socket, signal *os.File, leave func() bool) {
	t.Helper()
	c := newContext(t)
	s = newTestSocket(t, c, libzmq.Pull, 1000)
	require.NoError(t, s.Bind("inproc://forgotten"))
	push := newTestSocket(t, c, libzmq.Push, 1000)
	require.NoError(t, push.Connect("inproc://forgotten"))
	if message {
		require.NoError(t, push.Send(context.Background(), []byte("here"), false))
	}
	r, signal, err := os.Pipe()
	require.NoError(t, err)
	w := park.Get()
	h := s.lock.Lock()
	defer s.lock.Unlock()
	h.watched, h.fdNum = true, int(r.Fd())
	h.lists[Recv].Push(w)
	leave = sync.OnceValue(func() bool {
		h = s.lock.Lock()
		defer s.lock.Unlock()
		return h.lists[Recv].Leave(w, w.Sleep(nil, 0))
	})
	t.Cleanup(func() {
		leave()
		h = s.lock.Lock()
		defer s.lock.Unlock()
		h.watched, h.fdNum = false, -1
		require.NoError(t, r.Close())
		_ = signal.Close()
	})
	return s, signal, leave
}

// A waiter that is found once may be about to be woken. A waiter that is found repeatedly was
// forgotten: it is woken and counted.
func TestNetFindsTheForgotten(t *testing.T) {
	if !seesThefts {
		t.Skip("a look may use up the signal here, so that the first wakes and does not count")
	}
	for name, written := range map[string]bool{"no signal": false, "a signal that nobody saw": true} {
		t.Run(name, func(t *testing.T) {
			s, signal, leave := forgottenWaiter(t, true)
			if written {
				_, err := signal.Write([]byte{1})
				require.NoError(t, err)
			}
			for range watch.Looks - 1 {
				_, suspicious, rescued := s.inspect()
				require.True(t, suspicious)
				require.False(t, rescued)
			}
			h := s.lock.Lock()
			h.wakeups++ // the watcher comes
			s.lock.Unlock()
			for range watch.Looks - 1 {
				_, _, rescued := s.inspect()
				require.False(t, rescued, "it began anew")
			}
			_, _, rescued := s.inspect()
			require.True(t, rescued)
			require.True(t, leave(), "it is woken")
		})
	}
}

// The stand-in for a thread-safe socket's signal stays readable on Linux.
func TestNetAndThreadSafeSockets(t *testing.T) {
	if !libzmq.Has("draft") {
		t.Skip("this libzmq has no draft sockets")
	}
	c := newContext(t)
	server, client := newTestSocket(t, c, libzmq.Server, 1000), newTestSocket(t, c, libzmq.Client, 1000)
	require.NoError(t, server.Bind("inproc://idle"))
	require.NoError(t, client.Connect("inproc://idle"))
	ctx, cancel := context.WithCancel(t.Context())
	received := make(chan error, 1)
	go func() {
		for {
			if _, err := server.RecvBytes(ctx, false); err != nil {
				received <- err
				return
			}
			received <- nil
		}
	}()
	waits := func() bool {
		h := server.lock.Lock()
		defer server.lock.Unlock()
		return h.watched && h.lists[Recv].Len() > 0
	}
	require.Eventually(t, waits, patience, time.Millisecond)
	require.NoError(t, client.Send(context.Background(), []byte("one"), false))
	require.NoError(t, <-received)
	require.Eventually(t, waits, patience, time.Millisecond)
	for range 3 * watch.Looks {
		_, _, rescued := server.inspect()
		require.False(t, rescued)
	}
	cancel()
	require.ErrorIs(t, <-received, context.Canceled)
}
