//go:build unix

package poller_test

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

// Each Poll reports everything that is ready, starting with a different socket each time.
func TestEachComesFirst(t *testing.T) {
	const n = 7
	for _, sockets := range []int{0, 1, n - 1, n} {
		t.Run("sockets="+strconv.Itoa(sockets), func(t *testing.T) {
			t.Parallel()
			zctx := newContext(t)
			p := newPoller(t)
			for range sockets {
				s := newSocket(t, zctx, zmq.Pub)
				require.NoError(t, p.Add(s, poller.Out))
			}
			for range n - sockets {
				_, w := pipe(t)
				require.NoError(t, p.AddFD(uintptr(w), poller.Out))
			}
			first := map[poller.Event]int{}
			const polls = 10 * n
			for range polls {
				events := poll(t, p, -1)
				require.Len(t, events, n)
				first[events[0]]++
			}
			require.Len(t, first, n, "each one is the first of some Poll: %v", first)
			for event, times := range first {
				require.GreaterOrEqual(t, times, polls/n/3, "%+v", event)
			}
		})
	}
}

// One socket is flooded. Each message of 50 others is handled within a few Polls, even by
// a program that handles only the first event of each Poll.
func TestFloodStarvesNobody(t *testing.T) {
	for _, all := range []bool{true, false} {
		t.Run("all="+strconv.FormatBool(all), func(t *testing.T) {
			const slow = 50
			zctx := newContext(t)
			p := newPoller(t)
			flooded, flooder := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
			connect(t, flooded, flooder, inprocName())
			require.NoError(t, p.Add(flooded, poller.In))
			var writers []*zmq.Socket
			sent := map[*zmq.Socket]*atomic.Int64{}
			for range slow {
				pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
				connect(t, pull, push, inprocName())
				require.NoError(t, p.Add(pull, poller.In))
				writers = append(writers, push)
				sent[pull] = new(atomic.Int64)
			}

			var stop atomic.Bool
			var group sync.WaitGroup
			group.Go(func() {
				for !stop.Load() {
					if err := flooder.SendString(context.Background(), "flood", zmq.DontWait); err != nil {
						time.Sleep(10 * time.Microsecond) // full: leave a processor to the reader
					}
				}
			})
			// The flooded socket is readable until the end.
			requireSoon(t, p, flooded, poller.In, "flooded")

			const rounds = 20
			handled := map[*zmq.Socket]int{}
			for round := range rounds {
				for _, w := range writers {
					require.NoError(t, w.SendString(context.Background(), "x"))
				}
				left := slow
				for polls := 0; left > 0; polls++ {
					require.Less(t, polls, 3*slow, "round %d: %d of the slow ones are starved", round, left)
					events := poll(t, p, -1)
					if !all {
						events = events[:1]
					}
					for _, e := range events {
						_, err := e.Socket.RecvString(context.Background(), zmq.DontWait)
						require.NoError(t, err)
						if e.Socket != flooded {
							handled[e.Socket]++
							left--
						}
					}
				}
			}
			stop.Store(true)
			group.Wait()
			require.Len(t, handled, slow)
			for _, n := range handled {
				require.Equal(t, rounds, n)
			}
		})
	}
}

// A descriptor that is always ready, and sockets. The program handles only the first
// event of each Poll.
func TestDescriptorStarvesNoSocket(t *testing.T) {
	zctx := newContext(t)
	p := newPoller(t)
	_, w := pipe(t)
	require.NoError(t, p.AddFD(uintptr(w), poller.Out))
	pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
	connect(t, pull, push, inprocName())
	require.NoError(t, p.Add(pull, poller.In))
	require.NoError(t, push.SendString(context.Background(), "x"))
	requireSoon(t, p, pull, poller.In, "a message was sent")
	for polls := 0; ; polls++ {
		require.Less(t, polls, 20, "the socket never comes first")
		if poll(t, p, -1)[0].Socket == pull {
			break
		}
	}
}

// Others use the sockets without pause, so that something happens during each look.
// The Poll still returns at its deadline.
func TestDeadlineWhileOthersAreBusy(t *testing.T) {
	for name, use := range map[string]func(*zmq.Socket){
		"options":  func(s *zmq.Socket) { _ = s.Set(zmq.Linger.To(0)) },
		"receives": func(s *zmq.Socket) { _, _ = s.RecvBytes(context.Background(), zmq.DontWait) },
	} {
		t.Run(name, func(t *testing.T) {
			zctx := newContext(t)
			p := newPoller(t)
			var sockets []*zmq.Socket
			for range 900 {
				s := newSocket(t, zctx, zmq.Rep)
				require.NoError(t, p.Add(s, poller.In))
				sockets = append(sockets, s)
			}
			var stop atomic.Bool
			var group sync.WaitGroup
			for i := range 4 {
				group.Go(func() {
					for k := i; !stop.Load(); k++ {
						use(sockets[k%len(sockets)])
					}
				})
			}
			defer func() { stop.Store(true); group.Wait() }()
			for _, timeout := range []time.Duration{time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond} {
				start := time.Now()
				require.Empty(t, poll(t, p, timeout))
				took := time.Since(start)
				require.GreaterOrEqual(t, took, timeout)
				require.Less(t, took, timeout+soon)

				ctx, cancel := timeoutContext(timeout)
				start = time.Now()
				_, err := p.Wait(ctx)
				took = time.Since(start)
				cancel()
				require.ErrorIs(t, err, ctx.Err())
				require.Less(t, took, timeout+soon)
			}
		})
	}
}
