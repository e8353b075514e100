package zmq_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

func TestBatchSharedSockets(t *testing.T) {
	transports(t, func(t *testing.T, endpoint string) {
		const goroutines, each = 4, 500
		pull, push := pair(t, zmq.Pull, zmq.Push, endpoint, zmq.SendHWM.To(20), zmq.RecvHWM.To(20))
		seen := make([]atomic.Int32, goroutines*each)
		var received atomic.Int32
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var senders, receivers sync.WaitGroup
		for g := range goroutines {
			senders.Go(func() {
				b := zmq.NewBatch(1 + 10*g)
				defer b.Close()
				for i := 0; i < each; {
					for i < each && b.Append(numbered(g*each+i)...) == nil {
						i++
					}
					if _, err := push.SendBatch(context.Background(), b); err != nil {
						t.Error(err)
						return
					}
				}
			})
			receivers.Go(func() {
				b := zmq.NewBatch(1 + 7*g)
				defer b.Close()
				for {
					n, err := pull.RecvBatch(ctx, b)
					if err != nil {
						return
					}
					for _, message := range b.All() {
						i := int(binary.LittleEndian.Uint32(message[0].Bytes()))
						if len(message) != 2 || !bytes.Equal(message[1].Bytes(), payload(i%300)) {
							t.Error("torn message")
						}
						seen[i].Add(1)
					}
					if received.Add(int32(n)) == goroutines*each {
						cancel()
					}
				}
			})
		}
		senders.Wait()
		receivers.Wait()
		for i := range seen {
			require.EqualValues(t, 1, seen[i].Load(), "message %d", i)
		}
	})
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

// Goroutines that share a batch in spite of its rule are told so with EBUSY, and do no harm.
func TestBatchMisusedByTwo(t *testing.T) {
	t.Parallel()
	a, peer := pair(t, zmq.Dealer, zmq.Dealer, inprocName(), zmq.SendHWM.To(10), zmq.RecvHWM.To(10))
	b := newBatch(t, 20)
	ctx := within(t)
	end := time.Now().Add(300 * time.Millisecond)
	var busy [3]atomic.Bool // Append, a send and a receive were refused with EBUSY
	expected := func(call int, err error) {
		if errors.Is(err, syscall.EBUSY) {
			busy[call].Store(true)
			return
		}
		for _, is := range []error{syscall.ENOBUFS, zmq.ErrAgain, context.DeadlineExceeded} {
			if errors.Is(err, is) {
				return
			}
		}
		if err != nil {
			t.Error(err)
		}
	}
	seen := func() bool { return busy[0].Load() && busy[1].Load() && busy[2].Load() }
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for ctx.Err() == nil && (time.Now().Before(end) || !seen()) {
				switch rand.IntN(8) {
				case 0, 1:
					expected(0, b.Append(payload(rand.IntN(200)), payload(rand.IntN(200))))
				case 2:
					_, err := a.SendBatch(context.Background(), b, zmq.DontWait)
					expected(1, err)
				case 3:
					_, err := peer.RecvBatch(context.Background(), b, zmq.DontWait)
					expected(2, err)
				case 4:
					short, stop := context.WithTimeout(ctx, time.Millisecond)
					_, err := a.SendBatch(short, b)
					stop()
					expected(1, err)
				case 5:
					b.Skip(1)
				case 6:
					b.Reset()
				case 7:
					if err := b.Close(); !errors.Is(err, syscall.EBUSY) {
						expected(0, err)
					}
				}
			}
		})
	}
	group.Wait()
	require.True(t, seen(), "none was refused")
}
