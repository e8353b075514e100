package zmq_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A loan is a zero-copy message and what became of its release function.
type loan struct {
	*zmq.Message
	p     []byte
	times atomic.Int32
	done  chan struct{}
}

func lend(t testing.TB, p []byte) *loan {
	t.Helper()
	l := &loan{p: p, done: make(chan struct{})}
	var err error
	l.Message, err = zmq.NewMessageZeroCopy(p, func() {
		if l.times.Add(1) == 1 {
			close(l.done)
		}
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.LessOrEqual(t, l.times.Load(), int32(1), "released more than once") })
	return l
}

// requireHeld makes sure that nothing was released yet: whatever libzmq has given
// back up to now has been released when a later loan has been.
func (l *loan) requireHeld(t testing.TB) {
	t.Helper()
	later := lend(t, []byte("later"))
	require.NoError(t, later.Close())
	later.requireReleased(t)
	require.Zero(t, l.times.Load(), "released although libzmq is not done with it")
}

func (l *loan) requireReleased(t testing.TB) {
	t.Helper()
	select {
	case <-l.done:
	case <-time.After(20 * time.Second):
		require.FailNow(t, "never released")
	}
	require.EqualValues(t, 1, l.times.Load())
}

func requireArrived(t testing.TB, s *zmq.Socket, want []byte) {
	t.Helper()
	got := recvBytes(t, s)
	require.True(t, bytes.Equal(want, got), "%d bytes, want %d", len(got), len(want))
}

// A release function means that the memory is not read any more. The race detector does not see
// libzmq's threads, so go-zmq has to tell it.
func TestReleasedMemoryIsTheSendersAgain(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		pull, push := pair(t, zmq.Pull, zmq.Push, endpoint)
		const messages = 50
		read := make(chan error, messages)
		go func() {
			var m zmq.Message
			for i := range messages {
				err := pull.RecvMessage(context.Background(), &m)
				if err == nil && m.Bytes()[0] != byte(i) {
					err = fmt.Errorf("message %d begins with %d", i, m.Bytes()[0])
				}
				read <- errors.Join(err, m.Close())
			}
		}()
		p := make([]byte, 1000)
		for i := range messages {
			p[0] = byte(i)
			l := lend(t, p)
			require.NoError(t, push.SendMessage(context.Background(), l.Message))
			<-l.done
		}
		for range messages {
			require.NoError(t, <-read)
		}
	})
}

// The ways in which a loan ends without having been received.
func TestZeroCopyReleasedUnsent(t *testing.T) {
	t.Parallel()
	ends := map[string]func(t *testing.T, l *loan){
		"closed": func(t *testing.T, l *loan) {
			require.NoError(t, l.Close())
			require.NoError(t, l.Close())
			require.Zero(t, l.Len())
		},
		"allocated over": func(t *testing.T, l *loan) {
			require.NoError(t, l.Alloc(10))
			require.Equal(t, 10, l.Len())
			require.NoError(t, l.Close())
		},
		"allocation failed": func(t *testing.T, l *loan) {
			require.ErrorIs(t, l.Alloc(1<<62), syscall.ENOMEM)
			require.Zero(t, l.Len())
		},
		"no subscriber": func(t *testing.T, l *loan) {
			pub := newSocket(t, newContext(t), zmq.Pub)
			require.NoError(t, pub.Bind(inprocName()))
			require.NoError(t, pub.SendMessage(context.Background(), l.Message))
		},
		"unknown peer": func(t *testing.T, l *loan) {
			router := newSocket(t, newContext(t), zmq.Router)
			require.NoError(t, router.SendString(context.Background(), "nobody", zmq.SendMore))
			require.NoError(t, router.SendMessage(context.Background(), l.Message))
		},
		"unknown peer refused": func(t *testing.T, l *loan) {
			router := newSocket(t, newContext(t), zmq.Router, zmq.RouterMandatory.To(true))
			require.NoError(t, router.SendString(context.Background(), "nobody", zmq.SendMore))
			require.ErrorIs(t, router.SendMessage(context.Background(), l.Message), zmq.ErrHostUnreachable)
			require.True(t, bytes.Equal(l.p, l.Bytes()))
			require.NoError(t, l.Close())
		},
		"no room, received into": func(t *testing.T, l *loan) {
			alone := newSocket(t, newContext(t), zmq.Push)
			require.ErrorIs(t, alone.SendMessage(context.Background(), l.Message, zmq.DontWait), zmq.ErrAgain)
			require.True(t, bytes.Equal(l.p, l.Bytes()))
			l.requireHeld(t)
			pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
			require.NoError(t, push.SendString(context.Background(), "new"))
			require.NoError(t, pull.RecvMessage(context.Background(), l.Message))
			require.Equal(t, "new", string(l.Bytes()))
			require.NoError(t, l.Close())
		},
		"received into": func(t *testing.T, l *loan) {
			pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
			require.NoError(t, push.SendMultipart(context.Background(), [][]byte{[]byte("one"), []byte("two")}))
			recvBytes(t, pull)
			require.NoError(t, pull.RecvMessage(context.Background(), l.Message)) // from what the socket holds
			require.Equal(t, "two", string(l.Bytes()))
		},
		"nothing received into": func(t *testing.T, l *loan) {
			pull := newSocket(t, newContext(t), zmq.Pull)
			require.ErrorIs(t, pull.RecvMessage(context.Background(), l.Message, zmq.DontWait), zmq.ErrAgain)
			require.Zero(t, l.Len())
		},
		"cancelled": func(t *testing.T, l *loan) {
			push := newSocket(t, newContext(t), zmq.Push)
			ctx := timeout(t, 5*time.Millisecond)
			require.ErrorIs(t, push.SendMessage(ctx, l.Message), context.DeadlineExceeded)
			require.True(t, bytes.Equal(l.p, l.Bytes()))
			l.requireHeld(t)
			require.NoError(t, l.Close())
		},
		"shut down first": func(t *testing.T, l *loan) {
			zctx := newContext(t)
			push := newSocket(t, zctx, zmq.Push)
			require.NoError(t, zctx.Shutdown())
			require.ErrorIs(t, push.SendMessage(context.Background(), l.Message), zmq.ErrTerminated)
			require.ErrorIs(t, push.SendMessage(context.Background(), l.Message, zmq.SendMore), zmq.ErrTerminated)
			require.True(t, bytes.Equal(l.p, l.Bytes()))
			l.requireHeld(t)
			require.NoError(t, zctx.Close())
			l.requireHeld(t)
			require.NoError(t, l.Close())
		},
		"discarded parts": func(t *testing.T, l *loan) {
			push := newSocket(t, newContext(t), zmq.Push)
			require.NoError(t, push.SendMessage(context.Background(), l.Message, zmq.SendMore))
			require.Zero(t, l.Len())
			l.requireHeld(t)
			require.Equal(t, 1, push.DiscardParts())
		},
		"closed with parts": func(t *testing.T, l *loan) {
			push := newSocket(t, newContext(t), zmq.Push)
			require.NoError(t, push.SendMessage(context.Background(), l.Message, zmq.SendMore))
			require.NoError(t, push.Close())
		},
		"parts kept, then closed": func(t *testing.T, l *loan) {
			push := newSocket(t, newContext(t), zmq.Push)
			require.NoError(t, push.SendMessage(context.Background(), l.Message, zmq.SendMore))
			require.ErrorIs(t, push.SendString(context.Background(), "last", zmq.DontWait), zmq.ErrAgain)
			l.requireHeld(t)
			require.NoError(t, push.Close())
		},
		"last part refused": func(t *testing.T, l *loan) {
			push := newSocket(t, newContext(t), zmq.Push)
			require.NoError(t, push.SendString(context.Background(), "first", zmq.SendMore))
			require.ErrorIs(t, push.SendMessage(context.Background(), l.Message, zmq.DontWait), zmq.ErrAgain)
			require.True(t, bytes.Equal(l.p, l.Bytes()))
			require.NoError(t, l.Close())
		},
		"queued, context closed": func(t *testing.T, l *loan) {
			zctx := newContext(t)
			push := newSocket(t, zctx, zmq.Push)
			require.NoError(t, push.Connect(deadEndpoint(t)))
			require.NoError(t, push.SendMessage(context.Background(), l.Message))
			l.requireHeld(t)
			require.NoError(t, zctx.Close())
		},
		"queued, socket closed": func(t *testing.T, l *loan) {
			push := newSocket(t, newContext(t), zmq.Push)
			require.NoError(t, push.Connect(deadEndpoint(t)))
			require.NoError(t, push.SendMessage(context.Background(), l.Message))
			require.NoError(t, push.Close())
		},
		"queued over inproc, receiver closed": func(t *testing.T, l *loan) {
			pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
			require.NoError(t, push.SendMessage(context.Background(), l.Message))
			l.requireHeld(t)
			require.NoError(t, pull.Close())
			require.NoError(t, push.Close())
		},
		"read ahead, receiver closed": func(t *testing.T, l *loan) {
			pull, push := aheadPair(t, inprocName(), 10)
			require.NoError(t, push.SendString(context.Background(), "first"))
			require.NoError(t, push.SendMessage(context.Background(), l.Message))
			requireArrived(t, pull, []byte("first"))
			l.requireHeld(t)
			require.NoError(t, pull.Close())
		},
		"in a batch": func(t *testing.T, l *loan) {
			pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
			require.NoError(t, push.SendMessage(context.Background(), l.Message))
			b := newBatch(t, 10)
			require.NoError(t, errOf(pull.RecvBatch(context.Background(), b)))
			l.requireHeld(t)
			b.Reset()
		},
		"cloned": func(t *testing.T, l *loan) {
			c := noErr(l.Clone())(t)
			cc := noErr(c.Clone())(t)
			require.NoError(t, l.Close())
			require.True(t, bytes.Equal(l.p, c.Bytes()))
			require.NoError(t, c.Close())
			l.requireHeld(t)
			require.True(t, bytes.Equal(l.p, cc.Bytes()))
			require.NoError(t, cc.Close())
		},
		"copied by STREAM": func(t *testing.T, l *loan) {
			stream := newSocket(t, newContext(t), zmq.Stream)
			require.NoError(t, stream.SendString(context.Background(), "nobody", zmq.SendMore))
			require.ErrorIs(t, stream.SendMessage(context.Background(), l.Message), zmq.ErrHostUnreachable)
			require.True(t, bytes.Equal(l.p, l.Bytes()))
			require.NoError(t, l.Close())
		},
		"copied by Conflate": func(t *testing.T, l *loan) {
			push := newSocket(t, newContext(t), zmq.Push, zmq.Conflate.To(true))
			require.NoError(t, push.Connect(deadEndpoint(t)))
			require.NoError(t, push.SendMessage(context.Background(), l.Message))
			l.requireReleased(t) // although it was not sent
		},
	}
	for name, end := range ends {
		for _, size := range []int{0, 1, 1000, 100000} {
			t.Run(fmt.Sprintf("%s/%d", name, size), func(t *testing.T) {
				t.Parallel()
				l := lend(t, payload(size))
				end(t, l)
				l.requireReleased(t)
			})
		}
	}
}
