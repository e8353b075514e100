//go:build unix

package poller_test

import (
	"context"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
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
				if events, err := p.Poll(idleFor); len(events) > 0 || err != nil {
					t.Error(events, err)
				}
			})
		}
		group.Wait()
	})
}

// These tests measure the whole process, so they do not run in parallel.

func TestIdleSockets(t *testing.T) {
	zctx := newContext(t)
	p := newPoller(t)
	for range 100 {
		s := newSocket(t, zctx, zmq.Pull)
		require.NoError(t, s.Bind(inprocName()))
		require.NoError(t, p.Add(s, poller.In))
	}
	requireQuiet(t, p)
	requireIdle(t, func() {
		ctx := zmqtest.Timeout(t, idleFor)
		_, err := p.Wait(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// A connection is a signal without a message. The poller, another goroutine or no
// goroutine consumes it.
func TestIdlePendingSignal(t *testing.T) {
	zctx := newContext(t)
	pull := newSocket(t, zctx, zmq.Pull)
	name := inprocName()
	require.NoError(t, pull.Bind(name))
	p := newPoller(t)
	require.NoError(t, p.Add(pull, poller.In))
	for range 3 {
		require.NoError(t, newSocket(t, zctx, zmq.Push).Connect(name))
		requireQuiet(t, p)
	}
}

// A ROUTER can always send. A Poller that waits for In only does not report that.
func TestIdleWhileOthersSend(t *testing.T) {
	zctx := newContext(t)
	router, dealer := newSocket(t, zctx, zmq.Router), newSocket(t, zctx, zmq.Dealer, zmq.RoutingID.To([]byte("peer")))
	connect(t, router, dealer, tcp)
	require.NoError(t, dealer.SendString(context.Background(), "hello"))
	zmqtest.RecvParts(t, router)
	p := newPoller(t)
	require.NoError(t, p.Add(router, poller.In))

	var group sync.WaitGroup
	requireIdle(t, func() {
		group.Go(func() {
			for range 20 {
				if err := router.SendMultipart(context.Background(), [][]byte{[]byte("peer"), []byte("x")}); err != nil {
					t.Error(err)
				}
				time.Sleep(idleFor / 20) // the pace of the sends
			}
		})
		require.Empty(t, poll(t, p, idleFor))
	})
	group.Wait()
}

// The looks of one poller must not wake another one forever.
func TestIdleTwoPollers(t *testing.T) {
	for name, types := range map[string][2]zmq.SocketType{
		"PULL":   {zmq.Pull, zmq.Push},
		"REP":    {zmq.Rep, zmq.Req},
		"REQ":    {zmq.Req, zmq.Rep},
		"DEALER": {zmq.Dealer, zmq.Dealer},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := connected(t, types[0], types[1], inprocName())
			one, two, three := newPoller(t), newPoller(t), newPoller(t)
			for _, p := range []*poller.Poller{one, two, three} {
				require.NoError(t, p.Add(a, poller.In))
			}
			requireQuiet(t, one, two, three)
		})
	}
}

// Pollers and a goroutine in Recv wait for the same socket.
func TestIdleBesideReceivers(t *testing.T) {
	for name, types := range map[string][2]zmq.SocketType{
		"PULL": {zmq.Pull, zmq.Push},
		"REP":  {zmq.Rep, zmq.Req},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := connected(t, types[0], types[1], inprocName())
			p := newPoller(t)
			require.NoError(t, p.Add(a, poller.In))
			ctx, cancel := context.WithCancel(context.Background())
			var group sync.WaitGroup
			for range 3 {
				group.Go(func() { _, _ = a.RecvMultipart(ctx) })
			}
			requireQuiet(t, p)
			cancel()
			group.Wait()
		})
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

// A descriptor that is always writable does not wake a Poller that waits for In.
func TestIdleWritableDescriptor(t *testing.T) {
	a, b := socketpair(t)
	p := newPoller(t)
	for _, fd := range []int{a, b} {
		require.NoError(t, p.AddFD(uintptr(fd), poller.In|poller.Err|poller.Pri))
	}
	requireQuiet(t, p)
}

// Messages from the peers of a PUB cannot be received, and do not wake a Poller.
func TestIdleOverSubscriptions(t *testing.T) {
	zctx := newContext(t)
	pub, sub := newSocket(t, zctx, zmq.Pub), newSocket(t, zctx, zmq.Sub)
	endpoint := inprocName()
	require.NoError(t, pub.Bind(endpoint))
	one, two := newPoller(t), newPoller(t)
	require.NoError(t, one.Add(pub, poller.In))
	require.NoError(t, two.Add(pub, poller.In))
	require.NoError(t, sub.Connect(endpoint))
	require.NoError(t, sub.Subscribe("a"))
	requireQuiet(t, one, two)
}
