//go:build !race && !asan

package zmq_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// Waiting allocates nothing: each message finds its receiver parked. The race detector
// makes sync.Pool forget, so this runs without it.
func TestWaitingAllocatesNothing(t *testing.T) {
	live, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, ctx := range map[string]context.Context{"Background": context.Background(), "WithCancel": live} {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, zmq.Dealer, zmq.Dealer, "tcp://127.0.0.1:*")
			go func() {
				buf := make([]byte, 8)
				for {
					n, err := b.Recv(ctx, buf)
					if err != nil {
						return
					}
					_ = b.Send(ctx, buf[:n])
				}
			}()
			buf := make([]byte, 8)
			got := testing.AllocsPerRun(2000, func() {
				if err := a.Send(ctx, buf); err != nil {
					t.Error(err)
				}
				if _, err := a.Recv(ctx, buf); err != nil {
					t.Error(err)
				}
			})
			require.Zero(t, got)
			require.NoError(t, b.Close())
		})
	}
}

// A batch that is filled up before it is ever empty does not grow for ever.
func TestBatchNeverEmptyStaysSmall(t *testing.T) {
	b := newBatch(t, 4)
	part := payload(1000)
	require.NoError(t, b.Append(part))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	native := residentBytes(t)
	for range 100000 {
		require.NoError(t, b.Append(part))
		require.Equal(t, 1, b.Skip(1))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(1<<20), "Go memory")
	require.Less(t, residentBytes(t)-native, int64(40<<20), "native memory")
	requireViews(t, [][]byte{part}, b.At(0))
}

// libzmq keeps a connection to a name that is not bound, with its queues.
func TestDisconnectFromUnboundNameFreesMemory(t *testing.T) {
	s := newSocket(t, newContext(t), zmq.Dealer, zmq.Linger.To(patience))
	shared, bound := inprocName(), inprocName()
	connect(t, newSocket(t, s.Context(), zmq.Pull), s, bound)
	require.NoError(t, s.SendString(context.Background(), "to a bound name"))
	native := residentBytes(t)
	for range 3000 {
		for _, name := range []string{shared, inprocName()} {
			require.NoError(t, s.Connect(name))
			require.NoError(t, s.Disconnect(name))
		}
	}
	require.Less(t, residentBytes(t)-native, int64(20<<20))
}

// residentBytes returns how much memory the process occupies.
func residentBytes(t testing.TB) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("only Linux says how much memory the process occupies: ", err)
	}
	var total, resident int64
	_, err = fmt.Fscan(strings.NewReader(string(text)), &total, &resident)
	require.NoError(t, err)
	return resident * int64(os.Getpagesize())
}

// A part for which there is no memory is refused, and the batch stays as it was. Here,
// since the race detector does not let a slice be made that claims so much.
func TestBatchAppendBeyondMemory(t *testing.T) {
	a, s := pair(t, zmq.Dealer, zmq.Dealer, inprocName())
	b := newBatch(t, 4)
	require.NoError(t, b.Append([]byte("one")))
	var x byte
	huge := unsafe.Slice(&x, 1<<47) // more than there are addresses; never read
	require.ErrorIs(t, b.Append([]byte("id"), huge), syscall.ENOMEM)
	require.NotNil(t, b.At(0))
	require.ErrorIs(t, b.Append(huge), syscall.ENOMEM, "with slots, too")
	require.Equal(t, 1, b.Len())
	sent, err := a.SendBatch(context.Background(), b)
	require.NoError(t, err)
	require.Equal(t, 1, sent)
	got, err := s.RecvString(context.Background())
	require.NoError(t, err)
	require.Equal(t, "one", got)
}
