//go:build unix

package poller_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

// cpuTime returns what the process has used.
func cpuTime(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

const idleFor = 200 * time.Millisecond

// requireIdle requires that a long call uses almost no processor time. A busy loop uses
// all of it. On a busy machine the small use takes longer, so there are three attempts.
func requireIdle(t *testing.T, wait func()) {
	t.Helper()
	var used, took time.Duration
	for range 3 {
		before, start := cpuTime(t), time.Now()
		wait()
		used, took = cpuTime(t)-before, time.Since(start)
		if used < took/4 {
			return
		}
	}
	require.FailNow(t, "a busy loop", "%v of processor time in %v", used, took)
}

// requireQuiet polls for a while and requires that nothing is ready.
func requireQuiet(t *testing.T, pollers ...*poller.Poller) {
	t.Helper()
	requireIdle(t, func() {
		var group sync.WaitGroup
		for _, p := range pollers {
			group.Go(func() {
				ctx, cancel := timeoutContext(idleFor)
				defer cancel()
				if events, err := p.Wait(ctx); len(events) > 0 || !errors.Is(err, context.DeadlineExceeded) {
					t.Error(events, err)
				}
			})
		}
		group.Wait()
	})
}

// These tests measure the whole process, so they do not run in parallel.

// A Poller uses no processor time while nothing is ready, even if its looks, another Poller's looks
// or another goroutine's receives consume signals.
func TestIdle(t *testing.T) {
	pollersOf := func(t *testing.T, n int, sockets ...*zmq.Socket) (list []*poller.Poller) {
		for range n {
			p := newPoller(t)
			for _, s := range sockets {
				require.NoError(t, p.Add(s, poller.In))
			}
			list = append(list, p)
		}
		return list
	}
	type setUp = func(t *testing.T) []*poller.Poller
	tests := map[string]setUp{
		"100 sockets": func(t *testing.T) []*poller.Poller {
			zctx := newContext(t)
			var sockets []*zmq.Socket
			for range 100 {
				s := newSocket(t, zctx, zmq.Pull)
				require.NoError(t, s.Bind(inprocName()))
				sockets = append(sockets, s)
			}
			return pollersOf(t, 1, sockets...)
		},
		"subscriptions, which a PUB does not receive": func(t *testing.T) []*poller.Poller {
			pub, sub := connected(t, zmq.Pub, zmq.Sub, inprocName())
			list := pollersOf(t, 2, pub)
			require.NoError(t, sub.Subscribe("a"))
			return list
		},
		"writable descriptors": func(t *testing.T) []*poller.Poller {
			a, b := socketpair(t)
			p := newPoller(t)
			for _, fd := range []int{a, b} {
				require.NoError(t, p.AddFD(uintptr(fd), poller.In|poller.Err|poller.Pri))
			}
			return []*poller.Poller{p}
		},
	}
	// A connection is a signal without a message.
	for _, types := range [][2]zmq.SocketType{{zmq.Pull, zmq.Push}, {zmq.Rep, zmq.Req}, {zmq.Req, zmq.Rep}, {zmq.Dealer, zmq.Dealer}} {
		tests["three pollers of one "+types[0].String()] = func(t *testing.T) []*poller.Poller {
			a, _ := connected(t, types[0], types[1], inprocName())
			return pollersOf(t, 3, a)
		}
		if types[0] == zmq.Req {
			continue // it may not receive
		}
		tests["beside receivers of one "+types[0].String()] = func(t *testing.T) []*poller.Poller {
			a, _ := connected(t, types[0], types[1], inprocName())
			for range 3 {
				var group sync.WaitGroup
				group.Go(func() { _, _ = a.RecvMultipart(t.Context()) })
				t.Cleanup(group.Wait)
			}
			return pollersOf(t, 1, a)
		}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { requireQuiet(t, test(t)...) })
	}
}

// A descriptor at end of file is reported until it is removed or closed, with or without
// a Remove.
func TestIdleDescriptors(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, p *poller.Poller, r int){
		"removed": func(t *testing.T, p *poller.Poller, r int) {
			require.NoError(t, p.RemoveFD(uintptr(r)))
		},
		"removed and closed": func(t *testing.T, p *poller.Poller, r int) {
			require.NoError(t, p.RemoveFD(uintptr(r)))
			closeFD(t, r)
		},
		"closed": func(t *testing.T, _ *poller.Poller, r int) {
			closeFD(t, r)
		},
		"closed and removed": func(t *testing.T, p *poller.Poller, r int) {
			closeFD(t, r)
			require.NoError(t, p.RemoveFD(uintptr(r)))
		},
		"closed and removed while a duplicate is open": func(t *testing.T, p *poller.Poller, r int) {
			dup, err := syscall.Dup(r)
			require.NoError(t, err)
			opens(t, dup)
			closeFD(t, r)
			require.NoError(t, p.RemoveFD(uintptr(r)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, w := pipe(t)
			p := newPoller(t)
			require.NoError(t, p.AddFD(uintptr(r), poller.In))
			writeFD(t, w, "x")
			closeFD(t, w)
			for range 3 {
				require.NotZero(t, ofFD(t, poll(t, p, -1), uintptr(r))&poller.In)
			}
			end(t, p, r)
			requireQuiet(t, p)
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
			for range slow {
				pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
				connect(t, pull, push, inprocName())
				require.NoError(t, p.Add(pull, poller.In))
				writers = append(writers, push)
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
				requireExact(t, p, timeout)
			}
		})
	}
}
