package zmq_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// publisher returns a PUB or XPUB and a subscriber of each topic given, over inproc:
// what one does not take stays in its queue, and the sizes of the queues add up.
func publisher(t *testing.T, typ zmq.SocketType, hwm int, policy zmq.FullPolicy, topics ...string) (pub *zmq.Socket, subs []*zmq.Socket) {
	t.Helper()
	zctx := newContext(t)
	pub = newSocket(t, zctx, typ, zmq.SendHWM.To(hwm), zmq.WhenFull.To(policy))
	endpoint := inprocName()
	require.NoError(t, pub.Bind(endpoint))
	for _, topic := range topics {
		topic, unlimited := strings.CutPrefix(topic, "unlimited ")
		size := hwm
		if unlimited {
			size = 0
		}
		sub := newSocket(t, zctx, zmq.Sub, zmq.RecvHWM.To(size))
		require.NoError(t, sub.Connect(endpoint))
		require.NoError(t, sub.Subscribe(topic))
		subs = append(subs, sub)
	}
	// Subscriptions over inproc are there when Subscribe returns; a PUB sees them when
	// it next looks at its mailbox.
	require.NoError(t, pub.SendString(context.Background(), "wake"))
	return pub, subs
}

// taken receives what a subscriber has and returns it.
func taken(t *testing.T, sub *zmq.Socket) []string {
	t.Helper()
	var got []string
	for {
		part, err := sub.RecvString(context.Background(), zmq.DontWait)
		if err != nil {
			require.ErrorIs(t, err, zmq.ErrAgain)
			return got
		}
		got = append(got, part)
	}
}

func publisherTypes(t *testing.T, test func(t *testing.T, typ zmq.SocketType)) {
	for _, typ := range []zmq.SocketType{zmq.Pub, zmq.XPub} {
		t.Run(typ.String(), func(t *testing.T) {
			t.Parallel()
			test(t, typ)
		})
	}
}

// Each message is counted or arrives, at all subscribers or at none.
func TestWhenFullDropCounted(t *testing.T) {
	t.Parallel()
	publisherTypes(t, func(t *testing.T, typ zmq.SocketType) {
		const messages = 10_000
		pub, subs := publisher(t, typ, 5, zmq.DropCounted, "a", "a", "b")
		for i := range messages {
			require.NoError(t, pub.SendString(context.Background(), fmt.Sprintf("a%d", i)))
		}
		first, second, third := taken(t, subs[0]), taken(t, subs[1]), taken(t, subs[2])
		require.Len(t, first, 10)
		require.Equal(t, first, second)
		require.Empty(t, third)
		require.EqualValues(t, messages-10, pub.Stats().Dropped)

		// Subscribers that do not match do not matter, and new room is used.
		for i := range 7 {
			require.NoError(t, pub.SendString(context.Background(), fmt.Sprintf("b%d", i), zmq.DontWait))
		}
		require.NoError(t, pub.SendString(context.Background(), "a again"))
		require.Equal(t, "a again", recvString(t, subs[0]))
		require.Len(t, taken(t, subs[2]), 7)
		require.EqualValues(t, messages-10, pub.Stats().Dropped)
	})
}

// Dropping a message has the effects of sending it: its content is released, and lent memory is
// returned.
func TestWhenFullDropCountedReleases(t *testing.T) {
	t.Parallel()
	pub, subs := publisher(t, zmq.Pub, 1, zmq.DropCounted, "")
	for range 10 {
		require.NoError(t, pub.SendString(context.Background(), "full"))
	}
	full := pub.Stats().Dropped
	require.EqualValues(t, 9, full, `"wake" has the other place`)

	released := make(chan int, 3)
	lend := func(i int) *zmq.Message {
		m := noErr(zmq.NewMessageZeroCopy(make([]byte, 100_000), func() { released <- i }))(t)
		return m
	}
	one, behind, last := lend(1), lend(2), lend(3)
	require.NoError(t, pub.SendMessage(context.Background(), one))
	require.NoError(t, pub.SendMessageTo(context.Background(), []byte("topic"), behind))
	require.NoError(t, pub.SendString(context.Background(), "topic", zmq.SendMore))
	require.NoError(t, pub.SendMessage(context.Background(), last))
	require.ElementsMatch(t, []int{1, 2, 3}, []int{<-released, <-released, <-released})
	for _, m := range []*zmq.Message{one, behind, last} {
		require.Zero(t, m.Len())
		require.NoError(t, m.Close())
	}
	require.NoError(t, pub.SendMultipart(context.Background(), [][]byte{[]byte("topic"), []byte("body")}))
	require.NoError(t, pub.SendMultipart(context.Background(), make([][]byte, 20)))
	full += 5
	require.Equal(t, full, pub.Stats().Dropped)

	batch := newBatch(t, 10)
	for _, look := range []bool{false, true} { // packed, and in slots
		for range 10 {
			require.NoError(t, batch.Append([]byte("topic"), []byte("body")))
		}
		if look {
			require.Len(t, batch.At(3), 2)
		}
		sent := noErr(pub.SendBatch(context.Background(), batch))(t)
		require.Zero(t, sent)
		require.Zero(t, batch.Len())
		full += 10
		require.Equal(t, full, pub.Stats().Dropped)
	}
	// With room for some, these are sent.
	require.Len(t, taken(t, subs[0]), 2)
	for range 10 {
		require.NoError(t, batch.Append([]byte("topic")))
	}
	sent := noErr(pub.SendBatch(context.Background(), batch))(t)
	require.Equal(t, sent, len(taken(t, subs[0])))
	require.NotZero(t, sent)
	require.Equal(t, full+uint64(10-sent), pub.Stats().Dropped)
}

// Sends that succeed and those that fail are all, and who succeeded is received.
func TestWhenFullFail(t *testing.T) {
	t.Parallel()
	publisherTypes(t, func(t *testing.T, typ zmq.SocketType) {
		pub, subs := publisher(t, typ, 5, zmq.Fail, "a", "a")
		var sent []string
		failed := 0
		for i := range 10_000 {
			text := fmt.Sprintf("a%d", i)
			switch err := pub.SendString(context.Background(), text); {
			case err == nil:
				sent = append(sent, text)
			default:
				require.ErrorIs(t, err, zmq.ErrAgain)
				require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
				failed++
			}
			if i%1000 == 999 {
				for _, sub := range subs {
					require.Equal(t, sent, taken(t, sub))
				}
				require.NotEmpty(t, sent)
				sent = nil
			}
		}
		require.Greater(t, failed, 9_000)
		require.EqualValues(t, failed, pub.Stats().SendWouldBlock)
		require.Zero(t, pub.Stats().Dropped)
	})
}

// A send waits for the slowest subscriber, as long as it may.
func TestWhenFullBlock(t *testing.T) {
	t.Parallel()
	publisherTypes(t, func(t *testing.T, typ zmq.SocketType) {
		pub, subs := publisher(t, typ, 5, zmq.Block, "a")
		send := func(i int) error { return pub.SendString(context.Background(), fmt.Sprintf("a%d", i)) }
		require.NoError(t, repeat(10, send))
		require.ErrorIs(t, pub.SendString(context.Background(), "a", zmq.DontWait), zmq.ErrAgain)
		require.NoError(t, pub.SendString(context.Background(), "b", zmq.DontWait), "nobody that matches is full")
		require.ErrorIs(t, pub.SendString(timeout(t, 20*time.Millisecond), "a"), context.DeadlineExceeded)
		require.NoError(t, pub.Set(zmq.SendTimeout.To(10*time.Millisecond)))
		require.ErrorIs(t, pub.SendString(context.Background(), "a"), os.ErrDeadlineExceeded)
		require.NoError(t, pub.Set(zmq.SendTimeout.To(-1)))

		const messages = 1000
		sent := async(func() error { return repeat(messages-10, func(i int) error { return send(10 + i) }) })
		for i := range messages {
			require.Equal(t, fmt.Sprintf("a%d", i), recvString(t, subs[0]))
		}
		require.NoError(t, <-sent)
	})
}

// A new policy also applies to a waiting sender.
func TestWhenFullWhileWaiting(t *testing.T) {
	t.Parallel()
	publisherTypes(t, func(t *testing.T, typ zmq.SocketType) {
		for _, policy := range []zmq.FullPolicy{zmq.Drop, zmq.DropCounted, zmq.Fail} {
			pub, subs := publisher(t, typ, 5, zmq.Block, "a")
			for range 10 {
				require.NoError(t, pub.SendString(context.Background(), "a"))
			}
			ctx, done := within(t), make(chan error, 1)
			go func() { done <- pub.SendString(ctx, "a late") }()
			for pub.Stats().SendWaits == 0 {
				require.NoError(t, ctx.Err())
				runtime.Gosched()
			}
			require.NoError(t, pub.Set(zmq.WhenFull.To(policy)))
			err := <-done
			dropped := uint64(0)
			switch policy {
			case zmq.DropCounted:
				dropped = 1
				fallthrough
			case zmq.Drop:
				require.NoError(t, err)
			case zmq.Fail:
				require.ErrorIs(t, err, zmq.ErrAgain)
				require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
			}
			require.Equal(t, dropped, pub.Stats().Dropped)
			require.NotContains(t, taken(t, subs[0]), "a late")
		}
	})
}

func TestWhenFullSettings(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	pub := newSocket(t, zctx, zmq.XPub)
	is := func(want zmq.FullPolicy) {
		t.Helper()
		require.Equal(t, want, zmqtest.Get(t, zmq.WhenFull, pub))
	}
	is(zmq.Drop)
	for _, p := range []zmq.FullPolicy{zmq.DropCounted, zmq.Block, zmq.Fail, zmq.Drop} {
		require.NoError(t, pub.Set(zmq.WhenFull.To(p)))
		is(p)
	}
	require.NoError(t, pub.Set(zmq.XPubNoDrop.To(true)))
	is(zmq.Block)
	require.NoError(t, pub.Set(zmq.XPubNoDrop.To(false)))
	is(zmq.Drop)
	requireFails(t, pub.Set(zmq.WhenFull.To(zmq.Fail+1)), syscall.EINVAL, "0 to 3")
	require.ErrorIs(t, newSocket(t, zctx, zmq.Push).Set(zmq.WhenFull.To(zmq.Fail)), syscall.EINVAL)
	require.Equal(t, "Drop DropCounted Block Fail FullPolicy(7)",
		fmt.Sprint(zmq.Drop, " ", zmq.DropCounted, " ", zmq.Block, " ", zmq.Fail, " ", zmq.FullPolicy(7)))
	require.NoError(t, pub.Close())
	require.ErrorIs(t, pub.Set(zmq.WhenFull.To(zmq.Fail)), zmq.ErrClosed)
	require.Zero(t, pub.Stats().Dropped)
	require.Zero(t, (*zmq.Socket)(nil).Stats().Dropped)
}
