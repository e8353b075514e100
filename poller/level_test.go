package poller_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
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

func send(s *zmq.Socket) func() error {
	return func() error { return s.SendString(context.Background(), "x") }
}

// REQ and REP change between readable and writable with each message, without a signal.
func TestLevelOfRequests(t *testing.T) {
	t.Parallel()
	byWhom(t, func(t *testing.T, endpoint string, do func(testing.TB, func() error)) {
		rep, req := connected(t, zmq.Rep, zmq.Req, endpoint)
		p := newPoller(t)
		require.NoError(t, p.Add(rep, poller.In|poller.Out))
		require.NoError(t, p.Add(req, poller.In|poller.Out))
		requireSoon(t, p, req, poller.Out, "it is its turn")
		requireNow(t, p, rep, 0, "it is not its turn")
		for i := range 20 {
			do(t, send(req))
			requireNow(t, p, req, 0, fmt.Sprint("request sent: ", i))
			requireSoon(t, p, rep, poller.In, "request")
			do(t, recv(rep))
			requireNow(t, p, rep, poller.Out, "request received")
			do(t, send(rep))
			requireNow(t, p, rep, 0, "reply sent")
			requireSoon(t, p, req, poller.In, "reply")
			do(t, recv(req))
			requireNow(t, p, req, poller.Out, "reply received")
		}
	})
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

// A send consumes the signals for messages to receive.
func TestLevelAfterSends(t *testing.T) {
	t.Parallel()
	byWhom(t, func(t *testing.T, endpoint string, do func(testing.TB, func() error)) {
		a, b := connected(t, zmq.Dealer, zmq.Dealer, endpoint)
		p := newPoller(t)
		require.NoError(t, p.Add(a, poller.In))
		for range 200 {
			require.NoError(t, b.SendString(context.Background(), "in"))
			for range 3 {
				do(t, send(a))
			}
			do(t, func() error { return a.Set(zmq.SendTimeout.To(time.Second)) })
			do(t, func() error { _, err := zmq.Events.Get(a); return err })
			require.NotEmpty(t, poll(t, p, patience))
			here(t, recv(a))
			for range 3 {
				zmqtest.RecvBytes(t, b)
			}
		}
		requireNow(t, p, a, 0, "all were received")
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

// A disconnect takes a message out of libzmq. It can still be received.
func TestLevelAfterDisconnect(t *testing.T) {
	t.Parallel()
	pub, sub := connected(t, zmq.Pub, zmq.Sub, tcp)
	require.NoError(t, sub.Subscribe(""))
	endpoint := zmqtest.LastEndpoint(t, pub)
	p := newPoller(t)
	require.NoError(t, p.Add(sub, poller.In))
	for end := time.Now().Add(patience); of(t, poll(t, p, time.Millisecond), sub) == 0; {
		require.NoError(t, pub.SendMultipart(context.Background(), [][]byte{{1}, {2}}))
		require.True(t, time.Now().Before(end))
	}
	require.NoError(t, sub.Disconnect(endpoint))
	for {
		had := of(t, poll(t, p, 0), sub)
		_, err := sub.RecvMultipart(context.Background(), zmq.DontWait)
		if err != nil {
			require.Zero(t, had)
			break
		}
		require.Equal(t, poller.In, had)
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

// Several Pollers hold the same socket, and all of them report it.
func TestSeveralPollers(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		pull, push := connected(t, zmq.Pull, zmq.Push, endpoint)
		const pollers = 4
		messages := 300
		var received atomic.Int64
		var group sync.WaitGroup
		stop, cancel := timeoutContext(patience)
		defer cancel()
		for range pollers {
			p := newPoller(t)
			require.NoError(t, p.Add(pull, poller.In))
			group.Go(func() {
				for {
					if _, err := p.Wait(stop); err != nil {
						return
					}
					if recv(pull)() == nil && received.Add(1) == int64(messages) {
						cancel()
					}
				}
			})
		}
		for range messages {
			require.NoError(t, push.SendString(context.Background(), "x"))
		}
		group.Wait()
		require.EqualValues(t, messages, received.Load())
	})
}

// A Poller and goroutines in Recv wait for the same socket. Neither consumes the wake-up
// of the other.
func TestPollerBesideReceivers(t *testing.T) {
	t.Parallel()
	for name, types := range map[string][2]zmq.SocketType{
		"PULL": {zmq.Pull, zmq.Push}, "DEALER": {zmq.Dealer, zmq.Dealer}, "ROUTER": {zmq.Router, zmq.Dealer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := connected(t, types[0], types[1], inprocName())
			p := newPoller(t)
			require.NoError(t, p.Add(a, poller.In))
			ctx, cancel := context.WithCancel(context.Background())
			var group sync.WaitGroup
			got := make(chan struct{}, 1)
			for range 3 {
				group.Go(func() {
					for {
						if _, err := a.RecvMultipart(ctx); err != nil {
							return
						}
						got <- struct{}{}
					}
				})
			}
			group.Go(func() { // looks only
				for {
					if _, err := p.Wait(ctx); err != nil {
						return
					}
					runtime.Gosched() // let the receivers run
				}
			})
			for range 200 {
				require.NoError(t, b.SendString(context.Background(), "x"))
				await(t, got, "a receiver was not woken")
			}
			cancel()
			group.Wait()
			requireNow(t, p, a, 0, "all were received")
			require.NoError(t, b.SendString(context.Background(), "x"))
			requireSoon(t, p, a, poller.In, "nobody receives any more")
		})
	}
}

// WaitSubscribers takes messages out of libzmq. A Poller still reports them.
func TestLevelOfSubscriptionsThatWereCounted(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	x, sub := newSocket(t, zctx, zmq.XPub, zmq.TrackSubscriptions.To(true)), newSocket(t, zctx, zmq.Sub)
	endpoint := inprocName()
	require.NoError(t, x.Bind(endpoint))
	p := newPoller(t)
	require.NoError(t, p.Add(x, poller.In))
	require.Empty(t, poll(t, p, 0))
	require.NoError(t, sub.Connect(endpoint))
	require.NoError(t, sub.Subscribe("a"))
	require.NoError(t, x.WaitSubscribers(within(t), 1))
	require.Len(t, poll(t, p, patience), 1)
	part, err := x.RecvString(context.Background(), zmq.DontWait)
	require.NoError(t, err)
	require.Equal(t, "\x01a", part)
	require.Empty(t, poll(t, p, 0))
}

// A message that a RecvChan returns when it is stopped wakes a poller.
func TestPollSeesReturnedMessage(t *testing.T) {
	t.Parallel()
	pull, push := connected(t, zmq.Pull, zmq.Push, inprocName())
	p := newPoller(t)
	require.NoError(t, p.Add(pull, poller.In))
	for range 300 {
		in := pull.RecvChan(t.Context())
		require.NoError(t, push.SendString(context.Background(), "message"))
		// Over inproc it arrives at once: if the socket is not readable, the channel has it.
		require.Eventually(t, func() bool {
			events, err := p.Poll(0)
			return err == nil && len(events) == 0
		}, patience, time.Microsecond)
		done := waiting(t, p, forEver(p))
		in.Stop()
		require.NoError(t, await(t, done, "the message").err)
		here(t, recv(pull))
	}
}
