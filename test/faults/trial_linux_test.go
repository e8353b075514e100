//go:build linux && !asan

package faults_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// A trial is one run of a scenario, during which something may fail. What its methods
// cannot do ends the scenario with the error that they were given.
type trial struct {
	ctx      context.Context // ends when there is no hope any more
	made     func()          // called by scenarios that have all their sockets, and attach them now
	contexts []*zmq.Context
	closers  []func() error
	broken   chan error // from what runs beside the scenario
}

// failure is what a trial panics with.
type failure struct{ err error }

// errStuck says that a scenario made no progress: a hang.
var errStuck = errors.New("stuck")

// attempt runs a scenario, closes what it opened, and returns every error there was.
func attempt(x *trial, scenario func(*trial)) (errs []error) {
	err := recovered(func() { scenario(x) })
	if err != nil {
		errs = append(errs, err)
	}
	for i := len(x.closers) - 1; i >= 0; i-- {
		if err := x.closers[i](); err != nil {
			errs = append(errs, err)
		}
	}
	for _, zctx := range x.contexts {
		if err := zctx.CloseContext(x.ctx); err != nil {
			errs = append(errs, stuck(x, err))
		}
	}
	return errs
}

func recovered(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.err
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// stuck marks an error that comes from waiting for too long.
func stuck(x *trial, err error) error {
	if x.ctx.Err() != nil {
		return fmt.Errorf("%w: %w", errStuck, err)
	}
	return err
}

func (x *trial) must(err error) {
	if err != nil {
		panic(failure{stuck(x, err)})
	}
}

// later has f called when the scenario is over, the last one first.
func (x *trial) later(f func() error) { x.closers = append(x.closers, f) }

func (x *trial) context() *zmq.Context {
	zctx, err := zmq.NewContext(zmq.SocketDefaults(zmq.TrackSubscriptions.To(true)))
	x.must(err)
	x.contexts = append(x.contexts, zctx)
	return zctx
}

func (x *trial) socket(zctx *zmq.Context, typ zmq.SocketType, settings ...zmq.Setting) *zmq.Socket {
	s, err := zctx.NewSocket(typ, append([]zmq.Setting{zmq.Linger.To(0), zmq.ReconnectInterval.To(2 * time.Millisecond)}, settings...)...)
	x.must(err)
	return s
}

// pair makes two sockets and connects the second to the first.
func (x *trial) pair(bindType, connectType zmq.SocketType, endpoint string) (bound, connected *zmq.Socket) {
	zctx := x.context()
	bound, connected = x.socket(zctx, bindType), x.socket(zctx, connectType)
	x.made()
	x.connect(bound, connected, endpoint)
	return bound, connected
}

// connect binds one socket and connects the other.
func (x *trial) connect(bound, connected *zmq.Socket, endpoint string) {
	x.must(bound.Bind(endpoint))
	actual, err := bound.LastEndpoint()
	x.must(err)
	x.must(connected.Connect(actual))
}

// until repeats a step until it succeeds. A step that waited in vain for a while is
// no failure: a message may have been lost with a connection.
func (x *trial) until(step func(ctx context.Context) error) {
	for {
		select {
		case err := <-x.broken:
			panic(failure{err})
		default:
		}
		ctx, cancel := context.WithTimeout(x.ctx, 200*time.Millisecond)
		err := step(ctx)
		late := ctx.Err() != nil
		cancel()
		switch {
		case err == nil:
			return
		case x.ctx.Err() != nil, !late:
			x.must(err)
		}
	}
}

// deliver sends a message until one has come.
func (x *trial) deliver(from, to *zmq.Socket, parts ...[]byte) {
	x.until(func(ctx context.Context) error {
		if err := from.SendMultipart(ctx, parts); err != nil {
			return err
		}
		for { // messages whose send seemed to fail may still arrive
			got, err := to.RecvMultipart(ctx)
			if err != nil || len(got) >= len(parts) {
				return err
			}
		}
	})
}

// endpointOf returns an endpoint of a transport to bind to.
func endpointOf(transport string) string {
	switch transport {
	case "tcp":
		return "tcp://127.0.0.1:*"
	case "ipc":
		return "ipc://*"
	}
	return "inproc://trial"
}

// patience returns a context that ends after so many ticks of 50 ms in which the
// process ran: one that was stopped for a while does not lose its patience.
func patience(ticks int) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	ticker := time.NewTicker(50 * time.Millisecond)
	go func() {
		defer ticker.Stop()
		for range ticks {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
		}
		cancel()
	}()
	return ctx, cancel
}
