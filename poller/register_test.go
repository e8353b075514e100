package poller_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

func nothing() error { return nil }

func handleNothing(poller.Event) error { return nil }

func TestBadInput(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	p, r := newPoller(t), newReactor(t)
	here, gone, other := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
	require.NoError(t, p.Add(here, in))
	require.NoError(t, r.Handle(here, in, handleNothing))
	require.NoError(t, gone.Close())
	terminated := newContext(t)
	stopped := newSocket(t, terminated, zmq.Pull)
	require.NoError(t, terminated.Shutdown())

	type errorCase struct {
		what string
		call func() error
		want error
		text string
	}
	cases := []errorCase{
		{"Add a closed one", func() error { return p.Add(gone, in) }, zmq.ErrClosed, "closed"},
		{"Add a terminated one", func() error { return p.Add(stopped, in) }, zmq.ErrTerminated, "shut down"},
		{"Add twice", func() error { return p.Add(here, out) }, syscall.EINVAL, "already in the poller"},
		{"Update what is not there", func() error { return p.Update(other, in) }, syscall.EINVAL, "not in the poller"},
		{"Update a closed one", func() error { return p.Update(gone, in) }, syscall.EINVAL, "closed"},
		{"Remove what is not there", func() error { return p.Remove(other) }, syscall.EINVAL, "PUSH socket is not in the poller"},
		{"Remove a closed one", func() error { return p.Remove(gone) }, syscall.EINVAL, "not in the poller"},
		{"UpdateFD of none", func() error { return p.UpdateFD(1, in) }, syscall.EINVAL, "descriptor 1"},
		{"RemoveFD of none", func() error { return p.RemoveFD(1) }, syscall.EINVAL, "descriptor 1"},
		{"RemoveFD of none, huge", func() error { return p.RemoveFD(math.MaxUint64) }, syscall.EINVAL, "descriptor"},
		{"Handle without a handler", func() error { return r.Handle(other, in, nil) }, syscall.EINVAL, "handler is nil"},
		{"HandleFD without a handler", func() error { return r.HandleFD(0, in, nil) }, syscall.EINVAL, "handler is nil"},
		{"Handle twice", func() error { return r.Handle(here, in, handleNothing) }, syscall.EINVAL, "already"},
		{"Reactor Update of none", func() error { return r.Update(other, in) }, syscall.EINVAL, "not in"},
		{"Reactor Remove of none", func() error { return r.Remove(other) }, syscall.EINVAL, "not in"},
		{"Reactor UpdateFD of none", func() error { return r.UpdateFD(1, in) }, syscall.EINVAL, "descriptor 1"},
		{"Reactor RemoveFD of none", func() error { return r.RemoveFD(1) }, syscall.EINVAL, "descriptor 1"},
		{"After without a function", func() error { _, err := r.After(0, nil); return err }, syscall.EINVAL, "function is nil"},
		{"Every without a function", func() error { _, err := r.Every(1, nil); return err }, syscall.EINVAL, "function is nil"},
		{"Every 0", func() error { _, err := r.Every(0, nothing); return err }, syscall.EINVAL, "0s"},
		{"Every -1 s", func() error { _, err := r.Every(-time.Second, nothing); return err }, syscall.EINVAL, "-1s"},
		{"Every at least", func() error { _, err := r.Every(math.MinInt64, nothing); return err }, syscall.EINVAL, "positive"},
	}
	for what, s := range map[string]*zmq.Socket{"a nil socket": nil, "the zero socket": {}} {
		for call, f := range map[string]func() error{
			"Add":    func() error { return p.Add(s, in) },
			"Update": func() error { return p.Update(s, in) },
			"Remove": func() error { return p.Remove(s) },
			"Handle": func() error { return r.Handle(s, in, handleNothing) },
		} {
			cases = append(cases, errorCase{call + " " + what, f, zmq.ErrClosed, "the socket is nil"})
		}
	}
	for _, bad := range []struct {
		events  poller.Events
		text    string
		sockets bool // for sockets only
	}{
		{1 << 4, "unknown events 16", false},
		{in | 1<<4, "unknown events In|16", false},
		{1 << 7, "unknown events 128", false},
		{255, "unknown events", false},
		{poller.Err, "In and Out, not for Err", true},
		{poller.Pri, "In and Out, not for Pri", true},
		{poller.Err | poller.Pri, "not for Err|Pri", true},
	} {
		for call, f := range map[string]func() error{
			"Add":           func() error { return p.Add(other, bad.events) },
			"Update":        func() error { return p.Update(here, bad.events) },
			"Handle":        func() error { return r.Handle(other, bad.events, handleNothing) },
			"ReactorUpdate": func() error { return r.Update(here, bad.events) },
		} {
			cases = append(cases, errorCase{call + " for " + bad.events.String(), f, syscall.EINVAL, bad.text})
		}
		if bad.sockets {
			continue
		}
		for call, f := range map[string]func() error{
			"AddFD":    func() error { return p.AddFD(0, bad.events) },
			"UpdateFD": func() error { return p.UpdateFD(0, bad.events) },
			"HandleFD": func() error { return r.HandleFD(0, bad.events, handleNothing) },
		} {
			cases = append(cases, errorCase{call + " for " + bad.events.String(), f, syscall.EINVAL, bad.text})
		}
	}
	for _, c := range cases {
		t.Run(c.what, func(t *testing.T) {
			err := c.call()
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, c.text)
			require.ErrorContains(t, err, "zmq: poller ")
			var zerr *zmq.Error
			require.ErrorAs(t, err, &zerr)
		})
	}
	require.Equal(t, 1, p.Len(), "nothing was added")
	require.Empty(t, poll(t, p, 0))
}

// A value that is nil, was not made by its function or is closed returns ErrClosed from all calls.
func TestUnusableValues(t *testing.T) {
	t.Parallel()
	s, other := newSocket(t, newContext(t), zmq.Pull), newSocket(t, newContext(t), zmq.Pull)
	ctx := context.Background()
	closed, err := poller.New()
	require.NoError(t, err)
	require.NoError(t, closed.Add(s, in))
	require.Equal(t, 1, closed.Len())
	closedReactor, err := poller.NewReactor()
	require.NoError(t, err)
	timer, err := closedReactor.After(0, stop)
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, closed.Close())
		require.NoError(t, closedReactor.Close())
	}
	refuses := func(err error) {
		t.Helper()
		require.ErrorIs(t, err, zmq.ErrClosed)
		require.ErrorIs(t, err, net.ErrClosed)
		require.ErrorContains(t, err, "the poller is closed")
	}
	for _, p := range []*poller.Poller{nil, new(poller.Poller), closed} {
		for _, err := range []error{
			p.Add(other, in), p.Update(s, in), p.Remove(s), p.AddFD(0, in), p.UpdateFD(0, in), p.RemoveFD(0), p.Wake(),
		} {
			refuses(err)
		}
		for _, timeout := range []time.Duration{-1, 0, time.Hour} {
			_, err := p.Poll(timeout)
			refuses(err)
		}
		_, err := p.Wait(ctx)
		refuses(err)
		require.NoError(t, p.Close())
		require.Zero(t, p.Len())
	}
	for _, r := range []*poller.Reactor{nil, new(poller.Reactor), closedReactor} {
		refuses(r.Handle(other, in, handleNothing))
		refuses(r.Run(ctx))
		none, err := r.After(0, nothing)
		refuses(err)
		require.Nil(t, none)
		none, err = r.Every(1, nothing)
		refuses(err)
		require.Nil(t, none)
		require.NoError(t, r.Close())
	}
	require.True(t, timer.Cancel())
	require.False(t, new(poller.Timer).Cancel())
	require.NoError(t, s.Set(zmq.Linger.To(0)), "the socket is open")
}

// A nil context.Context is refused, as in package zmq.
func TestNilContextIsRefused(t *testing.T) {
	t.Parallel()
	pub := newSocket(t, newContext(t), zmq.Pub)
	p, r := newPoller(t), newReactor(t)
	require.NoError(t, p.Add(pub, out))
	require.NoError(t, r.Handle(pub, out, func(poller.Event) error { return errStop }))
	var none context.Context
	_, err := p.Wait(none)
	require.ErrorIs(t, err, syscall.EINVAL)
	require.ErrorContains(t, err, "context.Background()")
	require.ErrorIs(t, r.Run(none), syscall.EINVAL)
}

// A removed socket is not reported again. Receives of other goroutines afterwards do no
// harm.
func TestRemoveDuringAWait(t *testing.T) {
	t.Parallel()
	pull, push := connected(t, zmq.Pull, zmq.Push, inprocName())
	p := newPoller(t)
	for range 200 {
		require.NoError(t, p.Add(pull, in))
		done := waiting(t, p, forEver(p))
		require.NoError(t, p.Remove(pull))
		require.NoError(t, push.SendString(context.Background(), "x"))
		require.NoError(t, p.Wake())
		r := await(t, done, "the end")
		require.NoError(t, r.err)
		require.Empty(t, r.events)
		here(t, recv(pull))
	}
	require.Zero(t, p.Len())
}

// Of two calls at the same time, the second is refused and the first goes on.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	pull, push := connected(t, zmq.Pull, zmq.Push, inprocName())
	p := newPoller(t)
	require.NoError(t, p.Add(pull, in))
	done := waiting(t, p, forEver(p))
	for range 10 {
		for _, timeout := range []time.Duration{-1, 0, time.Second} {
			_, err := p.Poll(timeout)
			require.ErrorIs(t, err, zmq.ErrState)
			require.ErrorContains(t, err, "another goroutine")
		}
		_, err := p.Wait(context.Background())
		require.ErrorIs(t, err, zmq.ErrState)
	}
	require.NoError(t, push.SendString(context.Background(), "x"))
	r := await(t, done, "the message")
	require.NoError(t, r.err)
	require.Equal(t, in, of(t, r.events, pull))
}

// Eight goroutines add, update, remove, close, send and receive while one waits. The
// Poller reports no socket that was closed before the wait. At the end it knows all
// sockets.
func TestEverythingAtOnce(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	p := newPoller(t)
	length := 2 * time.Second
	if testing.Short() {
		length /= 10
	}
	end := time.Now().Add(length)
	var changers, waiter sync.WaitGroup
	var events atomic.Int64
	waiter.Go(func() {
		for {
			list, err := p.Wait(context.Background())
			if err != nil {
				if !errors.Is(err, zmq.ErrClosed) {
					t.Error(err)
				}
				return
			}
			for _, e := range list {
				events.Add(1)
				if e.Socket == nil || e.Events == 0 || e.Events&^both != 0 {
					t.Errorf("%+v", e)
				}
				_, _ = e.Socket.RecvMultipart(context.Background(), zmq.DontWait)
			}
		}
	})
	shared := newSocket(t, zctx, zmq.Dealer)
	name := inprocName()
	require.NoError(t, shared.Bind(name))
	allowed := func(err error) bool {
		return err == nil || errors.Is(err, syscall.EINVAL) || errors.Is(err, zmq.ErrClosed) || errors.Is(err, zmq.ErrAgain)
	}
	for range 8 {
		changers.Go(func() {
			for time.Now().Before(end) {
				own, err := zctx.NewSocket(zmq.Dealer, zmq.Linger.To(0))
				if errors.Is(err, syscall.EMFILE) { // libzmq is still busy with closing others
					time.Sleep(time.Millisecond)
					continue
				}
				if err = errors.Join(err, own.Connect(name)); err != nil {
					t.Error(err)
					return
				}
				for range 20 {
					s := own
					if rand.IntN(2) == 0 {
						s = shared
					}
					switch interest := poller.Events(1 + rand.IntN(3)); rand.IntN(6) {
					case 0, 1:
						err = p.Add(s, interest)
					case 2:
						err = p.Update(s, interest)
					case 3:
						err = p.Remove(s)
					case 4:
						err = s.SendString(context.Background(), "x", zmq.DontWait)
					case 5:
						err = p.Wake()
					}
					if !allowed(err) {
						t.Error(err)
					}
				}
				_ = own.Close()
			}
		})
	}
	changers.Wait()
	if err := p.Add(shared, out); err != nil {
		require.ErrorIs(t, err, syscall.EINVAL)
	}
	require.Equal(t, 1, p.Len())
	require.NoError(t, p.Close())
	waiter.Wait()
	t.Log(events.Load(), "events")
}
