package poller_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

// The reasons for the end of a Poll and a Wait, and their errors.
func TestWaitEndsWithContextOrClose(t *testing.T) {
	t.Parallel()
	type ground struct {
		p      *poller.Poller
		c      *zmq.Context
		s      *zmq.Socket
		cancel context.CancelFunc
	}
	for name, test := range map[string]struct {
		end  func(g ground) error
		want error // nil: no error, and no events
		wait bool  // for Wait only
	}{
		"close":       {end: func(g ground) error { return g.p.Close() }, want: zmq.ErrClosed},
		"shutdown":    {end: func(g ground) error { return g.c.Shutdown() }, want: zmq.ErrTerminated},
		"the context": {end: func(g ground) error { return g.c.Close() }, want: zmq.ErrTerminated},
		"wake":        {end: func(g ground) error { return g.p.Wake() }},
		"cancel":      {end: func(g ground) error { g.cancel(); return nil }, want: context.Canceled, wait: true},
	} {
		for kind, call := range map[string]func(ctx context.Context, p *poller.Poller) ([]poller.Event, error){
			"Poll(-1)":   func(_ context.Context, p *poller.Poller) ([]poller.Event, error) { return p.Poll(-1) },
			"Poll(hour)": func(_ context.Context, p *poller.Poller) ([]poller.Event, error) { return p.Poll(time.Hour) },
			"Wait":       func(ctx context.Context, p *poller.Poller) ([]poller.Event, error) { return p.Wait(ctx) },
		} {
			if test.wait && kind != "Wait" {
				continue
			}
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				zctx := newContext(t)
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				g := ground{newPoller(t), zctx, newSocket(t, zctx, zmq.Pull), cancel}
				require.NoError(t, g.p.Add(g.s, in))
				done := waiting(t, g.p, func() ([]poller.Event, error) { return call(ctx, g.p) })
				time.Sleep(5 * time.Millisecond) // so that it sleeps indeed
				start := time.Now()
				require.NoError(t, test.end(g))
				r := await(t, done, "the end")
				require.Less(t, time.Since(start), soon)
				require.Empty(t, r.events)
				if test.want == nil {
					require.NoError(t, r.err)
					return
				}
				require.ErrorIs(t, r.err, test.want)
				require.ErrorContains(t, r.err, "poller")
			})
		}
	}
}

func TestAfterClose(t *testing.T) {
	t.Parallel()
	s := newSocket(t, newContext(t), zmq.Pull)
	other := newSocket(t, newContext(t), zmq.Pull)
	p, err := poller.New()
	require.NoError(t, err)
	require.NoError(t, p.Add(s, in))
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
	for name, call := range map[string]func() error{
		"add":      func() error { return p.Add(other, in) },
		"update":   func() error { return p.Update(s, in) },
		"remove":   func() error { return p.Remove(s) },
		"addfd":    func() error { return p.AddFD(0, in) },
		"updatefd": func() error { return p.UpdateFD(0, in) },
		"removefd": func() error { return p.RemoveFD(0) },
		"wake":     func() error { return p.Wake() },
		"poll":     func() error { _, err := p.Poll(-1); return err },
		"look":     func() error { _, err := p.Poll(0); return err },
		"wait":     func() error { _, err := p.Wait(context.Background()); return err },
	} {
		err := call()
		require.ErrorIs(t, err, zmq.ErrClosed, name)
		require.ErrorIs(t, err, net.ErrClosed, name)
		require.ErrorContains(t, err, "the poller is closed", name)
	}
	require.Zero(t, p.Len())
	require.NoError(t, s.Set(zmq.Linger.To(0)), "the socket is open")
}

// A closed Poller leaves nothing behind, whatever it held.
func TestLenAfterClose(t *testing.T) {
	t.Parallel()
	p, err := poller.New()
	require.NoError(t, err)
	require.NoError(t, p.Add(newSocket(t, newContext(t), zmq.Pull), in))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	conn, err := l.(*net.TCPListener).SyscallConn()
	require.NoError(t, err)
	require.NoError(t, conn.Control(func(fd uintptr) { require.NoError(t, p.AddFD(fd, in)) }))
	require.Equal(t, 2, p.Len())
	require.NoError(t, p.Close())
	require.Zero(t, p.Len())
}

// The error of a context that was shut down stays until its socket is removed. The other
// sockets are then served as before.
func TestAfterShutdown(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(t *testing.T, p *poller.Poller, s *zmq.Socket){
		"remove": func(t *testing.T, p *poller.Poller, s *zmq.Socket) { require.NoError(t, p.Remove(s)) },
		"close":  func(t *testing.T, _ *poller.Poller, s *zmq.Socket) { require.NoError(t, s.Close()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pull, push := connected(t, zmq.Pull, zmq.Push, inprocName())
			zctx := newContext(t)
			one, two := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Pub)
			p := newPoller(t)
			require.NoError(t, p.Add(pull, in))
			require.NoError(t, p.Add(one, in))
			require.NoError(t, p.Add(two, out))
			require.NoError(t, push.SendString(context.Background(), "x"))
			require.NoError(t, zctx.Shutdown())
			for range 3 {
				_, err := p.Poll(0)
				require.ErrorIs(t, err, zmq.ErrTerminated)
				_, err = p.Wait(context.Background())
				require.ErrorIs(t, err, zmq.ErrTerminated)
				require.ErrorContains(t, err, "remove or close")
			}
			require.ErrorIs(t, p.Add(one, in), zmq.ErrTerminated)
			require.NoError(t, p.Update(one, in))
			away(t, p, one)
			_, err := p.Poll(0)
			require.ErrorIs(t, err, zmq.ErrTerminated, "the other one is still there")
			away(t, p, two)
			require.Equal(t, 1, p.Len())
			require.Equal(t, in, of(t, poll(t, p, -1), pull))
			require.NoError(t, zctx.Close())
			require.Equal(t, in, of(t, poll(t, p, -1), pull), "there is nobody left to tell of")
		})
	}
}

// Closing a context removes its sockets. The Poller reports it once.
func TestAfterContextClose(t *testing.T) {
	t.Parallel()
	pull, push := connected(t, zmq.Pull, zmq.Push, inprocName())
	p := newPoller(t)
	require.NoError(t, p.Add(pull, in))
	zctx := newContext(t)
	for range 3 {
		require.NoError(t, p.Add(newSocket(t, zctx, zmq.Pull), in))
	}
	require.NoError(t, zctx.Close())
	require.Equal(t, 1, p.Len())
	_, err := p.Poll(-1)
	require.ErrorIs(t, err, zmq.ErrTerminated)
	require.NoError(t, push.SendString(context.Background(), "x"))
	require.Equal(t, in, of(t, poll(t, p, -1), pull))
}

// A closed socket is removed.
func TestSocketCloses(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	p := newPoller(t)
	closed, open := newSocket(t, zctx, zmq.Pub), newSocket(t, zctx, zmq.Pub)
	require.NoError(t, p.Add(closed, out))
	require.NoError(t, p.Add(open, out))
	require.Len(t, poll(t, p, -1), 2)
	require.NoError(t, closed.Close())
	require.Equal(t, 1, p.Len())
	events := poll(t, p, -1)
	require.Len(t, events, 1)
	require.Equal(t, out, of(t, events, open))
	require.ErrorIs(t, p.Add(closed, out), zmq.ErrClosed)

	// The next descriptor gets its number.
	for range 20 {
		s := newSocket(t, zctx, zmq.Pull)
		require.NoError(t, p.Add(s, in))
		require.Len(t, poll(t, p, 0), 1)
		require.NoError(t, s.Close())
	}
	require.Equal(t, 1, p.Len())
}

func TestWake(t *testing.T) {
	t.Parallel()
	p := idlePoller(t)
	require.NoError(t, p.Wake())
	require.NoError(t, p.Wake())
	start := time.Now()
	require.Empty(t, poll(t, p, time.Minute), "woken before")
	require.Less(t, time.Since(start), soon)
	start = time.Now()
	require.Empty(t, poll(t, p, 20*time.Millisecond))
	require.GreaterOrEqual(t, time.Since(start), 20*time.Millisecond, "once")

	done := waiting(t, p, forEver(p))
	require.NoError(t, p.Wake())
	require.Equal(t, 0, len(await(t, done, "wake").events))

	// Each of many changes is seen, by the Poll under way or by the next one.
	for range 2000 {
		var group sync.WaitGroup
		group.Go(func() { _ = p.Wake() })
		require.Empty(t, poll(t, p, -1))
		group.Wait()
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.NoError(t, p.Wake())
	_, err := p.Wait(ctx)
	require.ErrorIs(t, err, context.Canceled, "a context that has ended is said first")
	require.Empty(t, poll(t, p, time.Minute), "and Wake remains")
}

func TestWaitContexts(t *testing.T) {
	t.Parallel()
	pull, push := connected(t, zmq.Pull, zmq.Push, inprocName())
	p := newPoller(t)
	require.NoError(t, p.Add(pull, in))
	require.NoError(t, push.SendString(context.Background(), "x"))
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	past, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Hour))
	defer cancel()
	for range 3 {
		for _, ctx := range []context.Context{canceled, past} {
			events, err := p.Wait(ctx)
			require.ErrorIs(t, err, ctx.Err())
			require.Empty(t, events)
		}
	}
	events, err := p.Wait(context.Background())
	require.NoError(t, err)
	require.Equal(t, in, of(t, events, pull))
	events, err = p.Wait(context.WithoutCancel(canceled))
	require.NoError(t, err)
	require.Equal(t, in, of(t, events, pull))
}

// Sockets, their contexts and the Poller are closed at the same moment.
func TestCloseRaces(t *testing.T) {
	t.Parallel()
	for range 100 {
		zctx := newContext(t)
		p, err := poller.New()
		require.NoError(t, err)
		var sockets []*zmq.Socket
		for range 20 {
			s := newSocket(t, zctx, zmq.Pull)
			require.NoError(t, p.Add(s, in))
			sockets = append(sockets, s)
		}
		var group sync.WaitGroup
		group.Go(func() {
			for {
				if _, err := p.Wait(context.Background()); err != nil {
					return
				}
			}
		})
		group.Go(func() { _ = p.Close() })
		group.Go(func() {
			for _, s := range sockets[:10] {
				_ = s.Close()
			}
		})
		group.Go(func() { _ = zctx.Close() })
		group.Wait()
		_, err = p.Poll(0)
		require.ErrorIs(t, err, zmq.ErrClosed)
		require.NoError(t, zctx.Close())
	}
}
