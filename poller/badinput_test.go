package poller_test

import (
	"context"
	"math"
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

// As in package zmq, a value that was not made by its function, and a context that is
// nil, end in an error or in nothing, not in a panic.
func TestZeroValues(t *testing.T) {
	t.Parallel()
	s := newSocket(t, newContext(t), zmq.Pull)
	ctx := context.Background()
	var zeroPoller poller.Poller
	var zeroReactor poller.Reactor
	var zeroTimer poller.Timer
	calls := map[string]func() error{}
	for name, p := range map[string]*poller.Poller{"nil": nil, "zero": &zeroPoller} {
		calls[name+".Add"] = func() error { return p.Add(s, in) }
		calls[name+".Update"] = func() error { return p.Update(s, in) }
		calls[name+".Remove"] = func() error { return p.Remove(s) }
		calls[name+".AddFD"] = func() error { return p.AddFD(0, in) }
		calls[name+".Poll"] = func() error { _, err := p.Poll(0); return err }
		calls[name+".Wait"] = func() error { _, err := p.Wait(ctx); return err }
		calls[name+".Wake"] = func() error { return p.Wake() }
	}
	for name, r := range map[string]*poller.Reactor{"nil reactor": nil, "zero reactor": &zeroReactor} {
		calls[name+".Handle"] = func() error { return r.Handle(s, in, handleNothing) }
		calls[name+".After"] = func() error { _, err := r.After(0, nothing); return err }
		calls[name+".Run"] = func() error { return r.Run(ctx) }
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			require.NotPanics(t, func() { require.ErrorIs(t, call(), zmq.ErrClosed) })
		})
	}
	require.NotPanics(t, func() {
		require.False(t, zeroTimer.Cancel())
		require.NoError(t, zeroPoller.Close())
		require.NoError(t, (*poller.Poller)(nil).Close())
		require.Zero(t, zeroPoller.Len())
		require.NoError(t, zeroReactor.Close())
	})
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

func TestEventsString(t *testing.T) {
	t.Parallel()
	for events, want := range map[poller.Events]string{
		0: "0", in: "In", out: "Out", poller.Err: "Err", poller.Pri: "Pri", both: "In|Out",
		in | out | poller.Err | poller.Pri: "In|Out|Err|Pri", in | 0x80: "In|128", 0xf0: "240",
	} {
		require.Equal(t, want, events.String())
	}
}
