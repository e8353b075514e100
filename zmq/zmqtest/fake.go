package zmqtest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"syscall"

	"github.com/go-zmq/go-zmq/zmq"
)

// Conn is what a program needs of a socket that sends and receives. [*zmq.Socket] implements it,
// and so does [*Fake], so a program that takes a Conn can be tested without libzmq.
type Conn interface {
	Send(ctx context.Context, part []byte, flags ...zmq.Flag) error
	SendMultipart(ctx context.Context, parts [][]byte, flags ...zmq.Flag) error
	Recv(ctx context.Context, buf []byte, flags ...zmq.Flag) (n int, err error)
	RecvBytes(ctx context.Context, flags ...zmq.Flag) ([]byte, error)
	RecvMultipart(ctx context.Context, flags ...zmq.Flag) ([][]byte, error)
	RecvMore() bool
	Close() error
}

var (
	_ Conn = (*zmq.Socket)(nil)
	_ Conn = (*Fake)(nil)
)

// fakeHWM is how many messages a Fake holds for a receiver, as with libzmq's default HWM.
const fakeHWM = 1000

// Fake is one end of a connection in memory. What one end sends, the other receives, in order
// and each message once. It behaves like a PAIR with a connected peer: messages are whole,
// a send blocks while 1000 messages wait at the other end, DontWait returns ErrAgain, and a closed
// end returns ErrClosed. Unlike a PAIR, it has no options, and a closed peer is an error: a send
// returns ErrHostUnreachable at once, and a receive io.EOF when nothing is left. It is safe for
// use by any number of goroutines.
type Fake struct {
	net  *fakeNet
	peer *Fake

	// The fields below are guarded by net.mu.
	inbox   [][][]byte
	rest    [][]byte // parts of the message that Recv has begun
	pending [][]byte // parts sent with SendMore
	more    bool
	closed  bool
	fault   error
}

// fakeNet is what both ends share.
type fakeNet struct {
	mu      sync.Mutex
	changed chan struct{} // closed, and replaced, when anything changes
}

// FakePair returns the two ends of a new connection.
func FakePair() (a, b *Fake) {
	n := &fakeNet{changed: make(chan struct{})}
	a, b = &Fake{net: n}, &Fake{net: n}
	a.peer, b.peer = b, a
	return a, b
}

// Fail makes all calls on this end return err until Fail(nil). Calls that are blocked return it
// at once. Messages that were sent before are kept.
func (f *Fake) Fail(err error) {
	f.net.mu.Lock()
	defer f.net.mu.Unlock()
	f.fault = err
	f.net.wake()
}

// Close closes this end. Calls that are blocked on it return ErrClosed; the other end can still
// receive what was sent before. Further calls do nothing.
func (f *Fake) Close() error {
	f.net.mu.Lock()
	defer f.net.mu.Unlock()
	f.closed = true
	f.net.wake()
	return nil
}

// Send sends one part. With SendMore the part is kept and sent with the last one.
func (f *Fake) Send(ctx context.Context, part []byte, flags ...zmq.Flag) error {
	copied := slices.Clone(part)
	if slices.ContainsFunc(flags, func(g zmq.Flag) bool { return g&zmq.SendMore != 0 }) {
		return f.attempt(ctx, "send", true, func() bool {
			f.pending = append(f.pending, copied)
			return true
		})
	}
	return f.attempt(ctx, "send", dontWait(flags), func() bool {
		if !f.room() {
			return false
		}
		f.deliver(append(f.pending, copied))
		f.pending = nil
		return true
	})
}

// SendMultipart sends a message.
func (f *Fake) SendMultipart(ctx context.Context, parts [][]byte, flags ...zmq.Flag) error {
	if len(parts) == 0 {
		return &zmq.Error{Op: "send", Errno: syscall.EINVAL, Detail: "a message has at least one part"}
	}
	message := make([][]byte, len(parts))
	for i, p := range parts {
		message[i] = slices.Clone(p)
	}
	return f.attempt(ctx, "send", dontWait(flags), func() bool {
		if !f.room() {
			return false
		}
		f.deliver(message)
		return true
	})
}

// Recv receives one part into buf. If buf is too short, it returns a [*zmq.TruncatedError].
func (f *Fake) Recv(ctx context.Context, buf []byte, flags ...zmq.Flag) (n int, err error) {
	part, err := f.RecvBytes(ctx, flags...)
	if err != nil {
		return 0, err
	}
	n = copy(buf, part)
	if n < len(part) {
		return n, &zmq.TruncatedError{Size: len(part)}
	}
	return n, nil
}

// RecvBytes receives one part. The caller owns the slice.
func (f *Fake) RecvBytes(ctx context.Context, flags ...zmq.Flag) (part []byte, err error) {
	err = f.attempt(ctx, "recv", dontWait(flags), func() bool {
		if len(f.rest) == 0 && !f.take() {
			return false
		}
		part, f.rest = f.rest[0], f.rest[1:]
		f.more = len(f.rest) > 0
		return true
	})
	return part, err
}

// RecvMultipart receives a message, or the parts that are left of the one that Recv has begun. The
// caller owns the slices.
func (f *Fake) RecvMultipart(ctx context.Context, flags ...zmq.Flag) (parts [][]byte, err error) {
	err = f.attempt(ctx, "recv", dontWait(flags), func() bool {
		if len(f.rest) == 0 && !f.take() {
			return false
		}
		parts, f.rest, f.more = f.rest, nil, false
		return true
	})
	return parts, err
}

// RecvMore reports whether the part that was received last has others after it.
func (f *Fake) RecvMore() bool {
	f.net.mu.Lock()
	defer f.net.mu.Unlock()
	return f.more
}

func dontWait(flags []zmq.Flag) bool {
	return slices.ContainsFunc(flags, func(g zmq.Flag) bool { return g&zmq.DontWait != 0 })
}

// attempt calls try, which needs the lock, until it succeeds.
func (f *Fake) attempt(ctx context.Context, op string, once bool, try func() bool) error {
	for {
		f.net.mu.Lock()
		err := f.err(op, ctx)
		done := err == nil && try()
		if done {
			f.net.wake()
		}
		changed := f.net.changed
		f.net.mu.Unlock()
		switch {
		case done || err != nil:
			return err
		case once:
			return &zmq.Error{Op: op, Errno: syscall.EAGAIN}
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// err returns why a call cannot succeed at all.
func (f *Fake) err(op string, ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return fault(op, ctx.Err())
	case f.closed:
		return fault(op, zmq.ErrClosed)
	case f.fault != nil:
		return f.fault
	case op == "send" && f.peer.closed:
		return fault(op, zmq.ErrHostUnreachable)
	case op == "recv" && f.peer.closed && len(f.rest)+len(f.inbox) == 0:
		return fault(op, io.EOF)
	}
	return nil
}

func (f *Fake) room() bool { return len(f.peer.inbox) < fakeHWM }

func (f *Fake) deliver(message [][]byte) { f.peer.inbox = append(f.peer.inbox, message) }

// take begins the next message. It reports whether there is one.
func (f *Fake) take() bool {
	if len(f.inbox) == 0 {
		return false
	}
	f.rest, f.inbox = f.inbox[0], f.inbox[1:]
	return true
}

// wake ends the waits of both ends. The caller holds mu.
func (n *fakeNet) wake() {
	close(n.changed)
	n.changed = make(chan struct{})
}

func fault(op string, cause error) error { return fmt.Errorf("zmqtest: %s: %w", op, cause) }
