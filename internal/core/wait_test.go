package core

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/spin"
)

// With one processor there would be no spins to test.
func init() { spin.Processors = 1 << 20 }

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

func TestSpinsTakeThePlaceOfWatching(t *testing.T) {
	c := newContext(t)
	server, client := connected(t, c, "tcp://127.0.0.1:*", libzmq.Dealer, libzmq.Dealer, 1000)
	require.NoError(t, server.SetSpinTime(spin.Adaptive))
	require.NoError(t, client.SetSpinTime(spin.Adaptive))
	var ended sync.WaitGroup
	ended.Go(func() { echo(server) })
	buf := make([]byte, 8)
	client.mu.Lock()
	require.NoError(t, client.watch())
	client.mu.Unlock()
	started := time.Now()
	for {
		require.NoError(t, client.Send(context.Background(), []byte("ping"), false))
		_, err := client.Recv(context.Background(), buf, false)
		require.NoError(t, err)
		client.mu.Lock()
		done := client.fd == nil
		client.mu.Unlock()
		if done {
			break
		}
		require.Less(t, time.Since(started), patience, "no spin takes the place of watching")
	}
	require.NoError(t, server.Close())
	ended.Wait()
}

// What happens to a socket is noticed during a spin.
func TestEndOfASpin(t *testing.T) {
	spins := func(s *Socket) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.spin.Active()
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
				require.Less(t, time.Since(started), patience, "no spin was seen")
				s := newTestSocket(t, c, libzmq.Pull, 1)
				require.NoError(t, s.SetSpinTime(spin.Adaptive))
				require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
				ctx, cancel := context.WithCancel(t.Context())
				result := make(chan error, 1)
				go func() {
					_, err := s.Recv(ctx, make([]byte, 8), false)
					result <- err
				}()
				for s.Stats().Waiting == 0 { // it spins before that
					if spins(s) {
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

// The watcher stays while the descriptor or the connections need it, even if no goroutine waits.
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
