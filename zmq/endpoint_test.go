package zmq

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

const (
	onBind    = "bind"
	onConnect = "connect"
	onBoth    = "bind connect"
)

func TestEndpointsRefused(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	long := strings.Repeat("n", 300)
	noNIC := syscall.ENODEV
	if !libzmq.Has("WS") {
		noNIC = syscall.ENOTSUP
	}
	noPGM, noNorm := errNoCompatibleProtocol, errNoCompatibleProtocol // also the errors of a libzmq that has them
	if !libzmq.Has("pgm") {
		noPGM = syscall.ENOTSUP
	}
	if !libzmq.Has("norm") {
		noNorm = syscall.ENOTSUP
	}
	for _, test := range []struct {
		verbs    string
		typ      SocketType
		endpoint string
		errno    syscall.Errno
		words    string
	}{
		{onBoth, Pull, "", syscall.EINVAL, "empty"},
		{onBoth, Pull, "tcp://127.0.0.1:1\x002", syscall.EINVAL, "NUL"},
		{onBoth, Pull, "inproc://" + strings.Repeat("n", maxEndpoint), syscall.ENAMETOOLONG, "1024"},
		{onBoth, Pull, "127.0.0.1:5555", syscall.EINVAL, "://"},
		{onBoth, Pull, "tcp:/127.0.0.1:5555", syscall.EINVAL, "://"},
		{onBoth, Pull, "http://127.0.0.1:5555", syscall.ENOTSUP, `"http"`},
		{onBoth, Pull, "TCP://127.0.0.1:5555", syscall.ENOTSUP, `"TCP"`},
		{onBoth, Pull, "://x", syscall.EINVAL, "transport"},
		{onBoth, Pull, "tcp://", syscall.EINVAL, "nothing after"},

		{onBoth, Pull, "tcp://127.0.0.1", syscall.EINVAL, "no port"},
		{onBoth, Pull, "tcp://127.0.0.1:", syscall.EINVAL, "port"},
		{onBoth, Pull, "tcp://127.0.0.1:5x", syscall.EINVAL, "5x"},
		{onBoth, Pull, "tcp://127.0.0.1:-1", syscall.EINVAL, "-1"},
		{onBoth, Pull, "tcp://127.0.0.1:+1", syscall.EINVAL, "+1"},
		{onBoth, Pull, "tcp://127.0.0.1: 1", syscall.EINVAL, "not a number"},
		{onBoth, Pull, "tcp://127.0.0.1:99999", syscall.EINVAL, "65535"},
		{onBoth, Pull, "tcp://127.0.0.1:65536", syscall.EINVAL, "65535"},
		{onBoth, Pull, "tcp://127.0.0.1:99999999999999999999", syscall.EINVAL, "65535"},
		{onBoth, Pull, "tcp://127.0.0.1:00", syscall.EINVAL, "65535"},
		{onBoth, Pull, "tcp://127.0.0.1:0080", syscall.EINVAL, "65535"},
		{onConnect, Pull, "tcp://127.0.0.1:0", syscall.EINVAL, "LastEndpoint"},
		{onConnect, Pull, "tcp://127.0.0.1:*", syscall.EINVAL, "LastEndpoint"},
		{onConnect, Pull, "tcp://*:5555", syscall.EINVAL, "for Bind"},
		{onBoth, Pull, "tcp://:5555", syscall.EINVAL, "no host"},
		{onBoth, Pull, "tcp://::1:5555", syscall.EINVAL, "tcp://[::1]:5555"},
		{onBoth, Pull, "tcp://[::1]", syscall.EINVAL, "1]"},
		{onBoth, Pull, "tcp://[::1:5555", syscall.EINVAL, "brackets"},
		{onBoth, Pull, "tcp://::1]:5555", syscall.EINVAL, "brackets"},
		{onBoth, Pull, "tcp://[127.0.0.1]:5555", syscall.EINVAL, "in brackets"},
		{onBoth, Pull, "tcp://[]:5555", syscall.EINVAL, "brackets"},
		{onBoth, Pull, "tcp://[::1]:5555", syscall.EINVAL, "IPv6 is off"},
		{onBoth, Pull, "tcp://[::zz]:5555", syscall.EINVAL, "not an IPv6 address"},
		{onBoth, Pull, "tcp://[%]:5555", syscall.EINVAL, "brackets"},
		{onBoth, Pull, "tcp://host%eth0:5555", syscall.EINVAL, "host name"},
		{onBoth, Pull, "tcp://ho st:5555", syscall.EINVAL, "host name"},
		{onBoth, Pull, "tcp://-host:5555", syscall.EINVAL, "host name"},
		{onBoth, Pull, "tcp://höst:5555", syscall.EINVAL, "host name"},
		{onBoth, Pull, "tcp://user@host:5555", syscall.EINVAL, "host name"},
		{onBoth, Pull, "tcp://host/path:5555", syscall.EINVAL, "host name"},
		{onBoth, Pull, "tcp://" + long + ":5555", syscall.ENAMETOOLONG, "253"},
		{onConnect, Pull, "tcp://127.0.0.1;127.0.0.1:2", syscall.EINVAL, "no port"},
		{onConnect, Pull, "tcp://*:0;127.0.0.1:2", syscall.EINVAL, "spelling"},
		{onConnect, Pull, "tcp://127.0.0.1:0;127.0.0.1", syscall.EINVAL, "no port"},
		{onConnect, Pull, "tcp://127.0.0.1:0;*:5555", syscall.EINVAL, "for Bind"},

		{onBoth, Pull, "ipc://" + strings.Repeat("p", 108), syscall.ENAMETOOLONG, "107"},
		{onBoth, Pull, "ipc://@", syscall.EINVAL, "abstract"},
		{onBoth, Pull, "ipc://*x", syscall.EINVAL, "*"},
		{onConnect, Pull, "ipc://*", syscall.EINVAL, "LastEndpoint"},
		{onBind, Pull, "ipc:///nonexistent-dir/x", syscall.ENOENT, "create it first"},
		{onBind, Pull, "ipc:///dev/null/x", syscall.ENOTDIR, "not a directory"},
		{onBind, Pull, "ipc:///dev/null", syscall.EEXIST, "delete"},
		{onBind, Pull, "ipc:///tmp", syscall.EEXIST, "delete"},

		{onBoth, Pull, "inproc://", syscall.EINVAL, "nothing after"},
		{onBoth, Stream, "inproc://stream", syscall.EPROTONOSUPPORT, "STREAM"},
		{onBind, Pull, "inproc://zeromq.zap.01", syscall.EINVAL, "ROUTER or REP"},
		{onBind, Dealer, "inproc://zeromq.zap.01", syscall.EINVAL, "DEALER"},

		{onBoth, Pull, "udp://127.0.0.1:5555", errNoCompatibleProtocol, "RADIO"},
		{onBoth, Push, "pgm://239.1.1.1:5555", noPGM, "pgm"},
		{onBoth, Pub, "pgm://239.1.1.1", syscall.EINVAL, "port"},
		{onBoth, Pub, "epgm://239.1.1.1:0", syscall.EINVAL, "65535"},
		{onBoth, Pub, "epgm://10.1.1.1:5555", syscall.EINVAL, "multicast"},
		{onBoth, Pub, "epgm://name:5555", syscall.EINVAL, "multicast"},
		{onBoth, Sub, "epgm://nosuchnic;239.1.1.1:5555", syscall.ENODEV, "nosuchnic"},
		{onBoth, Sub, "epgm://192.0.2.77;239.1.1.1:5555", syscall.ENODEV, "192.0.2.77"},
		{onBoth, Push, "norm://127.0.0.1:5555", noNorm, "norm"},
		{onBoth, Pub, "norm://239.1.1.1", syscall.EINVAL, "port"},
		{onBoth, Pub, "norm://name:5555", syscall.EINVAL, "numeric"},
		{onBoth, Pub, "norm://239.1.1.1:port", syscall.EINVAL, "not a number"},
		{onBoth, Pub, "norm://nosuchnic;239.1.1.1:5555", syscall.ENODEV, "nosuchnic"},
		{onBoth, Pub, "ws://127.0.0.1", syscall.EINVAL, "no port"},
		{onBoth, Pub, "ws://127.0.0.1:80/a:b", syscall.EINVAL, "path"},
		{onConnect, Pub, "ws://*:80", syscall.EINVAL, "for Bind"},
		{onBind, Pub, "ws://nosuchnic:80", noNIC, "nosuchnic"},
		{onBind, Pull, "tcp://nosuchnic:80", syscall.ENODEV, "nosuchnic"},
		{onBoth, Pub, "wss://127.0.0.1", syscall.EINVAL, "no port"},
	} {
		if strings.HasPrefix(test.endpoint, "ipc:") && !libzmq.Has("ipc") {
			continue
		}
		s := optionSocket(t, zctx, test.typ)
		for verb := range strings.FieldsSeq(test.verbs) {
			attach := s.Bind
			if verb == onConnect {
				attach = s.Connect
			}
			err := attach(test.endpoint)
			require.Error(t, err, "%s %q", verb, test.endpoint)
			requireRefused(t, err, test.errno, verb, test.words)
			var e *Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, test.endpoint, e.Endpoint)
			require.Equal(t, verb, e.Op)
		}
		require.False(t, s.attach.used)
		require.NoError(t, s.Close())
	}
}

func TestEndpointsAccepted(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	dir := shortTempDir(t)
	name := filepath.Base(dir)
	for _, test := range []struct {
		verb     string
		endpoint string
	}{
		{onBind, "tcp://127.0.0.1:*"},
		{onBind, "tcp://127.0.0.1:0"},
		{onBind, "tcp://*:*"},
		{onBind, "tcp://lo:*"},
		{onConnect, "tcp://127.0.0.1:1"},
		{onConnect, "tcp://127.0.0.1:65535"},
		{onConnect, "tcp://localhost:1"},
		{onConnect, "tcp://127.0.0.1:0;127.0.0.1:1"},
		{onConnect, "tcp://127.0.0.1:*;127.0.0.1:1"},
		{onConnect, "tcp://lo:0;127.0.0.1:1"},
		{onBind, "ipc://*"},
		{onBind, "ipc://" + dir + "/a"},
		{onBind, "ipc://" + dir + "/" + strings.Repeat("p", 107-len(dir)-1)},
		{onBind, "ipc://@" + name},
		{onConnect, "ipc://" + dir + "/absent"},
		{onConnect, "ipc:///nonexistent-dir/x"},
		{onConnect, "ipc://@" + name + "-absent"},
		{onBind, "inproc://" + strings.Repeat("n", 255)},
		{onConnect, "inproc://any bytes: höst;*"},
		{onConnect, "inproc://zeromq.zap.01"},
	} {
		if strings.HasPrefix(test.endpoint, "ipc:") && !libzmq.Has("ipc") {
			continue
		}
		s := optionSocket(t, zctx, Dealer)
		attach, end := s.Bind, s.Unbind
		if test.verb == onConnect {
			attach, end = s.Connect, s.Disconnect
		}
		require.NoError(t, attach(test.endpoint), "%s %q", test.verb, test.endpoint)
		require.True(t, s.attach.used)
		last := endpointOf(t, s)
		if test.verb == onConnect {
			last = test.endpoint
		}
		require.NoError(t, end(last), "end %q of %q", last, test.endpoint)
		requireRefused(t, end(last), syscall.ENOENT, "no endpoint")
		require.NoError(t, s.Close())
	}
	for _, typ := range []SocketType{Rep, Router} {
		s := optionSocket(t, zctx, typ)
		require.NoError(t, s.Bind("inproc://zeromq.zap.01"))
		require.NoError(t, s.Close())
	}
}

func TestIPv6Endpoints(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Skip("this machine has no IPv6: ", err)
	}
	require.NoError(t, listener.Close())
	s := optionSocket(t, optionContext(t), Dealer, IPv6.To(true))
	require.NoError(t, s.Bind("tcp://[::1]:*"))
	last := endpointOf(t, s)
	require.True(t, strings.HasPrefix(last, "tcp://[::1]:"))
	require.NoError(t, s.Connect(last))
	require.NoError(t, s.Connect("tcp://[fe80::1%lo]:5555"))
	require.NoError(t, s.Connect("tcp://[fe80::1%1]:5555"))
	require.NoError(t, s.Connect("tcp://127.0.0.1:1"))
	require.NoError(t, s.Connect("tcp://[fe80::1%nosuchnic]:5555"), "the interface may come later")
	requireRefused(t, s.Connect("tcp://[fe80::1%]:5555"), syscall.EINVAL, "not an IPv6 address")
	requireRefused(t, s.Unbind(strings.Replace(last, "::1", "0:0::1", 1)), syscall.ENOENT, last)
	require.NoError(t, s.Unbind(last))

	// What a socket with IPv6 calls an IPv4 address, one without it understands.
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	last = endpointOf(t, s)
	require.True(t, strings.HasPrefix(last, "tcp://[::ffff:127.0.0.1]:"), last)
	peer := optionSocket(t, s.ctx, Dealer)
	require.NoError(t, peer.Connect(last))
	told := endpointOf(t, peer)
	require.True(t, strings.HasPrefix(told, "tcp://127.0.0.1:"), told) // all C libraries know that
	require.NoError(t, peer.Send(context.Background(), []byte("hello")))
	require.Equal(t, "hello", noErr(s.RecvString(context.Background()))(t))
	require.NoError(t, peer.Disconnect(last))
	requireRefused(t, peer.Disconnect(last), syscall.ENOENT, "no endpoint")
	require.NoError(t, s.Unbind(last))
	require.NoError(t, peer.Bind("tcp://[::ffff:127.0.0.1]:*"))
	told = endpointOf(t, peer)
	require.True(t, strings.HasPrefix(told, "tcp://127.0.0.1:"), told)
	require.NoError(t, peer.Unbind(told))
}

func TestUnbindAndDisconnect(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	s := optionSocket(t, zctx, Dealer)
	requireRefused(t, s.Unbind("tcp://127.0.0.1:5555"), syscall.ENOENT, "not bound", "no endpoint")
	requireRefused(t, s.Disconnect("tcp://127.0.0.1:5555"), syscall.ENOENT, "not connected", "no endpoint")
	requireRefused(t, s.Unbind("nonsense"), syscall.EINVAL, "://")
	requireRefused(t, s.Unbind("tcp://127.0.0.1:5x"), syscall.ENOENT, "not bound")
	requireRefused(t, s.Disconnect("tcp://"), syscall.EINVAL, "address")
	requireRefused(t, s.Disconnect("bogus://x"), syscall.ENOENT, "no endpoint")

	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	last := endpointOf(t, s)
	requireRefused(t, s.Unbind("tcp://127.0.0.1:*"), syscall.ENOENT, last)
	requireRefused(t, s.Disconnect(last), syscall.ENOENT, "not connected")
	require.NoError(t, s.Unbind(last))
	requireRefused(t, s.Unbind(last), syscall.ENOENT)

	require.NoError(t, s.Connect("tcp://127.0.0.1:1"))
	require.NoError(t, s.Connect("tcp://127.0.0.1:1"), "libzmq takes it as the same")
	requireRefused(t, s.Unbind("tcp://127.0.0.1:1"), syscall.ENOENT, "not bound")
	require.NoError(t, s.Disconnect("tcp://127.0.0.1:1"))
	requireRefused(t, s.Disconnect("tcp://127.0.0.1:1"), syscall.ENOENT)

	// An inproc name is unbound and disconnected on its own.
	require.NoError(t, s.Bind("inproc://both"))
	require.NoError(t, s.Connect("inproc://both"))
	require.ErrorIs(t, s.Disconnect("inproc://both"), syscall.EINVAL, "it has bound the name itself")
	require.NoError(t, s.Unbind("inproc://both"))
	requireRefused(t, s.Unbind("inproc://both"), syscall.ENOENT)
	require.NoError(t, s.Disconnect("inproc://both"))

	for i := range 8 {
		require.NoError(t, s.Connect("inproc://list-"+string(rune('a'+i))))
	}
	requireRefused(t, s.Disconnect("inproc://list-z"), syscall.ENOENT, "inproc://list-a", "3 others")

	require.NoError(t, s.Close())
	require.ErrorIs(t, s.Bind("tcp://127.0.0.1:*"), ErrClosed)
	require.ErrorIs(t, s.Unbind("tcp://127.0.0.1:1"), ErrClosed)
}

func TestPendingInprocIsNotDisconnected(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	for _, typ := range []SocketType{Router, Rep} {
		endpoint := "inproc://pending-" + typ.String()
		s := optionSocket(t, zctx, typ)
		require.NoError(t, s.Connect(endpoint))
		requireRefused(t, s.Disconnect(endpoint), syscall.EINVAL, typ.String(), "close")
		binder := optionSocket(t, zctx, Dealer)
		require.NoError(t, binder.Bind(endpoint))
		require.NoError(t, s.Disconnect(endpoint))
		require.NoError(t, binder.Close())
		require.NoError(t, s.Close())
	}
	// Others may.
	s := optionSocket(t, zctx, Dealer)
	require.NoError(t, s.Connect("inproc://pending-dealer"))
	require.NoError(t, s.Disconnect("inproc://pending-dealer"))
	binder := optionSocket(t, zctx, Dealer)
	require.NoError(t, binder.Bind("inproc://pending-dealer"))
}

// Over WebSockets libzmq resolves a name once, in the call. The error says so.
func TestUnknownHostOverWebSockets(t *testing.T) {
	t.Parallel()
	s := optionSocket(t, optionContext(t), Dealer)
	err := s.Connect("ws://no-such-host.invalid:80")
	if !libzmq.Has("WS") {
		require.ErrorIs(t, err, ErrNotSupported)
		return
	}
	requireRefused(t, err, syscall.EINVAL, "ws://no-such-host.invalid:80", "cannot resolve")
}
