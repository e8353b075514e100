package zmq_test

import (
	"context"
	"encoding/binary"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// While a large batch is sent, other calls get at the socket: they see how the count grows, cancel
// the call or close the socket. What was sent is counted exactly, and the rest stays.
func TestLargeBatchLetsOthersIn(t *testing.T) {
	const messages = 65535
	for name, c := range map[string]struct {
		end  func(*zmq.Socket, context.CancelFunc) error
		want error
	}{
		"cancel": {func(_ *zmq.Socket, cancel context.CancelFunc) error { cancel(); return nil }, context.Canceled},
		"close":  {func(s *zmq.Socket, _ context.CancelFunc) error { return s.Close() }, zmq.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			for began := time.Now(); ; { // the looking goroutine may be descheduled for as long as it takes
				require.Less(t, time.Since(began), time.Minute, "nobody gets at the socket")
				zctx := newContext(t)
				push := newSocket(t, zctx, zmq.Push, zmq.HWM(0), zmq.Linger.To(-1))
				pull := newSocket(t, zctx, zmq.Pull, zmq.HWM(0))
				at := inprocName()
				require.NoError(t, pull.Bind(at))
				require.NoError(t, push.Connect(at))
				b := newBatch(t, messages)
				body := make([]byte, 1000)
				for range messages {
					require.NoError(t, b.Append(body))
				}
				ctx, cancel := context.WithCancel(t.Context())
				type result struct {
					sent int
					err  error
				}
				done := make(chan result, 1)
				go func() {
					sent, err := push.SendBatch(ctx, b)
					done <- result{sent, err}
				}()
				for push.Stats().MessagesSent == 0 {
					runtime.Gosched()
				}
				require.NoError(t, c.end(push, cancel))
				r := <-done
				cancel()
				require.Equal(t, messages, r.sent+b.Len())
				require.EqualValues(t, r.sent, push.Stats().MessagesSent)
				got := newBatch(t, messages)
				for received := 0; received < r.sent; {
					n, err := pull.RecvBatch(t.Context(), got)
					require.NoError(t, err)
					received += n
				}
				if r.sent < messages {
					require.ErrorIs(t, r.err, c.want)
					return
				}
				require.NoError(t, r.err)
			}
		})
	}
}

// Several receivers of large batches share what arrives: each message comes to one of them, whole,
// and each of them gets its messages in order.
func TestLargeBatchesAreShared(t *testing.T) {
	const messages, most = 50_000, 20_000
	zctx := newContext(t)
	push := newSocket(t, zctx, zmq.Push, zmq.HWM(0))
	pull := newSocket(t, zctx, zmq.Pull, zmq.HWM(0))
	at := inprocName()
	require.NoError(t, pull.Bind(at))
	require.NoError(t, push.Connect(at))
	out := newBatch(t, messages)
	for i := range messages {
		number := binary.NativeEndian.AppendUint32(nil, uint32(i))
		require.NoError(t, out.Append(number, number))
	}
	sent, err := push.SendBatch(t.Context(), out)
	require.NoError(t, err)
	require.Equal(t, messages, sent)
	seen := make([]bool, messages)
	var mu sync.Mutex
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			b := zmq.NewBatch(most)
			defer b.Close()
			last := -1
			for {
				_, err := pull.RecvBatch(context.Background(), b, zmq.DontWait)
				if errors.Is(err, zmq.ErrAgain) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, m := range b.All() {
					if len(m) != 2 || string(m[0].Bytes()) != string(m[1].Bytes()) {
						t.Error("a torn message")
						continue
					}
					i := int(binary.NativeEndian.Uint32(m[0].Bytes()))
					if i <= last || seen[i] {
						t.Errorf("message %d after %d", i, last)
					}
					last, seen[i] = i, true
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	for i, ok := range seen {
		require.True(t, ok, i)
	}
}
