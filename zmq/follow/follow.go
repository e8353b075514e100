// Package follow keeps a socket connected to all addresses of a name, as they come and go: the
// pods behind a headless service of Kubernetes, the targets of an SRV record, or the lines of
// a file.
//
// libzmq resolves a host name when it connects, and uses the first address only. A PUSH
// that should share its work among all instances of a service, or a SUB that should hear each
// of them, needs a connection to every address and has to drop those that are gone. Follow does
// both:
//
//	go follow.Follow(ctx, push, &follow.DNS{Endpoint: "tcp://orders.shop.svc.cluster.local:5555"})
//
// The bound side needs nothing: a service that scales up or down binds and unbinds as usual.
package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// Resolver says where a service is. Resolve returns the endpoints that a socket should be
// connected to, in any order. An empty list means that there are none.
//
// Follow calls Resolve from one goroutine, again and again: after the time that the method
// Refresh() time.Duration returns, if the Resolver has one, and otherwise after a second.
// A Resolver that knows of changes by itself may block in Resolve until there is one or ctx is
// done, and return an interval of 0. After an error, Follow keeps the last answer and asks again
// after a second, then two, and so on up to 30.
type Resolver interface {
	Resolve(ctx context.Context) (endpoints []string, err error)
}

// Change is what Follow reports: connections that it made and ended, or what failed.
type Change struct {
	Added   []string // endpoints that the socket was connected to
	Removed []string // endpoints that the socket was disconnected from: no later send goes there
	Err     error    // of the Resolver, or of a Connect or Disconnect that Follow will try again
}

const (
	defaultRefresh = time.Second
	maxBackoff     = 30 * time.Second
)

// Follow connects s to every endpoint that r names, and disconnects it from those that r no longer
// names, until ctx is done or s is closed. It connects to new endpoints before it disconnects
// from old ones. Follow blocks, so it usually has a goroutine of its own; s can be used at the
// same time.
//
// A Disconnect drops messages from the removed address that still wait in libzmq's queue; see
// zmq.Socket.Disconnect. Messages for the removed address that are still unsent linger as
// [zmq.Linger] says, so those that a running peer takes in time arrive. Types that connect can
// follow: PUSH, DEALER, SUB, REQ and others. A REQ that waits for the reply of a peer that is
// removed does not get it.
//
// Follow calls each function in watch, from its own goroutine, after it has changed something
// and when something failed. It does not end because of a Resolver that fails or of an endpoint that Connect
// refuses: it reports them and tries again. It touches only connections that it made itself,
// and leaves them open when it returns.
//
// The error wraps ctx.Err(), or it is zmq.ErrClosed or zmq.ErrTerminated if the socket ended first.
func Follow(ctx context.Context, s *zmq.Socket, r Resolver, watch ...func(Change)) error {
	if s == nil || r == nil || ctx == nil {
		return errors.New("follow: the socket, the resolver or the context is nil")
	}
	f := follower{s: s, connected: map[string]bool{}}
	failures := 0
	for {
		endpoints, err := r.Resolve(ctx)
		change := Change{Err: err}
		if ctx.Err() != nil {
			return fmt.Errorf("follow: %w", ctx.Err())
		}
		wait := refresh(r)
		if err != nil {
			wait = min(time.Second<<min(failures, 5), maxBackoff)
			failures++
		} else {
			failures = 0
			if change, err = f.apply(endpoints); err != nil {
				return err
			}
		}
		if len(change.Added)+len(change.Removed) > 0 || change.Err != nil {
			for _, w := range watch {
				w(change)
			}
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return fmt.Errorf("follow: %w", ctx.Err())
		}
	}
}

// refresh returns how long the last answer of a Resolver is good for.
func refresh(r Resolver) time.Duration {
	if own, ok := r.(interface{ Refresh() time.Duration }); ok {
		return own.Refresh()
	}
	return defaultRefresh
}

// A follower is the state of one Follow.
type follower struct {
	s         *zmq.Socket
	connected map[string]bool
}

// apply changes the connections of the socket. It returns an error if the socket is unusable.
func (f *follower) apply(endpoints []string) (c Change, fatal error) {
	wanted := map[string]bool{}
	for _, e := range endpoints {
		wanted[e] = true
	}
	failed := func(err error) {
		c.Err = cmp.Or(c.Err, err)
		if errors.Is(err, zmq.ErrClosed) || errors.Is(err, zmq.ErrTerminated) {
			fatal = err
		}
	}
	for e := range wanted {
		if f.connected[e] || fatal != nil {
			continue
		}
		if err := f.s.Connect(e); err != nil {
			failed(err)
			continue
		}
		f.connected[e] = true
		c.Added = append(c.Added, e)
	}
	for e := range f.connected {
		if wanted[e] || fatal != nil {
			continue
		}
		// Without a connection there is nothing to end: the program has disconnected it.
		if err := f.s.Disconnect(e); err != nil && !errors.Is(err, errNotConnected) {
			failed(err)
			continue
		}
		delete(f.connected, e)
		c.Removed = append(c.Removed, e)
	}
	slices.Sort(c.Added)
	slices.Sort(c.Removed)
	return c, fatal
}
