//go:build unix

package aborts

import (
	"context"
	"errors"
	"math"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// tryLengths asks for copies that cannot be made.
func tryLengths(t *testing.T, report func(error)) {
	s := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.XPub)
	long := make([]byte, 1<<20)
	report(s.Set(zmq.XPubWelcomeMessage.To(long)))
	report(s.Set(zmq.OptionByNumber[[]byte](72).To(long)))
	_, err := zmq.NewMessage(1 << 50)
	report(err)
}

func tryMaxSockets(t *testing.T, report func(error)) {
	for _, n := range []int{math.MaxInt32, 1 << 30, 65536, 0} {
		_, err := zmq.NewContext(zmq.MaxSockets.To(n))
		report(err)
	}
	zctx := zmqtest.NewContext(t, zmq.MaxSockets.To(2))
	report(zctx.Set(zmq.MaxSockets.To(math.MaxInt)))
	report(zctx.Set(zmq.MaxSockets.To(math.MinInt)))
	a, b := zmqtest.NewSocket(t, zctx, zmq.Pair), zmqtest.NewSocket(t, zctx, zmq.Pair)
	_, err := zctx.NewSocket(zmq.Pair)
	report(err)
	report(zctx.Set(zmq.MaxSockets.To(100)))
	zmqtest.Connect(t, a, b, zmqtest.InprocName())
	zmqtest.RequireWorks(t, a, b)
	// The most that is allowed.
	zctx = zmqtest.NewContext(t, zmq.MaxSockets.To(65535))
	zmqtest.NewSocket(t, zctx, zmq.Pair)
}

func tryAffinity(t *testing.T, report func(error)) {
	for _, cpu := range []int{-1, 1024, math.MaxInt32} {
		_, err := zmq.NewContext(zmq.ThreadAffinityCPUAdd.To(cpu))
		report(err)
	}
	_, err := zmq.NewContext(zmq.ThreadAffinityCPUAdd.To(1023))
	report(err)
	zctx := zmqtest.NewContext(t)
	report(zctx.Set(zmq.ThreadAffinityCPURemove.To(1023)))
	_, err = zctx.NewSocket(zmq.Pair)
	report(err)
}

// tryPolicy needs no missing privilege: FIFO without a priority is refused to
// everybody.
func tryPolicy(t *testing.T, report func(error)) {
	_, err := zmqtest.NewContext(t, zmq.ThreadSchedPolicy.To(4)).NewSocket(zmq.Pair)
	report(err)
	_, err = zmq.NewContext(zmq.ThreadSchedPolicy.To(1000))
	report(err)
	_, err = zmq.NewContext(zmq.ThreadPriority.To(100))
	report(err)
	_, err = zmqtest.NewContext(t, zmq.ThreadSchedPolicy.To(1)).NewSocket(zmq.Pair)
	report(err)
}

func tryIOThreads(t *testing.T, report func(error)) {
	for _, n := range []int{math.MaxInt32, 257, -1} {
		_, err := zmq.NewContext(zmq.IOThreads.To(n))
		report(err)
	}
	zctx := zmqtest.NewContext(t)
	zmqtest.NewSocket(t, zctx, zmq.Pair)
	report(zctx.Set(zmq.IOThreads.To(2)))
}

// tryRepMandatory sets what REP and REQ inherit inside libzmq and must not have,
// and then overruns a REP with a requester that takes no replies.
func tryRepMandatory(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	rep, req := zmqtest.NewSocket(t, zctx, zmq.Rep, zmq.SendHWM.To(1)), zmqtest.NewSocket(t, zctx, zmq.Req)
	for _, s := range []*zmq.Socket{rep, req} {
		report(s.Set(zmq.RouterMandatory.To(true)))
		report(s.Set(zmq.OptionByNumber[int](33).To(1)))
		report(s.Set(zmq.RouterRaw.To(true)))
		report(s.Set(zmq.RouterHandover.To(true)))
	}
	dealer := zmqtest.NewSocket(t, zctx, zmq.Dealer, zmq.RecvHWM.To(1))
	zmqtest.Connect(t, rep, dealer, zmqtest.InprocName())
	for range 100 {
		require.NoError(t, dealer.SendMultipart(context.Background(), [][]byte{nil, []byte("request")}))
		zmqtest.RecvBytes(t, rep)
		require.NoError(t, rep.Send(context.Background(), []byte("reply")))
	}
}

func tryLongTopic(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	topic := strings.Repeat("x", 1<<20)
	sub, xpub := zmqtest.NewSocket(t, zctx, zmq.Sub), zmqtest.NewSocket(t, zctx, zmq.XPub, zmq.XPubManual.To(true))
	report(sub.Subscribe(topic))
	report(sub.Unsubscribe(topic))
	report(sub.Set(zmq.OptionByNumber[string](6).To(topic)))
	report(sub.Set(zmq.OptionByNumber[[]byte](6).To([]byte(topic))))
	report(xpub.Set(zmq.Subscribe.To(topic)))
	require.NoError(t, sub.Subscribe(topic[:4096]), "the longest that is allowed")
}

// trySentTopic subscribes with messages, as an XSUB does. libzmq looks at every
// part of a message.
func trySentTopic(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	xpub, xsub := zmqtest.NewSocket(t, zctx, zmq.XPub), zmqtest.NewSocket(t, zctx, zmq.XSub)
	zmqtest.Connect(t, xpub, xsub, zmqtest.InprocName())
	long := append([]byte{1}, make([]byte, 1<<20)...)
	m, err := zmq.NewMessageBytes(long)
	require.NoError(t, err)
	report(xsub.Send(context.Background(), long))
	report(xsub.SendString(context.Background(), string(long)))
	report(xsub.Send(context.Background(), long, zmq.SendMore))
	require.Zero(t, xsub.DiscardParts())
	report(xsub.SendMultipart(context.Background(), [][]byte{{2}, long}))
	report(xsub.SendMultipart(context.Background(), [][]byte{{2}, {2}, {2}, {2}, {2}, long}))
	report(xsub.SendMessage(context.Background(), m))
	require.Equal(t, len(long), m.Len())
	clone, err := m.Clone()
	require.NoError(t, err)
	report(xsub.SendMessage(context.Background(), clone, zmq.SendMore))
	require.NoError(t, m.Close())
	require.NoError(t, clone.Close())

	// Other messages to publishers may be long.
	for _, p := range [][]byte{append([]byte{2}, long...), append([]byte{1}, make([]byte, 4096)...)} {
		require.NoError(t, xsub.Send(context.Background(), p))
		require.Len(t, zmqtest.RecvBytes(t, xpub), len(p))
	}
}

// tryPeersTopic gets the topic from a peer that is not bound by our limits.
func tryPeersTopic(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	xpub := zmqtest.NewSocket(t, zctx, zmq.XPub)
	pair := zmqtest.NewSocket(t, zctx, zmq.Pair) // inproc connects any two types
	zmqtest.Connect(t, xpub, pair, zmqtest.InprocName())
	require.NoError(t, pair.Send(context.Background(), append([]byte{1}, make([]byte, 1<<20)...)))
	require.Len(t, zmqtest.RecvBytes(t, xpub), 1<<20+1)
	report(xpub.Close())
}

func tryDrafts(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	for typ := zmq.Server; typ <= zmq.Channel; typ++ {
		_, err := zctx.NewSocket(typ)
		if err != nil && zmq.Has("draft") && errors.Is(err, syscall.EINVAL) {
			err = nil // younger than the libzmq at hand
		}
		report(err)
	}
	for _, typ := range []zmq.SocketType{-1, 99} {
		_, err := zctx.NewSocket(typ)
		report(err)
	}
}

// tryMiddlingTopic subscribes over tcp to topics that some versions send wrongly.
func tryMiddlingTopic(t *testing.T, report func(error)) {
	for _, size := range []int{245, 246, 255, 256} {
		xpub, sub := zmqtest.Pair(t, zmq.XPub, zmq.Sub, "tcp://127.0.0.1:*")
		topic := strings.Repeat("t", size)
		err := sub.Subscribe(topic)
		report(err)
		if err != nil {
			continue
		}
		zmqtest.RecvBytes(t, xpub)
		require.NoError(t, xpub.SendString(context.Background(), topic))
		require.Equal(t, topic, zmqtest.RecvString(t, sub))
	}
}

// tryUDP uses what only draft types can.
func tryUDP(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	for _, typ := range []zmq.SocketType{zmq.Radio, zmq.Dish, zmq.Dgram} {
		_, err := zctx.NewSocket(typ)
		report(err)
	}
	s := zmqtest.NewSocket(t, zctx, zmq.Pub)
	report(s.Bind("udp://127.0.0.1:5555"))
	report(s.Connect("udp://127.0.0.1:5555"))
}
