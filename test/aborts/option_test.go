//go:build unix

package aborts

import (
	"bytes"
	"context"
	"errors"
	"math"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/test/testutil/intercept"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// tryLengths asks for copies that cannot be made.
func tryLengths(t *testing.T) {
	s := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.XPub)
	long := make([]byte, 1<<20)
	refused(t, s.Set(zmq.XPubWelcomeMessage.To(long)), syscall.EINVAL, "XPUB_WELCOME_MSG", "65536 bytes")
	refused(t, s.Set(zmq.OptionByNumber[[]byte](72).To(long)), syscall.EINVAL, "XPUB_WELCOME_MSG", "65536 bytes")
	_, err := zmq.NewMessage(1 << 50)
	refused(t, err, syscall.ENOMEM, "not enough memory")
}

func tryMaxSockets(t *testing.T) {
	for _, n := range []int{math.MaxInt32, 1 << 30, 65536, 0} {
		_, err := zmq.NewContext(zmq.MaxSockets.To(n))
		refused(t, err, syscall.EINVAL, "MAX_SOCKETS", "the allowed range is 1 to 65535")
	}
	zctx := zmqtest.NewContext(t, zmq.MaxSockets.To(2))
	refused(t, zctx.Set(zmq.MaxSockets.To(math.MaxInt)), syscall.EINVAL, "MAX_SOCKETS", "the allowed range is 1 to 65535")
	refused(t, zctx.Set(zmq.MaxSockets.To(math.MinInt)), syscall.EINVAL, "MAX_SOCKETS", "the allowed range is 1 to 65535")
	a, b := zmqtest.NewSocket(t, zctx, zmq.Pair), zmqtest.NewSocket(t, zctx, zmq.Pair)
	_, err := zctx.NewSocket(zmq.Pair)
	refused(t, err, syscall.EMFILE, "socket", "MaxSockets")
	refused(t, zctx.Set(zmq.MaxSockets.To(100)), syscall.EINVAL, "MAX_SOCKETS", "NewContext")
	zmqtest.Connect(t, a, b, zmqtest.InprocName())
	zmqtest.RequireWorks(t, a, b)
	// The most that is allowed.
	zctx = zmqtest.NewContext(t, zmq.MaxSockets.To(65535))
	zmqtest.NewSocket(t, zctx, zmq.Pair)
}

func tryAffinity(t *testing.T) {
	for _, cpu := range []int{-1, 1024, math.MaxInt32} {
		_, err := zmq.NewContext(zmq.ThreadAffinityCPUAdd.To(cpu))
		refused(t, err, syscall.EINVAL, "THREAD_AFFINITY_CPU_ADD", "the allowed range is 0 to 1023")
	}
	_, err := zmq.NewContext(zmq.ThreadAffinityCPUAdd.To(1023))
	refused(t, err, syscall.EINVAL, "THREAD_AFFINITY_CPU_ADD", "CPU 1023")
	zctx := zmqtest.NewContext(t)
	refused(t, zctx.Set(zmq.ThreadAffinityCPURemove.To(1023)), syscall.EINVAL, "THREAD_AFFINITY_CPU_REMOVE", "CPU 1023", "added")
	_, err = zctx.NewSocket(zmq.Pair)
	require.NoError(t, err)
}

// tryPolicy needs no missing privilege: FIFO without a priority is refused to
// everybody.
func tryPolicy(t *testing.T) {
	_, err := zmqtest.NewContext(t, zmq.ThreadSchedPolicy.To(4)).NewSocket(zmq.Pair)
	refused(t, err, syscall.EINVAL, "socket", "ThreadSchedPolicy")
	_, err = zmq.NewContext(zmq.ThreadSchedPolicy.To(1000))
	refused(t, err, syscall.EINVAL, "THREAD_SCHED_POLICY", "the allowed range is")
	_, err = zmq.NewContext(zmq.ThreadPriority.To(100))
	refused(t, err, syscall.EINVAL, "THREAD_PRIORITY", "the allowed range is")
	_, err = zmqtest.NewContext(t, zmq.ThreadSchedPolicy.To(1)).NewSocket(zmq.Pair)
	refused(t, err, syscall.EINVAL, "socket", "ThreadSchedPolicy", "ThreadPriority")
}

func tryIOThreads(t *testing.T) {
	for _, n := range []int{math.MaxInt32, 257, -1} {
		_, err := zmq.NewContext(zmq.IOThreads.To(n))
		refused(t, err, syscall.EINVAL, "IO_THREADS", "the allowed range is 0 to 256")
	}
	zctx := zmqtest.NewContext(t)
	zmqtest.NewSocket(t, zctx, zmq.Pair)
	refused(t, zctx.Set(zmq.IOThreads.To(2)), syscall.EINVAL, "IO_THREADS", "NewContext")
}

// tryRepMandatory sets what REP and REQ inherit inside libzmq and must not have,
// and then overruns a REP with a requester that takes no replies.
func tryRepMandatory(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	rep, req := zmqtest.NewSocket(t, zctx, zmq.Rep, zmq.SendHWM.To(1)), zmqtest.NewSocket(t, zctx, zmq.Req)
	for _, s := range []*zmq.Socket{rep, req} {
		refused(t, s.Set(zmq.RouterMandatory.To(true)), syscall.EINVAL, "set", "a RE", "only")
		refused(t, s.Set(zmq.OptionByNumber[int](33).To(1)), syscall.EINVAL, "set", "a RE", "only")
		refused(t, s.Set(zmq.RouterRaw.To(true)), syscall.EINVAL, "set", "a RE", "only")
		refused(t, s.Set(zmq.RouterHandover.To(true)), syscall.EINVAL, "set", "a RE", "only")
	}
	dealer := zmqtest.NewSocket(t, zctx, zmq.Dealer, zmq.RecvHWM.To(1))
	zmqtest.Connect(t, rep, dealer, zmqtest.InprocName())
	for range 100 {
		require.NoError(t, dealer.SendMultipart(context.Background(), [][]byte{nil, []byte("request")}))
		zmqtest.RecvBytes(t, rep)
		require.NoError(t, rep.Send(context.Background(), []byte("reply")))
	}
}

func tryLongTopic(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	topic := strings.Repeat("x", 1<<20)
	sub, xpub := zmqtest.NewSocket(t, zctx, zmq.Sub), zmqtest.NewSocket(t, zctx, zmq.XPub, zmq.XPubManual.To(true))
	refused(t, sub.Subscribe(topic), syscall.EINVAL, "SUBSCRIBE", "4096 bytes")
	refused(t, sub.Unsubscribe(topic), syscall.EINVAL, "SUBSCRIBE", "4096 bytes")
	refused(t, sub.Set(zmq.OptionByNumber[string](6).To(topic)), syscall.EINVAL, "SUBSCRIBE", "4096 bytes")
	refused(t, sub.Set(zmq.OptionByNumber[[]byte](6).To([]byte(topic))), syscall.EINVAL, "SUBSCRIBE", "4096 bytes")
	refused(t, xpub.Set(zmq.Subscribe.To(topic)), syscall.EINVAL, "SUBSCRIBE", "4096 bytes")
	require.NoError(t, sub.Subscribe(topic[:4096]), "the longest that is allowed")
}

// trySentTopic subscribes with messages, as an XSUB does. libzmq looks at every
// part of a message.
func trySentTopic(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	xpub, xsub := zmqtest.NewSocket(t, zctx, zmq.XPub), zmqtest.NewSocket(t, zctx, zmq.XSub)
	zmqtest.Connect(t, xpub, xsub, zmqtest.InprocName())
	long := append([]byte{1}, make([]byte, 1<<20)...)
	m, err := zmq.NewMessageBytes(long)
	require.NoError(t, err)
	refused(t, xsub.Send(context.Background(), long), syscall.EINVAL, "send", "4096")
	refused(t, xsub.SendString(context.Background(), string(long)), syscall.EINVAL, "send", "4096")
	refused(t, xsub.Send(context.Background(), long, zmq.SendMore), syscall.EINVAL, "send", "4096")
	require.Zero(t, xsub.DiscardParts())
	refused(t, xsub.SendMultipart(context.Background(), [][]byte{{2}, long}), syscall.EINVAL, "send", "4096")
	refused(t, xsub.SendMultipart(context.Background(), [][]byte{{2}, {2}, {2}, {2}, {2}, long}), syscall.EINVAL, "send", "4096")
	refused(t, xsub.SendMessage(context.Background(), m), syscall.EINVAL, "send", "4096")
	require.Equal(t, len(long), m.Len())
	clone, err := m.Clone()
	require.NoError(t, err)
	refused(t, xsub.SendMessage(context.Background(), clone, zmq.SendMore), syscall.EINVAL, "send", "4096")
	require.NoError(t, m.Close())
	require.NoError(t, clone.Close())

	// Other messages to publishers may be long.
	for _, p := range [][]byte{append([]byte{2}, long...), append([]byte{1}, make([]byte, 4096)...)} {
		require.NoError(t, xsub.Send(context.Background(), p))
		require.Len(t, zmqtest.RecvBytes(t, xpub), len(p))
	}
}

// tryPeersTopic gets the topic from a peer that is not bound by our limits.
func tryPeersTopic(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	xpub := zmqtest.NewSocket(t, zctx, zmq.XPub)
	pair := zmqtest.NewSocket(t, zctx, zmq.Pair) // inproc connects any two types
	zmqtest.Connect(t, xpub, pair, zmqtest.InprocName())
	require.NoError(t, pair.Send(context.Background(), append([]byte{1}, make([]byte, 1<<20)...)))
	require.Len(t, zmqtest.RecvBytes(t, xpub), 1<<20+1)
	require.NoError(t, xpub.Close())
}

func tryDrafts(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	for typ := zmq.Server; typ <= zmq.Channel; typ++ {
		_, err := zctx.NewSocket(typ)
		if err != nil && zmq.Has("draft") && errors.Is(err, syscall.EINVAL) {
			err = nil // younger than the libzmq at hand
		}
		supported(t, err, zmq.Has("draft"), "socket", "draft", "GOZMQ_LIBRARY")
	}
	for _, typ := range []zmq.SocketType{-1, 99} {
		_, err := zctx.NewSocket(typ)
		refused(t, err, syscall.EINVAL, "socket type")
	}
}

// tryMiddlingTopic subscribes over tcp to topics that some versions send wrongly.
func tryMiddlingTopic(t *testing.T) {
	for _, size := range []int{245, 246, 255, 256} {
		xpub, sub := zmqtest.Pair(t, zmq.XPub, zmq.Sub, "tcp://127.0.0.1:*")
		topic := strings.Repeat("t", size)
		if !supported(t, sub.Subscribe(topic), size < 246 || size == 256 || matchesLongTopics(), "SUBSCRIBE", "4.3.5") {
			continue
		}
		zmqtest.RecvBytes(t, xpub)
		require.NoError(t, xpub.SendString(context.Background(), topic))
		require.Equal(t, topic, zmqtest.RecvString(t, sub))
	}
}

// tryUDP uses what only draft types can.
func tryUDP(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	for _, typ := range []zmq.SocketType{zmq.Radio, zmq.Dish, zmq.Dgram} {
		_, err := zctx.NewSocket(typ)
		supported(t, err, zmq.Has("draft"), "socket", "draft", "GOZMQ_LIBRARY")
	}
	s := zmqtest.NewSocket(t, zctx, zmq.Pub)
	refused(t, s.Bind("udp://127.0.0.1:5555"), enocompatproto, "udp://127.0.0.1:5555", "DISH")
	refused(t, s.Connect("udp://127.0.0.1:5555"), enocompatproto, "udp://127.0.0.1:5555", "DISH")
}

// matchesLongTopics reports whether libzmq matches topics of 246 to 255 bytes.
func matchesLongTopics() bool {
	major, minor, patch := zmq.Version()
	return major > 4 || minor > 3 || minor == 3 && patch >= 5
}

// tryBadValues gives every option of every type of socket values of every kind, by
// its number, which is how nothing but this API's own checks can refuse them.
func tryBadValues(t *testing.T) {
	// The opposite of IPv6, and deprecated: the one option of libzmq's that this API does
	// not know and hands on as it is.
	const ipv4Only = 31
	intercept.AbortOnBadOptions()
	last := zmq.Stream
	if zmq.Has("draft") {
		last = zmq.Channel
	}
	refused, set := 0, 0
	note := func(err error) {
		var e *zmq.Error
		switch {
		case err == nil:
			set++
		case errors.As(err, &e):
			refused++
		default:
			require.NoError(t, err)
		}
	}
	ints := []int{math.MinInt32, -1000, -2, -1, 0, 1, 2, 3, 4, 7, 255, 256, 1000, 32767, 32768, 65536, math.MaxInt32}
	texts := [][]byte{
		nil,
		{0},
		[]byte("x"), []byte("text"), bytes.Repeat([]byte("k"), 32), bytes.Repeat([]byte("k"), 40), bytes.Repeat([]byte{'"'}, 40),
		bytes.Repeat([]byte("l"), 255), bytes.Repeat([]byte("l"), 256), bytes.Repeat([]byte("l"), 70000),
	}
	zctx := zmqtest.NewContext(t)
	for typ := zmq.Pair; typ <= last; typ++ {
		for number := range 130 {
			if number == ipv4Only {
				continue
			}
			s, err := zctx.NewSocket(typ, zmq.Linger.To(0))
			require.NoError(t, err)
			for _, n := range ints {
				note(s.Set(zmq.OptionByNumber[int](number).To(n)))
				note(s.Set(zmq.OptionByNumber[int64](number).To(int64(n))))
				note(s.Set(zmq.OptionByNumber[uint64](number).To(uint64(n))))
			}
			for _, b := range texts {
				note(s.Set(zmq.OptionByNumber[[]byte](number).To(b)))
				note(s.Set(zmq.OptionByNumber[string](number).To(string(b))))
			}
			require.NoError(t, s.Close())
		}
	}
	// Both happened, and libzmq was asked.
	for _, n := range []int{refused, set, intercept.OptionCalls()} {
		require.GreaterOrEqual(t, n, 1000)
	}
}

func tryWS(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	const any = "ws://127.0.0.1:*"
	if !zmq.Has("WS") {
		refused(t, zmqtest.NewSocket(t, zctx, zmq.Pull).Bind(any), zmq.ErrNotSupported, "ws", "has no transport")
		return
	}
	refused(t, zmqtest.NewSocket(t, zctx, zmq.Stream).Bind(any), syscall.EPROTONOSUPPORT, "ws://", "plain TCP")
	refused(t, zmqtest.NewSocket(t, zctx, zmq.Router, zmq.RouterRaw.To(true)).Bind(any), syscall.EPROTONOSUPPORT, "ws://", "plain TCP")
	refused(t, zmqtest.NewSocket(t, zctx, zmq.Pull, zmq.HeartbeatInterval.To(1)).Bind(any), syscall.EINVAL, "ws://", "HeartbeatInterval")
	pull := zmqtest.NewSocket(t, zctx, zmq.Pull)
	require.NoError(t, pull.Bind(any))
	refused(t, pull.Set(zmq.HeartbeatInterval.To(1)), syscall.EINVAL, "HEARTBEAT_IVL", "WebSockets")
	at := zmqtest.LastEndpoint(t, pull)
	refused(t, zmqtest.NewSocket(t, zctx, zmq.Router, zmq.Immediate.To(true)).Connect(at), syscall.EINVAL, "ws://", "Immediate")
	refused(t, zmqtest.NewSocket(t, zctx, zmq.Rep, zmq.Immediate.To(true)).Connect(at), syscall.EINVAL, "ws://", "Immediate")
	require.NoError(t, zmqtest.NewSocket(t, zctx, zmq.Push, zmq.Immediate.To(true)).Connect(at))
}

func tryPackets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path, Net: "unixpacket"})
	if err != nil {
		return // this system has no sockets of packets
	}
	defer l.Close()
	f, err := l.File()
	require.NoError(t, err)
	defer f.Close()
	refused(t, zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Push).Set(zmq.UseFD.To(int(f.Fd()))), syscall.EINVAL, "USE_FD", "not a stream socket")
}

func tryManualOff(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	xpub := zmqtest.NewSocket(t, zctx, zmq.XPub, zmq.TrackSubscriptions.To(true), zmq.XPubManual.To(true), zmq.XPubManual.To(false), zmq.XPubManual.To(true))
	name := zmqtest.InprocName()
	require.NoError(t, xpub.Bind(name))
	push := zmqtest.NewSocket(t, zctx, zmq.Push)
	require.NoError(t, push.Connect(name))
	require.NoError(t, push.Send(context.Background(), append([]byte{1}, make([]byte, 1<<18)...)))
	_, err := xpub.RecvBytes(zmqtest.Within(t))
	require.NoError(t, err)
	refused(t, xpub.Set(zmq.XPubManual.To(false)), syscall.EINVAL, "XPUB_MANUAL", "turned off")
	require.NoError(t, push.Close())
	require.NoError(t, xpub.Close())
}

// tryUnbindAfterLook unbinds what a connection of the socket to itself goes over, when
// libzmq has begun to read a message that came by it.
func tryUnbindAfterLook(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	at := "tcp://" + l.Addr().String()
	f, err := l.(*net.TCPListener).File()
	require.NoError(t, err)
	s := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Router, zmq.ConnectRoutingID.To([]byte("self")), zmq.UseFD.To(int(f.Fd())))
	require.NoError(t, s.Connect(at))
	require.NoError(t, s.Bind(at))
	require.NoError(t, f.Close())
	require.NoError(t, l.Close())
	parts := [][]byte{[]byte("self"), []byte("a"), []byte("b"), []byte("c")}
	require.NoError(t, s.SendMultipart(context.Background(), parts))
	got, err := s.RecvMultipart(zmqtest.Within(t))
	require.NoError(t, err)
	// The answer comes by the end that was bound.
	require.NoError(t, s.SendMultipart(context.Background(), append(got[:1], []byte("x"), []byte("y"), []byte("z"))))
	for {
		events := zmqtest.Get(t, zmq.Events, s)
		if events&libzmq.EventIn != 0 {
			break
		}
	}
	require.NoError(t, s.Unbind(at))
	got, err = s.RecvMultipart(context.Background(), zmq.DontWait)
	require.Len(t, got, 4)
	require.NoError(t, err)
}

func tryHelloProbe(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	s := zmqtest.NewSocket(t, zctx, zmq.Dealer)
	needs(t, s.Set(zmq.HelloMessage.To([]byte("hello"))), zmq.Has("draft"), "HELLO_MSG", "GOZMQ_LIBRARY")
	refused(t, s.Set(zmq.ProbeRouter.To(true)), syscall.EINVAL, "PROBE_ROUTER", "HelloMessage")
	require.NoError(t, s.Set(zmq.HelloMessage.To(nil), zmq.ProbeRouter.To(true)))
	refused(t, s.Set(zmq.HelloMessage.To([]byte("hello"))), syscall.EINVAL, "HELLO_MSG", "ProbeRouter")
	require.NoError(t, s.Set(zmq.ProbeRouter.To(false), zmq.HelloMessage.To([]byte("hello"))))
}
