package poller_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// elsewhere runs f on another goroutine and waits for it.
func elsewhere(t testing.TB, f func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	require.NoError(t, await(t, done, "the other goroutine"))
}

func here(t testing.TB, f func() error) {
	t.Helper()
	require.NoError(t, f())
}

// byWhom runs a test twice: the polling goroutine makes the operations, or another one.
func byWhom(t *testing.T, test func(t *testing.T, endpoint string, do func(testing.TB, func() error))) {
	transports(t, func(t *testing.T, endpoint string) {
		for name, do := range map[string]func(testing.TB, func() error){"here": here, "elsewhere": elsewhere} {
			t.Run(name, func(t *testing.T) {
				if endpoint != tcp && endpoint != "ipc://*" {
					endpoint = inprocName()
				}
				test(t, endpoint, do)
			})
		}
	})
}

func recv(s *zmq.Socket) func() error {
	return func() error { _, err := s.RecvBytes(context.Background(), zmq.DontWait); return err }
}

// A socket with a full queue is not writable until the peer receives.
func TestLevelOfRoom(t *testing.T) {
	t.Parallel()
	byWhom(t, func(t *testing.T, endpoint string, do func(testing.TB, func() error)) {
		a, b := connected(t, zmq.Dealer, zmq.Dealer, endpoint, zmq.SendHWM.To(2), zmq.RecvHWM.To(2),
			zmq.SendBuffer.To(4096), zmq.RecvBuffer.To(4096))
		p := newPoller(t)
		require.NoError(t, p.Add(a, poller.Out))
		big := make([]byte, 20_000)
		for range 3 {
			requireSoon(t, p, a, poller.Out, "room")
			sent := 0
			for full := false; !full; {
				do(t, func() error {
					err := a.Send(context.Background(), big, zmq.DontWait)
					if full = errors.Is(err, zmq.ErrAgain); full {
						return nil
					}
					sent++
					return err
				})
				if full && of(t, poll(t, p, 100*time.Millisecond), a) != 0 {
					full = false // the kernel took some more
				}
			}
			for range sent {
				zmqtest.RecvBytes(t, b)
			}
		}
		requireSoon(t, p, a, poller.Out, "room again")
	})
}

// A message is reported until it is received, whichever goroutine takes the others. Messages that
// were read ahead, and the rest of a message that is received part by part, make a socket readable.
func TestLevelOfMessages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ahead, parts int }{{0, 1}, {0, 3}, {1, 3}, {2, 3}, {64, 3}, {1000, 1}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			t.Parallel()
			byWhom(t, func(t *testing.T, endpoint string, do func(testing.TB, func() error)) {
				pull, push := connected(t, zmq.Pull, zmq.Push, endpoint)
				require.NoError(t, pull.Set(zmq.ReadAhead.To(c.ahead)))
				p := newPoller(t)
				require.NoError(t, p.Add(pull, poller.In))
				requireNow(t, p, pull, 0, "nothing was sent")
				all := 90
				for range all / c.parts {
					require.NoError(t, push.SendMultipart(context.Background(), [][]byte{{1}, {2}, {3}}[:c.parts]))
				}
				for i := range all {
					requireSoon(t, p, pull, poller.In, fmt.Sprint("part ", i))
					do(t, recv(pull))
					require.Equal(t, i%c.parts != c.parts-1, pull.RecvMore())
					if i == all/2 {
						do(t, func() error { return pull.Set(zmq.ReadAhead.To(0)) })
					}
				}
				requireNow(t, p, pull, 0, "all were received")
				require.ErrorIs(t, recv(pull)(), zmq.ErrAgain)
				require.NoError(t, push.SendString(context.Background(), "x"))
				requireSoon(t, p, pull, poller.In, "another one")
			})
		})
	}
}

// Each Update applies at once, whatever the state of the socket.
func TestUpdate(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		a, b := connected(t, zmq.Dealer, zmq.Dealer, endpoint)
		p := newPoller(t)
		require.NoError(t, p.Add(a, poller.In|poller.Out))
		requireSoon(t, p, a, poller.Out, "nothing to receive")
		require.NoError(t, p.Update(a, poller.In))
		requireNow(t, p, a, 0, "nothing to receive")
		require.NoError(t, b.SendString(context.Background(), "x"))
		requireSoon(t, p, a, poller.In, "something to receive")
		for range 5 {
			for _, want := range []poller.Events{poller.Out, poller.In | poller.Out, poller.In, poller.In | poller.Out} {
				require.NoError(t, p.Update(a, want))
				requireNow(t, p, a, want, "as updated")
				require.NoError(t, p.Update(a, want|poller.Err|poller.Pri))
				requireNow(t, p, a, want, "what no socket has is not reported")
			}
		}
		here(t, recv(a))
		requireNow(t, p, a, poller.Out, "nothing to receive any more")
		require.NoError(t, p.Remove(a))
		requireNow(t, p, a, 0, "removed")
		require.NoError(t, p.Add(a, poller.Out))
		requireNow(t, p, a, poller.Out, "added again")
	})
}
