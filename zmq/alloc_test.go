//go:build !race && !asan

package zmq_test

import (
	"context"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// Waiting allocates nothing and takes a few calls into C: each message finds its receiver
// parked. The race detector makes sync.Pool forget, so this runs without it.
func TestWaitingAllocatesNothing(t *testing.T) {
	live, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, ctx := range map[string]context.Context{"Background": context.Background(), "WithCancel": live} {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, zmq.Dealer, zmq.Dealer, "tcp://127.0.0.1:*", zmq.SpinTime.To(0))
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
			trips, calls := 0, runtime.NumCgoCall()
			got := testing.AllocsPerRun(2000, func() {
				trips++
				if err := a.Send(ctx, buf); err != nil {
					t.Error(err)
				}
				if _, err := a.Recv(ctx, buf); err != nil {
					t.Error(err)
				}
			})
			calls = runtime.NumCgoCall() - calls
			require.Zero(t, got)
			require.Less(t, float64(calls)/float64(trips), 16.0)
			require.NoError(t, b.Close())
		})
	}
}

// A batch that is filled again before it is empty does not grow without limit.
func TestBatchNeverEmptyStaysSmall(t *testing.T) {
	b := newBatch(t, 4)
	part := payload(1000)
	require.NoError(t, b.Append(part))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	native := resident(t)
	for range 100000 {
		require.NoError(t, b.Append(part))
		require.Equal(t, 1, b.Skip(1))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(1<<20), "Go memory")
	require.Less(t, resident(t)-native, int64(40<<20), "native memory")
	requireViews(t, [][]byte{part}, b.At(0))
}

// libzmq keeps a connection to a name that is not bound, with its queues.
func TestDisconnectFromUnboundNameFreesMemory(t *testing.T) {
	s := newSocket(t, newContext(t), zmq.Dealer, zmq.Linger.To(patience))
	shared, bound := inprocName(), inprocName()
	connect(t, newSocket(t, s.Context(), zmq.Pull), s, bound)
	require.NoError(t, s.SendString(context.Background(), "to a bound name"))
	native := resident(t)
	for range 3000 {
		for _, name := range []string{shared, inprocName()} {
			require.NoError(t, s.Connect(name))
			require.NoError(t, s.Disconnect(name))
		}
	}
	require.Less(t, resident(t)-native, int64(20<<20))
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
	require.Equal(t, 1, noErr(a.SendBatch(context.Background(), b))(t))
	require.Equal(t, "one", recvString(t, s))
}

// A request to a SERVER and its reply allocate nothing, nor does a message to a group.
func TestDraftAllocations(t *testing.T) {
	if !hasDrafts(t, zmq.Server, zmq.Client, zmq.Radio, zmq.Dish) {
		return
	}
	server, client, _ := draftPair(t, zmq.Server, zmq.Client, "tcp://127.0.0.1:*")
	part, buf := payload(64), make([]byte, 64)
	require.Zero(t, testing.AllocsPerRun(500, func() {
		if err := client.Send(context.Background(), part); err != nil {
			t.Error(err)
		}
		_, id, err := server.RecvFrom(context.Background(), buf)
		if err != nil {
			t.Error(err)
		}
		if err := server.SendTo(context.Background(), id, part); err != nil {
			t.Error(err)
		}
		if _, err := client.Recv(context.Background(), buf); err != nil {
			t.Error(err)
		}
	}))
	radio, dish, _ := draftPair(t, zmq.Radio, zmq.Dish, "tcp://127.0.0.1:*")
	require.NoError(t, dish.Join("weather"))
	joined(t, radio, dish, "weather")
	require.LessOrEqual(t, testing.AllocsPerRun(500, func() {
		if err := radio.SendGroup(context.Background(), "weather", part); err != nil {
			t.Error(err)
		}
		if _, _, err := dish.RecvGroup(context.Background(), buf); err != nil {
			t.Error(err)
		}
	}), 1.0, "the name of the group that was received")
}

// A message goes through a proxy, which parks before each, without an allocation.
func TestProxyAllocatesNothing(t *testing.T) {
	b := newBridge(t, newContext(t), inprocName(), equals)
	capture, copies := newSocket(t, b.zctx, zmq.Push), newSocket(t, b.zctx, zmq.Pull)
	connect(t, capture, copies, inprocName())
	startProxy(t, b.front, b.back, capture)
	parts := [][]byte{payload(10), payload(64), payload(3000)}
	buf := make([]byte, 3000)
	failed := error(nil)
	take := func(s *zmq.Socket) {
		for more := true; more && failed == nil; more = s.RecvMore() {
			_, failed = s.Recv(context.Background(), buf)
		}
	}
	there := func() {
		if err := b.near.SendMultipart(context.Background(), parts); err != nil {
			failed = err
		}
		take(b.far)
		take(copies)
	}
	for range 100 {
		there()
	}
	require.LessOrEqual(t, testing.AllocsPerRun(500, there), 0.0)
	require.NoError(t, failed)
}
