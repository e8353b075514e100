package zmq

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConnectRoutingID(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	a, b := optionSocket(t, zctx, Router, RoutingID.To([]byte("a"))), optionSocket(t, zctx, Dealer)
	require.NoError(t, b.Bind("tcp://127.0.0.1:*"))
	endpoint := endpointOf(t, b)

	for _, bad := range []string{"", "\x00four", strings.Repeat("x", 256)} {
		requireRefused(t, a.Set(ConnectRoutingID.To([]byte(bad))), syscall.EINVAL, "CONNECT_ROUTING_ID")
	}
	require.NoError(t, a.Set(ConnectRoutingID.To([]byte("b"))))
	requireRefused(t, a.Bind("tcp://127.0.0.1:*"), syscall.EINVAL, "connect first")
	require.Error(t, a.Connect("tcp://127.0.0.1"), "an attempt that fails uses no id up")
	require.NoError(t, a.Connect(endpoint))
	require.NoError(t, a.SendMultipart(context.Background(), [][]byte{[]byte("b"), []byte("hello")}))
	require.Equal(t, [][]byte{[]byte("hello")}, noErr(b.RecvMultipart(context.Background()))(t))

	requireRefused(t, a.Set(ConnectRoutingID.To([]byte("b"))), syscall.EINVAL, "used")
	require.NoError(t, a.Set(ConnectRoutingID.To([]byte("c"))))
	require.NoError(t, a.Connect(endpoint))
	require.NoError(t, a.Bind("inproc://ids"))
	requireRefused(t, a.Set(ConnectRoutingID.To([]byte("d"))), syscall.EINVAL, "before the first Bind", "separate ROUTER")
	require.NoError(t, a.Unbind("inproc://ids"))
	requireRefused(t, a.Set(ConnectRoutingID.To([]byte("d"))), syscall.EINVAL, "before the first Bind")

	anonymous := optionSocket(t, zctx, Router)
	require.NoError(t, anonymous.Connect(endpoint))
	requireRefused(t, anonymous.Set(ConnectRoutingID.To([]byte("d"))), syscall.EINVAL, "without an ID")

	immediate := optionSocket(t, zctx, Router, Immediate.To(true), ConnectRoutingID.To([]byte("e")))
	requireRefused(t, immediate.Connect(endpoint), syscall.EINVAL, "Immediate")
	require.NoError(t, immediate.Set(Immediate.To(false)))
	require.NoError(t, immediate.Connect(endpoint))

	// The peers of a STREAM do not choose ids.
	stream := optionSocket(t, zctx, Stream)
	require.NoError(t, stream.Bind("tcp://127.0.0.1:*"))
	require.NoError(t, stream.Connect(endpoint))
	require.NoError(t, stream.Set(ConnectRoutingID.To([]byte("s"))))
	require.NoError(t, stream.Connect(endpoint))
	requireRefused(t, stream.Set(ConnectRoutingID.To([]byte("s"))), syscall.EINVAL, "used")
}

// needUseFD skips the test on Windows, where UseFD is refused.
func needUseFD(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		require.ErrorContains(t, optionSocket(t, optionContext(t), Pull).Set(UseFD.To(3)), "not supported on Windows")
		t.Skip("Windows has no UseFD")
	}
}

func TestUseFD(t *testing.T) {
	t.Parallel()
	needUseFD(t)
	tcp := noErr(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer tcp.Close()
	path := filepath.Join(shortTempDir(t), "listener")
	unix := noErr(net.Listen("unix", path))(t)
	defer unix.Close()
	zctx := optionContext(t)

	for _, test := range []struct {
		listener interface{ File() (*os.File, error) }
		endpoint string
		wrong    string
		connect  string
	}{
		{tcp.(*net.TCPListener), "tcp://127.0.0.1:*", "ipc://" + path, "tcp://" + tcp.Addr().String()},
		{unix.(*net.UnixListener), "ipc://" + path, "tcp://127.0.0.1:*", "ipc://" + path},
	} {
		file := noErr(test.listener.File())(t)
		fd := int(file.Fd())
		pull, push := optionSocket(t, zctx, Pull), optionSocket(t, zctx, Push)
		require.NoError(t, pull.Set(UseFD.To(fd)))
		require.NoError(t, file.Close(), "the caller's descriptor is his own")
		requireRefused(t, pull.Bind(test.wrong), syscall.EINVAL, "UseFD")
		requireRefused(t, pull.Bind("ws://127.0.0.1:*"), syscall.EINVAL, "UseFD")
		require.NoError(t, pull.Bind("inproc://use-"+fmt.Sprint(fd)), "which leaves the descriptor alone")
		require.NoError(t, pull.Bind(test.endpoint))
		require.Equal(t, test.connect, endpointOf(t, pull))
		require.Equal(t, -1, get(t, UseFD, pull), "it is for one Bind")
		require.NoError(t, pull.Bind("tcp://127.0.0.1:*"), "a listener of its own")
		require.NoError(t, push.Connect(test.connect))
		require.NoError(t, push.Send(context.Background(), []byte("hello")))
		require.Equal(t, "hello", string(noErr(pull.RecvBytes(context.Background()))(t)))
		require.NoError(t, pull.Close())
		require.NoError(t, push.Close())
	}
}

func TestUseFDThatIsNotUsed(t *testing.T) {
	t.Parallel()
	needUseFD(t)
	listener := noErr(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer listener.Close()
	file := noErr(listener.(*net.TCPListener).File())(t)
	defer file.Close()
	client := noErr(net.Dial("tcp", listener.Addr().String()))(t)
	defer client.Close()
	clientFile := noErr(client.(*net.TCPConn).File())(t)
	defer clientFile.Close()
	regular := noErr(os.Create(filepath.Join(t.TempDir(), "file")))(t)
	defer regular.Close()

	s := optionSocket(t, optionContext(t), Pull)
	requireRefused(t, s.Set(UseFD.To(int(clientFile.Fd()))), syscall.EINVAL, "listen")
	requireRefused(t, s.Set(UseFD.To(int(regular.Fd()))), syscall.ENOTSOCK, "listening")
	requireRefused(t, s.Set(UseFD.To(1<<30)), syscall.EBADF, "listening")
	requireRefused(t, s.Set(UseFD.To(-2)), syscall.EINVAL, "out of range")

	// Each replaces the one before; the last is closed with the socket. The run as
	// a whole fails if a descriptor is left.
	for range 3 {
		require.NoError(t, s.Set(UseFD.To(int(file.Fd()))))
	}
	require.NoError(t, s.Set(UseFD.To(-1)))
	require.False(t, s.attach.hasFD)
	require.NoError(t, s.Set(UseFD.To(int(file.Fd()))))
	dup := s.attach.fd
	require.NotEqual(t, int(file.Fd()), dup)
	requireNotInherited(t, dup)
	require.NoError(t, s.Close())
	require.False(t, s.attach.hasFD)
	require.ErrorIs(t, s.Set(UseFD.To(int(file.Fd()))), ErrClosed)

	zctx := optionContext(t) // closes the last one with its sockets
	s = optionSocket(t, zctx, Pull)
	require.NoError(t, s.Set(UseFD.To(int(file.Fd()))))
	require.NoError(t, zctx.Close())
	require.False(t, s.attach.hasFD)
}

// shortTempDir is t.TempDir with a name that leaves room for a socket's path.
func shortTempDir(t testing.TB) string {
	t.Helper()
	dir := noErr(os.MkdirTemp("", "zmq"))(t)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}
