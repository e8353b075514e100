//go:build unix

package aborts

import (
	"context"
	"errors"
	"math"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

var threadSafe = []zmq.SocketType{zmq.Server, zmq.Client, zmq.Radio, zmq.Dish, zmq.Gather, zmq.Scatter, zmq.Peer, zmq.Channel}

// draftSockets creates a socket of each type.
func draftSockets(t *testing.T, zctx *zmq.Context, types ...zmq.SocketType) (list []*zmq.Socket) {
	t.Helper()
	for _, typ := range types {
		s, err := zctx.NewSocket(typ, zmq.Linger.To(0))
		needs(t, err, zmq.Has("draft"), "socket", "draft", "GOZMQ_LIBRARY")
		list = append(list, s)
	}
	return list
}

// tryLocks would freeze as soon as two of these send to each other.
func tryLocks(t *testing.T) {
	list := draftSockets(t, zmqtest.NewContext(t), threadSafe...)
	for _, s := range list {
		refused(t, s.Bind(zmqtest.InprocName()), zmq.ErrNotSupported, "inproc", "tcp")
		refused(t, s.Connect(zmqtest.InprocName()), zmq.ErrNotSupported, "inproc", "tcp")
	}
}

// tryUnboundDgram sends before it is bound.
func tryUnboundDgram(t *testing.T) {
	list := draftSockets(t, zmqtest.NewContext(t), zmq.Dgram)
	s, to := list[0], zmqtest.UDPAddress(t)
	refused(t, s.SendDatagram(context.Background(), to, []byte("x")), syscall.ENOTCONN, "send", "Bind")
	refused(t, s.SendMultipart(context.Background(), [][]byte{[]byte(to.String()), make([]byte, 1000)}), syscall.ENOTCONN, "send", "Bind")
	m, err := zmq.NewMessageBytes([]byte("x"))
	require.NoError(t, err)
	refused(t, s.SendMessageTo(context.Background(), []byte(to.String()), m), syscall.ENOTCONN, "send", "Bind")
	require.NoError(t, m.Close())
	refused(t, s.Connect("tcp://127.0.0.1:5555"), enocompatproto, "connect", "udp")
	endpoint := "udp://" + zmqtest.UDPAddress(t).String()
	require.NoError(t, s.Bind(endpoint))
	require.NoError(t, s.SendDatagram(context.Background(), to, []byte("x")))
	refused(t, s.Unbind(endpoint), zmq.ErrNotSupported, "unbind", "close")
	require.NoError(t, s.SendDatagram(context.Background(), to, []byte("x")))
}

// tryDatagramParts sends what libzmq takes for addresses and data by turns.
func tryDatagramParts(t *testing.T) {
	list := draftSockets(t, zmqtest.NewContext(t), zmq.Dgram)
	s, address := list[0], []byte(zmqtest.UDPAddress(t).String())
	require.NoError(t, s.Bind("udp://127.0.0.1:*"))
	refused(t, s.Send(context.Background(), address), syscall.EINVAL, "send", "two parts")
	refused(t, s.SendMultipart(context.Background(), [][]byte{address, make([]byte, 5), []byte("more")}), syscall.EINVAL, "send", "two parts")
	refused(t, s.SendMultipart(context.Background(), make([][]byte, 20)), syscall.EINVAL, "send", "two parts")
	b := zmq.NewBatch(2)
	defer b.Close()
	require.NoError(t, b.Append(address, []byte("data")))
	require.NoError(t, b.Append(address))
	_, err := s.SendBatch(context.Background(), b)
	refused(t, err, syscall.EINVAL, "send", "two parts")
	require.NoError(t, s.SendMultipart(context.Background(), [][]byte{address, make([]byte, 5)}))
}

func tryDgramIPv6(t *testing.T) {
	list := draftSockets(t, zmqtest.NewContext(t), zmq.Dgram)
	require.NoError(t, list[0].Set(zmq.IPv6.To(true)))
	refused(t, list[0].Bind("udp://[::]:5555"), syscall.EPROTONOSUPPORT, "bind", "IPv4")
	refused(t, list[0].Bind("udp://*:*"), syscall.EPROTONOSUPPORT, "bind", "IPv4")
}

func tryLongDatagrams(t *testing.T) {
	list := draftSockets(t, zmqtest.NewContext(t), zmq.Dish, zmq.Radio, zmq.Dgram)
	dish, radio, dgram := list[0], list[1], list[2]
	to := zmqtest.UDPAddress(t)
	zmqtest.Connect(t, dish, radio, "udp://"+to.String())
	require.NoError(t, dgram.Bind("udp://127.0.0.1:*"))
	require.NoError(t, dish.Join("g"))
	zmqtest.RequireJoined(t, radio, dish, "g")
	long := make([]byte, 1<<20)
	m, err := zmq.NewMessageBytes(long[:8191])
	require.NoError(t, err)
	require.NoError(t, m.SetGroup("g"))
	b := zmq.NewBatch(2)
	defer b.Close()
	require.NoError(t, b.AppendGroup("g", long))
	_, batched := radio.SendBatch(context.Background(), b)
	refused(t, radio.SendGroup(context.Background(), "g", long[:8191]), syscall.EMSGSIZE, "send", "8192")
	refused(t, radio.Send(context.Background(), long), syscall.EMSGSIZE, "send", "8192")
	refused(t, radio.SendMessage(context.Background(), m), syscall.EMSGSIZE, "send", "8192")
	refused(t, batched, syscall.EMSGSIZE, "send", "8192")
	refused(t, dgram.SendDatagram(context.Background(), to, long), syscall.EMSGSIZE, "send", "8192")
	refused(t, dgram.SendMultipart(context.Background(), [][]byte{[]byte(to.String()), long[:8193]}), syscall.EMSGSIZE, "send", "8192")
	require.NoError(t, m.Close())
	// The longest that is allowed.
	require.NoError(t, radio.SendGroup(context.Background(), "g", long[:8190]))
	got, err := dish.RecvBytes(zmqtest.Within(t))
	require.NoError(t, err)
	require.Len(t, got, 8190)
}

// tryProxiedDatagrams has proxies send what is no datagram.
func tryProxiedDatagrams(t *testing.T) {
	list := draftSockets(t, zmqtest.NewContext(t), zmq.Radio, zmq.Dgram)
	require.NoError(t, list[0].Connect("udp://"+zmqtest.UDPAddress(t).String()))
	require.NoError(t, list[1].Bind("udp://127.0.0.1:*"))
	for _, to := range list {
		pull, push := zmqtest.Pair(t, zmq.Pull, zmq.Push, zmqtest.InprocName())
		p, end := runProxy(t, pull, to)
		require.NoError(t, push.Send(context.Background(), make([]byte, 1<<20)))
		require.Eventually(t, func() bool {
			s, err := p.Statistics()
			return err == nil && s.Dropped == 1
		}, 30*time.Second, time.Millisecond)
		require.NoError(t, p.Terminate())
		require.NoError(t, <-end)
	}
}

func tryLongGroups(t *testing.T) {
	list := draftSockets(t, zmqtest.NewContext(t), zmq.Radio, zmq.Dish, zmq.Dish)
	radio, a, b := list[0], list[1], list[2]
	require.NoError(t, radio.Bind("tcp://127.0.0.1:*"))
	endpoint := zmqtest.LastEndpoint(t, radio)
	require.NoError(t, a.Connect(endpoint))
	require.NoError(t, b.Connect(endpoint))
	refused(t, a.Join("fifteen-bytes-x"), syscall.EINVAL, "group", "14")
	refused(t, a.Leave(strings.Repeat("g", 256)), syscall.EINVAL, "group", "14")
	refused(t, radio.SendGroup(context.Background(), strings.Repeat("g", 255), []byte("x")), syscall.EINVAL, "group", "14")
	var m zmq.Message
	refused(t, m.SetGroup("fifteen-bytes-x"), syscall.EINVAL, "group", "14")
	require.NoError(t, a.Join("fourteen-bytes"))
	require.NoError(t, b.Join("fourteen-bytes"))
	zmqtest.RequireJoined(t, radio, a, "fourteen-bytes")
	zmqtest.RequireJoined(t, radio, b, "fourteen-bytes")
}

// tryHello binds a name from which a socket has gone that had connected to it.
func tryHello(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	for _, leave := range []func(s *zmq.Socket, name string) error{
		disconnectMessage(t, zctx),
		leaveMessage(t, zctx),
	} {
		dealer, greeter, router, late := zmqtest.NewSocket(t, zctx, zmq.Dealer), zmqtest.NewSocket(t, zctx, zmq.Router), zmqtest.NewSocket(t, zctx, zmq.Router), zmqtest.NewSocket(t, zctx, zmq.Dealer)
		needs(t, greeter.Set(zmq.HelloMessage.To([]byte("hello"))), zmq.Has("draft"), "HELLO_MSG", "GOZMQ_LIBRARY")
		name := zmqtest.InprocName()
		require.NoError(t, dealer.Connect(name))
		require.NoError(t, leave(dealer, name))
		refused(t, greeter.Bind(name), syscall.EINVAL, "bind", "HelloMessage")
		require.NoError(t, router.Bind(name), "without a hello it may")
		// A name that a socket waits for is greeted.
		name = zmqtest.InprocName()
		require.NoError(t, late.Connect(name))
		require.NoError(t, greeter.Bind(name))
		got, err := late.RecvString(zmqtest.Within(t))
		require.NoError(t, err)
		require.Equal(t, "hello", got)
	}
	// A socket that has left no message is forgotten.
	forgotten, name := zmqtest.NewSocket(t, zctx, zmq.Dealer), zmqtest.InprocName()
	for _, leave := range []func() error{func() error { return forgotten.Disconnect(name) }, forgotten.Close} {
		require.NoError(t, forgotten.Connect(name))
		require.NoError(t, leave())
		greeter := zmqtest.NewSocket(t, zctx, zmq.Router, zmq.HelloMessage.To([]byte("hello")))
		require.NoError(t, greeter.Bind(name))
		require.NoError(t, greeter.Unbind(name))
	}
	// A PAIR that has a peer has given up the connection that it waits with.
	pair, greeter := zmqtest.NewSocket(t, zctx, zmq.Pair), zmqtest.NewSocket(t, zctx, zmq.Router, zmq.HelloMessage.To([]byte("hello")))
	name = zmqtest.InprocName()
	require.NoError(t, pair.Connect(zmqtest.InprocName()))
	require.NoError(t, pair.Connect(name))
	refused(t, greeter.Bind(name), syscall.EINVAL, "bind", "HelloMessage")
	require.NoError(t, zmqtest.NewSocket(t, zctx, zmq.Dealer).Bind(name), "without a hello it may")
}

// tryDraftOptions gives each option the least and the most that it takes, and has
// messages sent and connections broken with it.
func tryDraftOptions(t *testing.T) {
	draftSockets(t, zmqtest.NewContext(t), zmq.Server)
	long := make([]byte, 65536)
	settings := []zmq.Setting{
		zmq.RouterNotify.To(3), zmq.HelloMessage.To(long), zmq.HelloMessage.To(nil), zmq.DisconnectMessage.To(long), zmq.HiccupMessage.To(long),
		zmq.Priority.To(6), zmq.BusyPoll.To(0), zmq.XSubVerboseUnsubscribe.To(true), zmq.InBatchSize.To(1024), zmq.InBatchSize.To(1 << 20),
		zmq.OutBatchSize.To(1024), zmq.OutBatchSize.To(1 << 20), zmq.ReconnectStop.To(7), zmq.ZapEnforceDomain.To(true), zmq.Metadata.To("X-a:" + strings.Repeat("v", 4000)),
		zmq.MulticastLoop.To(false), zmq.LoopbackFastPath.To(true), zmq.OnlyFirstSubscribe.To(true), zmq.XPubManualLastValue.To(true),
		zmq.SocksUsername.To(strings.Repeat("u", 255)), zmq.SocksPassword.To(strings.Repeat("p", 255)),
		zmq.NormMode.To(4), zmq.NormBufferSize.To(1), zmq.NormSegmentSize.To(1), zmq.NormBlockSize.To(255), zmq.NormNumParity.To(254),
		zmq.NormNumAutoParity.To(254), zmq.NormPush.To(true), zmq.NormUnicastNack.To(true), zmq.WSSTrustSystem.To(true),
	}
	for _, numbers := range []int{97, 101, 102, 107, 109, 112, 113, 115, 117, 118, 119, 120, 121, 122, 123, 124} {
		for _, n := range []int{math.MinInt32, -1, math.MaxInt32, 1} {
			if n == 1 && numbers != 101 && numbers != 102 {
				continue
			}
			s := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Router)
			err := s.Set(zmq.OptionByNumber[int](numbers).To(n))
			if numbers != 112 && numbers != 113 || n < 0 {
				require.Error(t, err, "option %d = %d", numbers, n)
			}
		}
	}
	for _, types := range [][2]zmq.SocketType{
		{zmq.Server, zmq.Client}, {zmq.Peer, zmq.Peer}, {zmq.Router, zmq.Dealer}, {zmq.XPub, zmq.XSub}, {zmq.Gather, zmq.Scatter}, {zmq.Channel, zmq.Channel}, {zmq.Rep, zmq.Req},
	} {
		for i, setting := range settings {
			local := zmqtest.InprocName()
			if types[0] >= zmq.Server {
				local = "ipc://*"
			}
			for _, endpoint := range []string{"tcp://127.0.0.1:*", local} {
				exercise(t, types, setting, endpoint, i)
			}
		}
	}
}

// exercise connects, sends both ways as far as the types do, and breaks the connection.
func exercise(t *testing.T, types [2]zmq.SocketType, setting zmq.Setting, endpoint string, i int) {
	t.Helper()
	zctx := zmqtest.NewContext(t)
	b, d := zmqtest.NewSocket(t, zctx, types[0]), zmqtest.NewSocket(t, zctx, types[1])
	for _, s := range []*zmq.Socket{b, d} {
		if err := s.Set(setting); err != nil {
			require.True(t, errors.Is(err, syscall.EINVAL) || errors.Is(err, zmq.ErrNotSupported), "setting %d of %v: %v", i, s.Type(), err)
		}
	}
	zmqtest.Connect(t, b, d, endpoint)
	for _, size := range []int{1, 3000} {
		err := d.Send(context.Background(), make([]byte, size), zmq.DontWait)
		require.True(t, err == nil || errors.Is(err, zmq.ErrAgain) || errors.Is(err, syscall.EINVAL) || errors.Is(err, zmq.ErrState), "%v", err)
	}
	_ = b.Set(zmq.RecvTimeout.To(time.Millisecond))
	_, _ = b.RecvBytes(context.Background())
	require.NoError(t, d.Close())
	_, _ = b.RecvBytes(context.Background())
	require.NoError(t, b.Close())
	require.NoError(t, zctx.Close())
}
