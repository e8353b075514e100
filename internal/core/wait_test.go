package core

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/park"
)

// With one processor there would be no spins to test.
func init() { park.Processors = 1 << 20 }

// patience is how long a test waits for what should take milliseconds.
const patience = 30 * time.Second

// What happens to a socket is noticed during a spin.
func TestEndOfASpin(t *testing.T) {
	spins := func(s *Socket) bool {
		h := s.lock.Lock()
		defer s.lock.Unlock()
		return h.spin.Active()
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
				require.NoError(t, s.SetSpinTime(park.Adaptive))
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
	for name, rely := range map[string]func(*held){
		"descriptor": func(h *held) { h.fdGiven = true },
		"attention":  func(h *held) { h.attentive = true },
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestSocket(t, c, libzmq.Pull, 1)
			h := s.lock.Lock()
			require.NoError(t, h.watch())
			rely(h)
			file := h.unwatch()
			s.lock.Unlock()
			require.Nil(t, file)
			require.NoError(t, s.Close())
		})
	}
	s := newTestSocket(t, c, libzmq.Pull, 1)
	h := s.lock.Lock()
	require.NoError(t, h.watch())
	file := h.unwatch()
	s.lock.Unlock()
	require.NotNil(t, file)
	file.Close()
}
