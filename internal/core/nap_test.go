package core

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// patience is how long a test waits for what should take milliseconds.
const patience = 30 * time.Second

// echo answers until the socket is closed.
func echo(s *Socket) {
	buf := make([]byte, 8)
	for {
		n, err := s.Recv(context.Background(), buf, false)
		if err == nil {
			err = s.Send(context.Background(), buf[:n], false)
		}
		if err != nil {
			return
		}
	}
}

func TestNapsTakeThePlaceOfWatching(t *testing.T) {
	c := newContext(t)
	server, client := connected(t, c, "tcp://127.0.0.1:*", libzmq.Dealer, libzmq.Dealer, 1000)
	var ended sync.WaitGroup
	ended.Go(func() { echo(server) })
	buf := make([]byte, 8)
	started := time.Now()
	for {
		require.NoError(t, client.Send(context.Background(), []byte("ping"), false))
		_, err := client.Recv(context.Background(), buf, false)
		require.NoError(t, err)
		client.mu.Lock()
		done := client.naps.need > 0 && client.fd == nil
		client.mu.Unlock()
		if done {
			break
		}
		require.Less(t, time.Since(started), patience, "round trips without naps")
	}
	require.NoError(t, server.Close())
	ended.Wait()
}

func TestSocketsInUseByOthersHaveNoNaps(t *testing.T) {
	c := newContext(t)
	server, client := connected(t, c, "tcp://127.0.0.1:*", libzmq.Dealer, libzmq.Dealer, 1000)
	var ended sync.WaitGroup
	ended.Go(func() { echo(server) })
	received := make(chan error, 1)
	ended.Go(func() {
		buf := make([]byte, 8)
		for {
			_, err := client.Recv(context.Background(), buf, false)
			received <- err
			if err != nil {
				return
			}
		}
	})
	started := time.Now()
	for shared := false; !shared; {
		require.NoError(t, client.Send(context.Background(), []byte("ping"), false))
		require.NoError(t, <-received)
		client.mu.Lock()
		shared = client.naps.shared
		client.mu.Unlock()
		require.Less(t, time.Since(started), patience, "nobody napped while another sent")
	}
	for range 1000 { // each is received
		require.NoError(t, client.Send(context.Background(), []byte("ping"), false))
		require.NoError(t, <-received)
	}
	require.NoError(t, client.Close())
	require.Error(t, <-received)
	require.NoError(t, server.Close())
	ended.Wait()
}

// What happens to a socket is noticed at the end of a nap.
func TestEndOfANap(t *testing.T) {
	asleep := func(s *Socket) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.naps.taken
	}
	ends := map[string]struct {
		end  func(*Socket, context.CancelFunc) error
		want error
	}{
		"close":  {func(s *Socket, _ context.CancelFunc) error { return s.Close() }, ErrClosed},
		"cancel": {func(_ *Socket, cancel context.CancelFunc) error { cancel(); return nil }, context.Canceled},
	}
	for name, e := range ends {
		t.Run(name, func(t *testing.T) {
			c := newContext(t)
			caught := 0
			for started := time.Now(); caught < 20; {
				require.Less(t, time.Since(started), patience, "no nap was seen")
				s := newTestSocket(t, c, libzmq.Pull, 1)
				require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
				ctx, cancel := context.WithCancel(t.Context())
				result := make(chan error, 1)
				go func() {
					_, err := s.Recv(ctx, make([]byte, 8), false)
					result <- err
				}()
				for s.Waiting() == 0 { // it naps before that
					if asleep(s) {
						caught++
						break
					}
				}
				require.NoError(t, e.end(s, cancel))
				require.ErrorIs(t, <-result, e.want)
				cancel()
				require.NoError(t, s.Close())
			}
		})
	}
}

// The watcher stays while somebody relies on it besides those who wait.
func TestUnwatch(t *testing.T) {
	c := newContext(t)
	for name, rely := range map[string]func(*Socket){
		"descriptor": func(s *Socket) { s.fdGiven = true },
		"attention":  func(s *Socket) { s.attentive = true },
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestSocket(t, c, libzmq.Pull, 1)
			s.mu.Lock()
			require.NoError(t, s.watch())
			rely(s)
			file := s.unwatch()
			s.mu.Unlock()
			require.Nil(t, file)
			require.NoError(t, s.Close())
		})
	}
	s := newTestSocket(t, c, libzmq.Pull, 1)
	s.mu.Lock()
	require.NoError(t, s.watch())
	file := s.unwatch()
	s.mu.Unlock()
	require.NotNil(t, file)
	require.NoError(t, file.Close())
}

func TestOnlyConversationsSpin(t *testing.T) {
	c := newContext(t)
	server, client := connected(t, c, "tcp://127.0.0.1:*", libzmq.Dealer, libzmq.Dealer, 1000)
	source, sink := connected(t, c, "tcp://127.0.0.1:*", libzmq.Push, libzmq.Pull, 1000)
	var ended sync.WaitGroup
	ended.Go(func() { echo(server) })
	buf := make([]byte, 8)
	calm := func(s *Socket) int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return int(s.naps.calm)
	}
	started := time.Now()
	for calm(client) < spinCalm {
		require.NoError(t, client.Send(context.Background(), []byte("ping"), false))
		_, err := client.Recv(context.Background(), buf, false)
		require.NoError(t, err)
		require.NoError(t, source.Send(context.Background(), []byte("ping"), false))
		_, err = sink.Recv(context.Background(), buf, false)
		require.NoError(t, err)
		require.Less(t, time.Since(started), patience, "round trips are no conversation")
	}
	require.Zero(t, calm(sink))
	require.NoError(t, server.Close())
	ended.Wait()
}

// spinner makes a socket with a pipe in place of libzmq's descriptor.
func spinner(t *testing.T) (socket *Socket, signal *os.File) {
	t.Helper()
	if !spinning {
		t.Skip("nobody spins on one processor, or on this system")
	}
	socket = newTestSocket(t, newContext(t), libzmq.Pull, 1000)
	r, signal, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, errors.Join(r.Close(), signal.Close())) })
	socket.naps.fd = int32(r.Fd()) + 1
	return socket, signal
}

func TestSpinningInVain(t *testing.T) {
	socket, w := spinner(t)
	spin := func() bool {
		socket.mu.Lock()
		defer socket.mu.Unlock()
		return socket.spin()
	}
	for want := 1; want < spinFutile; want = 2*want + 1 {
		for range want/2 + 1 { // all but the last go by
			require.False(t, spin(), "there is nothing to read")
		}
		require.EqualValues(t, want, socket.naps.futile)
	}
	_, err := w.WriteString("a signal")
	require.NoError(t, err)
	// On a busy machine spinning may find it and be futile nevertheless.
	for started := time.Now(); socket.naps.futile > 0; {
		spin()
		require.Less(t, time.Since(started), patience, "it is never found in time")
	}
}

func TestOthersRunWhileOneSpins(t *testing.T) {
	socket, _ := spinner(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var ran atomic.Bool
	ended := make(chan struct{})
	socket.mu.Lock()
	go func() {
		ran.Store(true)
		close(ended)
	}()
	// Now and then the scheduler takes the one who gave way first. The runtime itself would
	// need ten milliseconds to take its processor away; a machine that stands still makes
	// one time last longer.
	for begun, times := time.Now(), 0; !ran.Load() && (times < 3 || time.Since(begun) < 5*time.Millisecond); times++ {
		socket.naps.still = 0
		require.False(t, socket.spin(), "there is nothing to read")
	}
	meanwhile := ran.Load()
	socket.mu.Unlock()
	<-ended
	require.True(t, meanwhile, "who spins keeps the processor")
}
