package zmq_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// numbered returns message i, of two parts.
func numbered(i int) [][]byte {
	return [][]byte{binary.LittleEndian.AppendUint32(nil, uint32(i)), payload(i % 300)}
}

// drainNumbered receives all messages that are there, which are numbered from next on.
func drainNumbered(t testing.TB, s *zmq.Socket, b *zmq.Batch, next int) int {
	t.Helper()
	for {
		_, err := s.RecvBatch(context.Background(), b, zmq.DontWait)
		if err != nil {
			require.ErrorIs(t, err, zmq.ErrAgain)
			return next
		}
		for _, message := range b.All() {
			requireViews(t, numbered(next), message)
			next++
		}
	}
}

// A send that ends early leaves the rest in the batch, and each message arrives once and in order.
func TestBatchPartialSends(t *testing.T) {
	const messages = 500
	ways := map[string]func(*zmq.Socket, *zmq.Batch) (int, error){
		"DontWait": func(s *zmq.Socket, b *zmq.Batch) (int, error) {
			return s.SendBatch(context.Background(), b, zmq.DontWait)
		},
		"timeout": func(s *zmq.Socket, b *zmq.Batch) (int, error) { return s.SendBatch(context.Background(), b) },
		"context": func(s *zmq.Socket, b *zmq.Batch) (int, error) {
			ctx := timeout(t, time.Duration(rand.IntN(3000))*time.Microsecond)
			return s.SendBatch(ctx, b)
		},
	}
	for name, send := range ways {
		for _, hwm := range []int{1, 2, 7} {
			t.Run(fmt.Sprintf("%s/hwm=%d", name, hwm), func(t *testing.T) {
				t.Parallel()
				pull, push := pair(t, zmq.Pull, zmq.Push, inprocName(), zmq.SendHWM.To(hwm), zmq.RecvHWM.To(hwm))
				if name == "timeout" {
					require.NoError(t, push.Set(zmq.SendTimeout.To(time.Millisecond)))
				}
				out, in := newBatch(t, 40), newBatch(t, 9)
				appended, next, cut := 0, 0, 0
				for next < messages {
					for appended < messages && out.Append(numbered(appended)...) == nil {
						appended++
					}
					before := out.Len()
					sent, err := send(push, out)
					require.Equal(t, before, sent+out.Len())
					if err != nil {
						cut++
						require.Positive(t, out.Len())
						if name == "context" {
							require.ErrorIs(t, err, context.DeadlineExceeded)
						} else {
							require.ErrorIs(t, err, zmq.ErrAgain)
						}
						require.Equal(t, name == "timeout", isTimeout(err))
					}
					for i := range out.Len() {
						requireViews(t, numbered(appended-out.Len()+i), out.At(i))
					}
					next = drainNumbered(t, pull, in, next)
				}
				require.Positive(t, cut, "no send was cut short")
				require.Equal(t, messages, next)
			})
		}
	}
}

func isTimeout(err error) bool {
	e, ok := err.(*zmq.Error)
	return ok && e.Timeout() && e.Errno == syscall.EAGAIN
}

// A view from before the batch grew is empty: closing it leaves the batch alone, which
// would otherwise free the same memory again.
func TestBatchStaleViewsAreEmpty(t *testing.T) {
	t.Parallel()
	const messages = 500
	long := payload(100)
	add := func(t *testing.T, b *zmq.Batch, n int) {
		require.NoError(t, repeat(n, func(int) error { return b.Append(long) }))
	}
	// The batch holds a message, and it was looked at, so that later ones have native memory.
	for name, grow := range map[string]func(t *testing.T, b *zmq.Batch, pull, push *zmq.Socket) (stale zmq.Multipart){
		"Append": func(t *testing.T, b *zmq.Batch, _, _ *zmq.Socket) zmq.Multipart {
			add(t, b, 1)
			stale := b.At(1)
			add(t, b, messages-2)
			return stale
		},
		"Append after Skip": func(t *testing.T, b *zmq.Batch, _, _ *zmq.Socket) zmq.Multipart {
			add(t, b, 50)
			require.Equal(t, 50, b.Skip(50))
			stale := b.At(0)
			add(t, b, messages-1)
			return stale
		},
		"RecvBatch": func(t *testing.T, b *zmq.Batch, pull, push *zmq.Socket) zmq.Multipart {
			require.NoError(t, push.Send(context.Background(), long))
			require.Equal(t, 1, noErr(pull.RecvBatch(context.Background(), b))(t))
			stale := b.At(0)
			for range messages {
				require.NoError(t, push.Send(context.Background(), long))
			}
			require.Equal(t, messages, noErr(pull.RecvBatch(context.Background(), b))(t))
			return stale
		},
		"RecvBatch of one message": func(t *testing.T, b *zmq.Batch, pull, push *zmq.Socket) zmq.Multipart {
			require.NoError(t, push.Send(context.Background(), long))
			require.Equal(t, 1, noErr(pull.RecvBatch(context.Background(), b))(t))
			stale := b.At(0)
			require.NoError(t, push.SendMultipart(context.Background(), slices.Repeat([][]byte{long}, messages)))
			require.Equal(t, 1, noErr(pull.RecvBatch(context.Background(), b))(t))
			return stale
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBatch(t, messages)
			add(t, b, 1)
			require.Len(t, b.At(0), 1)
			pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
			stale := grow(t, b, pull, push)
			require.Len(t, stale, 1)
			require.Zero(t, stale[0].Len())
			require.NoError(t, stale.Close())
			require.Positive(t, b.Len())
			for _, message := range b.All() {
				for i := range message {
					require.Equal(t, long, message[i].Bytes())
				}
			}
		})
	}
}

func TestBatchInUse(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	inUse := func(b *zmq.Batch, other *zmq.Socket) {
		t.Helper()
		busy := func(err error) {
			t.Helper()
			requireFails(t, err, syscall.EBUSY, "a batch of its own")
		}
		busy(b.Append([]byte("x")))
		_, err := other.SendBatch(context.Background(), b, zmq.DontWait)
		busy(err)
		n, err := other.RecvBatch(context.Background(), b, zmq.DontWait)
		busy(err)
		require.Zero(t, n)
		busy(b.Close())
		require.Zero(t, b.Len())
		require.Nil(t, b.At(0))
		require.Zero(t, b.Skip(1))
		b.Reset()
		for range b.All() {
			t.Error("a message of a batch in use")
		}
	}

	sender, receiver, other := newSocket(t, zctx, zmq.Dealer), newSocket(t, zctx, zmq.Dealer), newSocket(t, zctx, zmq.Dealer)
	b := newBatch(t, 10)
	for i := range 5 {
		require.NoError(t, b.Append(numbered(i)...))
	}
	result := make(chan error, 1)
	// Looking whether the call has begun can itself get in its way.
	begin := func(call func() (int, error)) {
		_, err := call()
		for errors.Is(err, syscall.EBUSY) {
			_, err = call()
		}
		result <- err
	}
	begun := func() bool { return errors.Is(b.Append(), syscall.EBUSY) }
	go begin(func() (int, error) { return sender.SendBatch(context.Background(), b) })
	require.Eventually(t, begun, 10*time.Second, time.Millisecond)
	inUse(b, other)
	connect(t, receiver, sender, inprocName())
	require.NoError(t, <-result)
	require.Zero(t, b.Len())
	in := newBatch(t, 10)
	next := 0
	for next < 5 {
		require.NoError(t, errOf(receiver.RecvBatch(context.Background(), in)))
		for _, message := range in.All() {
			requireViews(t, numbered(next), message)
			next++
		}
	}

	require.NoError(t, b.Append([]byte("old")))
	go begin(func() (int, error) { return receiver.RecvBatch(context.Background(), b) })
	require.Eventually(t, begun, 10*time.Second, time.Millisecond)
	inUse(b, other)
	require.NoError(t, sender.SendString(context.Background(), "new"))
	require.NoError(t, <-result)
	requireViews(t, [][]byte{[]byte("new")}, b.At(0))
}
