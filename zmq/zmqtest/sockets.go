package zmqtest

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/go-zmq/go-zmq/zmq"
)

// NewSocket returns a socket that is closed with the test. It drops unsent messages then,
// unless the settings set Linger.
func NewSocket(t testing.TB, zctx *zmq.Context, typ zmq.SocketType, settings ...zmq.Setting) *zmq.Socket {
	t.Helper()
	s, err := zctx.NewSocket(typ, append([]zmq.Setting{zmq.Linger.To(0)}, settings...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // it may be closed already
	return s
}

// Pair returns two sockets of a new context that are connected over inproc and ready: a is
// bound, b is connected, and each knows of the other. A PUB or XPUB among them tracks its
// subscriptions, a SUB is subscribed to every topic, and the publisher knows it.
//
// Each socket gets the settings that its type has. Both are closed with the test. For
// another transport, pass two sockets to Connect.
func Pair(t testing.TB, a, b zmq.SocketType, settings ...zmq.Setting) (*zmq.Socket, *zmq.Socket) {
	t.Helper()
	zctx := NewContext(t, zmq.SocketDefaults(settings...)) // leaves out what a type does not have
	first, second := newOfPair(t, zctx, a), newOfPair(t, zctx, b)
	Connect(t, first, second, InprocName())
	awaitSubscription(t, first, second)
	awaitSubscription(t, second, first)
	return first, second
}

func newOfPair(t testing.TB, zctx *zmq.Context, typ zmq.SocketType) *zmq.Socket {
	t.Helper()
	var settings []zmq.Setting
	if typ == zmq.Pub || typ == zmq.XPub {
		settings = append(settings, zmq.TrackSubscriptions.To(true))
	}
	s := NewSocket(t, zctx, typ, settings...)
	if typ == zmq.Sub {
		if err := s.Subscribe(""); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// awaitSubscription waits until a publisher knows of its SUB. A SUB that binds sends its
// subscriptions with its next call.
func awaitSubscription(t testing.TB, publisher, subscriber *zmq.Socket) {
	t.Helper()
	if publisher.Type() != zmq.Pub && publisher.Type() != zmq.XPub || subscriber.Type() != zmq.Sub {
		return
	}
	if _, err := zmq.Events.Get(subscriber); err != nil {
		t.Fatal(err)
	}
	if err := publisher.WaitSubscribers(Soon(t), 1); err != nil {
		t.Fatal(err)
	}
}

// Connect binds a to endpoint, connects b to it and waits until both are connected. Use
// "tcp://127.0.0.1:*" or "ipc://*" for a free address. A publisher may not know of the
// subscriptions of a connected SUB yet; see [zmq.Socket.WaitSubscribers].
func Connect(t testing.TB, a, b *zmq.Socket, endpoint string) {
	t.Helper()
	if err := b.Connect(Bind(t, a, endpoint)); err != nil {
		t.Fatal(err)
	}
	ctx := Soon(t)
	for _, s := range []*zmq.Socket{a, b} {
		if err := s.WaitConnected(ctx, 1); err != nil {
			t.Fatal(err)
		}
	}
}

// Bind binds a socket and returns the endpoint to connect to, in which wildcards are
// replaced.
func Bind(t testing.TB, s *zmq.Socket, endpoint string) string {
	t.Helper()
	if err := s.Bind(endpoint); err != nil {
		t.Fatal(err)
	}
	endpoint, err := s.LastEndpoint()
	if err != nil {
		t.Fatal(err)
	}
	return endpoint
}

var names atomic.Int64

// InprocName returns an inproc endpoint that no other test of the process uses.
func InprocName() string { return fmt.Sprintf("inproc://zmqtest-%d", names.Add(1)) }

// Soon returns a context that ends with the test or after 30 s, whichever is first, so that a
// test that waits for something that never comes fails instead of hanging.
func Soon(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// RequireWorks sends a message from one socket to the other, and fails the test if it does not
// arrive within 30 s. Nothing else may send to or receive from them meanwhile.
func RequireWorks(t testing.TB, from, to *zmq.Socket) {
	t.Helper()
	const text = "does it work?"
	ctx := Soon(t)
	if err := from.SendString(ctx, text); err != nil {
		t.Fatal(err)
	}
	got, err := to.RecvString(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got != text {
		t.Fatalf("received %q, want %q", got, text)
	}
}

// Monitor returns a monitor of the socket's connections that is closed with the test. Create
// it before the socket is bound or connected.
func Monitor(t testing.TB, s *zmq.Socket, events zmq.MonitorEvents) *zmq.Monitor {
	t.Helper()
	m, err := s.Monitor(events)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

// Await takes events from a monitor up to the first of the given kinds, and returns that
// one. The monitor must have been created with these kinds. It fails the test after 30 s.
func Await(t testing.TB, m *zmq.Monitor, kinds zmq.MonitorEvents) zmq.MonitorEvent {
	t.Helper()
	ctx := Soon(t)
	for {
		e, err := m.Next(ctx)
		if err != nil {
			t.Fatalf("waiting for %v: %v", kinds, err)
		}
		if e.Event&kinds != 0 {
			return e
		}
	}
}
