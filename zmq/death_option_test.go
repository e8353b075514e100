//go:build unix

package zmq_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// Options with values, or on sockets, that libzmq does not bear.
var optionDeaths = []death{
	{"12 lengths that no memory holds", dieOfLengths, append(
		times(2, want(syscall.EINVAL, "XPUB_WELCOME_MSG", "65536 bytes")), want(syscall.ENOMEM, "not enough memory"))},
	{"16 absurd number of sockets", dieOfMaxSockets, append(append(
		times(4, want(syscall.EINVAL, "MAX_SOCKETS", "allowed are 1 to 65535")),
		times(2, want(syscall.EINVAL, "MAX_SOCKETS", "allowed are 1 to 65535"))...),
		want(syscall.EMFILE, "socket", "MaxSockets"),
		want(syscall.EINVAL, "MAX_SOCKETS", "NewContext"))},
	{"16b a CPU that is not there", dieOfAffinity, append(
		times(3, want(syscall.EINVAL, "THREAD_AFFINITY_CPU_ADD", "allowed are 0 to 1023")),
		want(syscall.EINVAL, "THREAD_AFFINITY_CPU_ADD", "CPU 1023"),
		want(syscall.EINVAL, "THREAD_AFFINITY_CPU_REMOVE", "CPU 1023", "added"), fine)},
	{"16b a scheduling policy that is not there", dieOfPolicy, []wanted{
		want(syscall.EINVAL, "socket", "ThreadSchedPolicy"),
		want(syscall.EINVAL, "THREAD_SCHED_POLICY", "allowed are"),
		want(syscall.EINVAL, "THREAD_PRIORITY", "allowed are"),
		want(syscall.EINVAL, "socket", "ThreadSchedPolicy", "ThreadPriority"),
	}},
	{"16c absurd number of I/O threads", dieOfIOThreads, append(
		times(3, want(syscall.EINVAL, "IO_THREADS", "allowed are 0 to 256")), want(syscall.EINVAL, "IO_THREADS", "NewContext"))},
	{"19 RouterMandatory on REP", dieOfRepMandatory, times(8, want(syscall.EINVAL, "set", "a RE", "only"))},
	{"22 topic of a megabyte", dieOfLongTopic, times(5, want(syscall.EINVAL, "SUBSCRIBE", "4096 bytes"))},
	{"22 topic of a megabyte sent by an XSUB", dieOfSentTopic, times(7, want(syscall.EINVAL, "send", "4096"))},
	{"22 topic of a megabyte from a peer", dieOfPeersTopic, times(1, fine)},
}

// dieOfLengths asks for copies that cannot be made.
func dieOfLengths(t *testing.T, report func(error)) {
	s := newSocket(t, newContext(t), zmq.XPub)
	long := make([]byte, 1<<20)
	report(s.Set(zmq.XPubWelcomeMessage.To(long)))
	report(s.Set(zmq.OptionByNumber[[]byte](72).To(long)))
	_, err := zmq.NewMessage(1 << 50)
	report(err)
}

func dieOfMaxSockets(t *testing.T, report func(error)) {
	for _, n := range []int{math.MaxInt32, 1 << 30, 65536, 0} {
		_, err := zmq.NewContext(zmq.MaxSockets.To(n))
		report(err)
	}
	zctx := newContext(t, zmq.MaxSockets.To(2))
	report(zctx.Set(zmq.MaxSockets.To(math.MaxInt)))
	report(zctx.Set(zmq.MaxSockets.To(math.MinInt)))
	a, b := newSocket(t, zctx, zmq.Pair), newSocket(t, zctx, zmq.Pair)
	_, err := zctx.NewSocket(zmq.Pair)
	report(err)
	report(zctx.Set(zmq.MaxSockets.To(100)))
	connect(t, a, b, inprocName())
	requireWorks(t, a, b)
	// The most that is allowed.
	zctx = newContext(t, zmq.MaxSockets.To(65535))
	newSocket(t, zctx, zmq.Pair)
}

func dieOfAffinity(t *testing.T, report func(error)) {
	for _, cpu := range []int{-1, 1024, math.MaxInt32} {
		_, err := zmq.NewContext(zmq.ThreadAffinityCPUAdd.To(cpu))
		report(err)
	}
	_, err := zmq.NewContext(zmq.ThreadAffinityCPUAdd.To(1023))
	report(err)
	zctx := newContext(t)
	report(zctx.Set(zmq.ThreadAffinityCPURemove.To(1023)))
	_, err = zctx.NewSocket(zmq.Pair)
	report(err)
}

// dieOfPolicy needs no missing privilege: FIFO without a priority is refused to
// everybody.
func dieOfPolicy(t *testing.T, report func(error)) {
	_, err := newContext(t, zmq.ThreadSchedPolicy.To(4)).NewSocket(zmq.Pair)
	report(err)
	_, err = zmq.NewContext(zmq.ThreadSchedPolicy.To(1000))
	report(err)
	_, err = zmq.NewContext(zmq.ThreadPriority.To(100))
	report(err)
	_, err = newContext(t, zmq.ThreadSchedPolicy.To(1)).NewSocket(zmq.Pair)
	report(err)
}

func dieOfIOThreads(t *testing.T, report func(error)) {
	for _, n := range []int{math.MaxInt32, 257, -1} {
		_, err := zmq.NewContext(zmq.IOThreads.To(n))
		report(err)
	}
	zctx := newContext(t)
	newSocket(t, zctx, zmq.Pair)
	report(zctx.Set(zmq.IOThreads.To(2)))
}

// dieOfRepMandatory sets what REP and REQ inherit inside libzmq and must not have,
// and then overruns a REP with a requester that takes no replies.
func dieOfRepMandatory(t *testing.T, report func(error)) {
	zctx := newContext(t)
	rep, req := newSocket(t, zctx, zmq.Rep, zmq.SendHWM.To(1)), newSocket(t, zctx, zmq.Req)
	for _, s := range []*zmq.Socket{rep, req} {
		report(s.Set(zmq.RouterMandatory.To(true)))
		report(s.Set(zmq.OptionByNumber[int](33).To(1)))
		report(s.Set(zmq.RouterRaw.To(true)))
		report(s.Set(zmq.RouterHandover.To(true)))
	}
	dealer := newSocket(t, zctx, zmq.Dealer, zmq.RecvHWM.To(1))
	connect(t, rep, dealer, inprocName())
	for range 100 {
		require.NoError(t, dealer.SendMultipart(context.Background(), [][]byte{nil, []byte("request")}))
		_, err := rep.RecvBytes(context.Background())
		require.NoError(t, err)
		require.NoError(t, rep.Send(context.Background(), []byte("reply")))
	}
}

func dieOfLongTopic(t *testing.T, report func(error)) {
	zctx := newContext(t)
	topic := strings.Repeat("x", 1<<20)
	sub, xpub := newSocket(t, zctx, zmq.Sub), newSocket(t, zctx, zmq.XPub, zmq.XPubManual.To(true))
	report(sub.Subscribe(topic))
	report(sub.Unsubscribe(topic))
	report(sub.Set(zmq.OptionByNumber[string](6).To(topic)))
	report(sub.Set(zmq.OptionByNumber[[]byte](6).To([]byte(topic))))
	report(xpub.Set(zmq.Subscribe.To(topic)))
	require.NoError(t, sub.Subscribe(topic[:4096]), "the longest that is allowed")
}

// dieOfSentTopic subscribes with messages, as an XSUB does. libzmq looks at every
// part of a message.
func dieOfSentTopic(t *testing.T, report func(error)) {
	zctx := newContext(t)
	xpub, xsub := newSocket(t, zctx, zmq.XPub), newSocket(t, zctx, zmq.XSub)
	connect(t, xpub, xsub, inprocName())
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
		got, err := xpub.RecvBytes(context.Background())
		require.NoError(t, err)
		require.Len(t, got, len(p))
	}
}

// dieOfPeersTopic gets the topic from a peer that is not bound by our limits.
func dieOfPeersTopic(t *testing.T, report func(error)) {
	zctx := newContext(t)
	xpub := newSocket(t, zctx, zmq.XPub)
	pair := newSocket(t, zctx, zmq.Pair) // inproc connects any two types
	connect(t, xpub, pair, inprocName())
	require.NoError(t, pair.Send(context.Background(), append([]byte{1}, make([]byte, 1<<20)...)))
	got, err := xpub.RecvBytes(context.Background())
	require.NoError(t, err)
	require.Len(t, got, 1<<20+1)
	report(xpub.Close())
}

// draftDeaths are those whose end depends on the libzmq at hand.
func draftDeaths() []death {
	drafts, short := fine, fine
	if !zmq.Has("draft") {
		drafts = want(zmq.ErrNotSupported, "socket", "draft", "GOZMQ_LIBRARY")
	}
	if major, minor, patch := zmq.Version(); major == 4 && (minor < 3 || minor == 3 && patch < 5) {
		short = want(zmq.ErrNotSupported, "SUBSCRIBE", "4.3.5")
	}
	return []death{
		{"17 draft types without the draft API", dieOfDrafts, append(times(9, drafts), times(2, want(syscall.EINVAL, "socket type"))...)},
		{"22b topics of 246 to 255 bytes", dieOfMiddlingTopic, []wanted{fine, short, short, fine}},
		{"26 udp", dieOfUDP, append(times(3, drafts), times(2, want(enocompatproto, "udp://127.0.0.1:5555", "DISH"))...)},
	}
}

func dieOfDrafts(t *testing.T, report func(error)) {
	zctx := newContext(t)
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

// dieOfMiddlingTopic subscribes over tcp to topics that some versions send wrongly.
func dieOfMiddlingTopic(t *testing.T, report func(error)) {
	for _, size := range []int{245, 246, 255, 256} {
		xpub, sub := pair(t, zmq.XPub, zmq.Sub, "tcp://127.0.0.1:*")
		topic := strings.Repeat("t", size)
		err := sub.Subscribe(topic)
		report(err)
		if err != nil {
			continue
		}
		_, err = xpub.RecvBytes(context.Background())
		require.NoError(t, err)
		require.NoError(t, xpub.SendString(context.Background(), topic))
		got, err := sub.RecvString(context.Background())
		require.NoError(t, err)
		require.Equal(t, topic, got)
	}
}

// dieOfUDP uses what only draft types can.
func dieOfUDP(t *testing.T, report func(error)) {
	zctx := newContext(t)
	for _, typ := range []zmq.SocketType{zmq.Radio, zmq.Dish, zmq.Dgram} {
		_, err := zctx.NewSocket(typ)
		report(err)
	}
	s := newSocket(t, zctx, zmq.Pub)
	report(s.Bind("udp://127.0.0.1:5555"))
	report(s.Connect("udp://127.0.0.1:5555"))
}
