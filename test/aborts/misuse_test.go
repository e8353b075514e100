//go:build unix

package aborts

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// tryTogether closes a socket while everything is done to it by everybody.
func tryTogether(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	s, peer := zmqtest.NewSocket(t, zctx, zmq.Dealer, zmq.SendHWM.To(10)), zmqtest.NewSocket(t, zctx, zmq.Dealer, zmq.SendHWM.To(10))
	zmqtest.Connect(t, s, peer, "tcp://127.0.0.1:*")
	inproc := zmqtest.InprocName()
	calls := []func() error{
		func() error { return s.SendMultipart(context.Background(), [][]byte{{1}, {2}, {3}}, zmq.DontWait) },
		func() error { _, err := s.RecvMultipart(context.Background(), zmq.DontWait); return err },
		func() error { return s.Set(zmq.Linger.To(0)) },
		func() error { _, err := zmq.Events.Get(s); return err },
		func() error {
			if err := s.Bind(inproc); err != nil {
				return err
			}
			return s.Unbind(inproc)
		},
	}
	var done atomic.Int64
	results := make([]error, len(calls))
	var all sync.WaitGroup
	for i, call := range calls {
		for other := range 2 {
			all.Go(func() {
				for {
					err := call()
					if errors.Is(err, zmq.ErrClosed) {
						if other == 0 {
							results[i] = err
						}
						return
					}
					if done.Add(1) == 5000 {
						s.Close()
					}
					_ = peer.Send(context.Background(), []byte("more"), zmq.DontWait)
				}
			})
		}
	}
	all.Wait()
	for _, err := range results {
		refused(t, err, zmq.ErrClosed, "closed")
	}
}

// tryStrayClose closes what FD hands out, which is not libzmq's own descriptor.
func tryStrayClose(t *testing.T) {
	a, b := zmqtest.Pair(t, zmq.Pair, zmq.Pair, "tcp://127.0.0.1:*", zmq.RecvTimeout.To(10*time.Second))
	// Connected, so that libzmq opens nothing more: it could take a number between
	// its close and its reuse below.
	for _, ends := range [][2]*zmq.Socket{{a, b}, {b, a}} {
		require.NoError(t, ends[0].Send(context.Background(), nil))
		zmqtest.RecvBytes(t, ends[1])
	}
	for _, s := range []*zmq.Socket{a, b} {
		fd := zmqtest.Get(t, zmq.FD, s)
		require.NoError(t, syscall.Close(fd))
		// Use the number again, so that no other file gets it and is closed with the socket.
		again, err := syscall.Dup(int(os.Stderr.Fd()))
		require.NoError(t, err)
		require.Equal(t, fd, again)
	}
	for _, from := range []*zmq.Socket{a, b} {
		to := a
		if from == a {
			to = b
		}
		require.NoError(t, from.Send(context.Background(), []byte("x")))
		var err error
		require.Eventually(t, func() bool {
			_, err = to.RecvBytes(context.Background(), zmq.DontWait)
			return !errors.Is(err, zmq.ErrAgain)
		}, 10*time.Second, time.Millisecond)
		require.NoError(t, err)
	}
}

func useSocket(t *testing.T, s *zmq.Socket) {
	for _, call := range zmqtest.SocketCalls {
		refused(t, call(s), zmq.ErrClosed, "closed")
	}
	require.False(t, s.RecvMore())
	require.Zero(t, s.DiscardParts())
	for range 3 {
		require.NoError(t, s.Close())
	}
	require.Equal(t, zmq.Dealer, s.Type())
}

func tryAfterClose(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	s := zmqtest.NewSocket(t, zctx, zmq.Dealer)
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	require.NoError(t, s.Close())
	zmqtest.NewSocket(t, zctx, zmq.Pair) // takes over what s had inside libzmq
	useSocket(t, s)
}

func tryAfterContext(t *testing.T) {
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	s := zmqtest.NewSocket(t, zctx, zmq.Dealer)
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	for range 3 {
		require.NoError(t, zctx.Close())
	}
	_, err = zctx.NewSocket(zmq.Pair)
	refused(t, err, zmq.ErrClosed, "closed")
	refused(t, zctx.Set(zmq.ContextIPv6.To(true)), zmq.ErrClosed, "closed")
	_, err = zmq.IOThreads.Get(zctx)
	refused(t, err, zmq.ErrClosed, "closed")
	require.NoError(t, zctx.Shutdown())
	useSocket(t, s)
}

func tryAfterShutdown(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	s := zmqtest.NewSocket(t, zctx, zmq.Dealer)
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	for range 3 {
		require.NoError(t, zctx.Shutdown())
	}
	for _, call := range zmqtest.SocketCalls {
		refused(t, call(s), zmq.ErrTerminated, "shut down")
	}
	_, err := zctx.NewSocket(zmq.Pair)
	refused(t, err, zmq.ErrTerminated, "socket", "shut down")
}

func tryMessages(t *testing.T) {
	a, b := zmqtest.Pair(t, zmq.Pair, zmq.Pair, zmqtest.InprocName())
	refused(t, a.SendMessage(context.Background(), nil), syscall.EINVAL, "send", "nil", "var m zmq.Message")
	refused(t, a.RecvMessage(context.Background(), nil), syscall.EINVAL, "recv", "nil", "var m zmq.Message")
	var none *zmq.Message
	_, err := none.Clone()
	refused(t, err, syscall.EINVAL, "clone", "nil")
	_, err = none.Property("Peer-Address")
	refused(t, err, syscall.EINVAL, "property", "nil")
	require.NoError(t, none.Close())
	require.Zero(t, none.Len())
	require.Nil(t, none.Bytes())
	var zero zmq.Message
	_, err = zero.Property("Peer-Address")
	refused(t, err, syscall.EINVAL, "property", "Peer-Address")
	_, err = zero.Property("Peer-\x00Address")
	refused(t, err, syscall.EINVAL, "property", "NUL")
	_, err = zmq.NewMessage(-1)
	refused(t, err, syscall.EINVAL, "message", "negative")
	_, err = zmq.NewMessage(1 << 62)
	refused(t, err, syscall.ENOMEM, "message", "not enough memory")
	_, err = zmq.NewMessage(math.MaxInt)
	refused(t, err, syscall.ENOMEM, "message", "not enough memory")
	refused(t, a.SendMultipartMessage(context.Background(), nil), syscall.EINVAL, "send", "at least one part")

	// Sent twice, closed twice, used after both.
	m, err := zmq.NewMessageBytes(bytes.Repeat([]byte("x"), 100))
	require.NoError(t, err)
	clone, err := m.Clone()
	require.NoError(t, err)
	for _, size := range []int{100, 0, 0} {
		require.Equal(t, size, m.Len())
		require.NoError(t, a.SendMessage(context.Background(), m))
		require.Len(t, zmqtest.RecvBytes(t, b), size)
	}
	for range 3 {
		require.NoError(t, m.Close())
		require.NoError(t, clone.Close())
	}
	require.Empty(t, clone.Bytes())
	require.False(t, clone.More())
	require.NoError(t, a.SendMessage(context.Background(), clone))
	require.NoError(t, b.RecvMessage(context.Background(), clone))
	require.NoError(t, clone.Close())
}

func tryNil(t *testing.T) {
	a, b := zmqtest.Pair(t, zmq.Dealer, zmq.Dealer, zmqtest.InprocName())
	refused(t, a.Bind(""), syscall.EINVAL, "bind", "empty", "tcp://127.0.0.1:5555")
	refused(t, a.Connect(""), syscall.EINVAL, "connect", "empty", "tcp://127.0.0.1:5555")
	refused(t, a.Bind("tcp://127.0.0.1:*\x00:80"), syscall.EINVAL, "bind", "NUL")
	refused(t, a.Connect("inproc://a\x00b"), syscall.EINVAL, "connect", "NUL")
	refused(t, a.Set(zmq.PlainUsername.To("a\x00b")), syscall.EINVAL, "PLAIN_USERNAME", "NUL")
	refused(t, a.Set(zmq.RoutingID.To(nil)), syscall.EINVAL, "ROUTING_ID", "1 to 255")
	var s *zmq.Socket
	refused(t, s.Send(context.Background(), nil), zmq.ErrClosed, "send", "nil", "Context.NewSocket")
	require.NoError(t, s.Close())
	require.False(t, s.RecvMore())
	require.Zero(t, s.DiscardParts())
	var zctx *zmq.Context
	_, err := zctx.NewSocket(zmq.Pair)
	refused(t, err, zmq.ErrClosed, "socket", "nil", "NewContext")
	require.Zero(t, core.Rescues())
	require.Zero(t, core.Rescues())
	refused(t, a.Set(zmq.Setting{}), syscall.EINVAL, "set", "To")

	require.NoError(t, a.Send(context.Background(), nil))
	n, err := b.Recv(context.Background(), nil)
	require.NoError(t, err)
	require.Zero(t, n)
	require.NoError(t, a.SendMultipart(context.Background(), [][]byte{nil, {}, nil}))
	parts, err := b.RecvMultipart(context.Background())
	require.Len(t, parts, 3)
	require.NoError(t, err)
}

func tryInProxy(t *testing.T) {
	for i := range 20 {
		zctx := zmqtest.NewContext(t)
		sockets := bridge(t, zctx, zmq.Dealer, zmq.Router, zmq.Dealer, zmq.Dealer)
		var all sync.WaitGroup
		for _, s := range sockets {
			all.Go(func() {
				for s.SendMultipart(context.Background(), [][]byte{[]byte("a"), nil, []byte("b")}) == nil {
					continue
				}
			})
			all.Go(func() {
				for {
					if _, err := s.RecvMultipart(context.Background()); err != nil {
						return
					}
				}
			})
		}
		p, end := runProxy(t, sockets[1], sockets[2])
		for moved := uint64(0); moved < uint64(i); {
			s, err := p.Statistics()
			require.NoError(t, err)
			moved = s.Frontend.MessagesReceived
			runtime.Gosched()
		}
		require.NoError(t, sockets[1+i%2].Close())
		refused(t, <-end, zmq.ErrClosed, "proxy", "closed")
		require.NoError(t, zctx.Close())
		all.Wait()
	}
}

// bridge returns four sockets of which the second and third bind, and the first and last connect to
// them. They linger, because they are closed while messages of several parts are sent (row 35).
func bridge(t *testing.T, zctx *zmq.Context, types ...zmq.SocketType) (sockets [4]*zmq.Socket) {
	t.Helper()
	for i, typ := range types {
		sockets[i] = zmqtest.NewSocket(t, zctx, typ, zmq.SendHWM.To(3), zmq.Linger.To(100*time.Millisecond))
	}
	zmqtest.Connect(t, sockets[1], sockets[0], "tcp://127.0.0.1:*")
	zmqtest.Connect(t, sockets[2], sockets[3], "tcp://127.0.0.1:*")
	return sockets
}

// runProxy starts a proxy whose result end receives.
func runProxy(t *testing.T, front, back *zmq.Socket) (p *zmq.SteerableProxy, end chan error) {
	t.Helper()
	p, err := zmq.NewSteerableProxy(front, back, nil)
	require.NoError(t, err)
	end = make(chan error, 1)
	go func() { end <- p.Run(context.Background()) }()
	return p, end
}

// libzmq walks a topic recursively, so a peer that can send to such a proxy could abort the process.
func trySubscription(t *testing.T) {
	ctx := zmqtest.Within(t)
	s := bridge(t, zmqtest.NewContext(t), zmq.Push, zmq.Pull, zmq.XSub, zmq.XPub)
	// A bound XSUB sends its subscriptions to a later peer in its next call, which the proxy makes
	// when there is something to move.
	require.NoError(t, s[2].WaitConnected(ctx, 1))
	p, end := runProxy(t, s[1], s[2])
	require.NoError(t, s[0].Send(ctx, append([]byte{1}, bytes.Repeat([]byte{'x'}, 1<<20)...)))
	require.NoError(t, s[0].Send(ctx, []byte("\x01news")))
	got, err := s[3].RecvString(ctx)
	require.NoError(t, err)
	require.Equal(t, "\x01news", got)
	statistics, err := p.Statistics()
	require.NoError(t, err)
	require.Equal(t, uint64(1), statistics.Dropped)
	require.NoError(t, p.Terminate())
	require.NoError(t, <-end)
	require.NoError(t, s[2].Close())
}

func tryNoProxy(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	s := zmqtest.NewSocket(t, zctx, zmq.Dealer)
	ctx := context.Background()
	refused(t, zmq.Proxy(ctx, nil, s, nil), zmq.ErrClosed, "proxy", "frontend", "nil")
	refused(t, zmq.Proxy(ctx, s, nil, nil), zmq.ErrClosed, "proxy", "backend", "nil")
	require.NoError(t, s.Close())
	refused(t, zmq.Proxy(ctx, s, s, nil), zmq.ErrClosed, "proxy", "frontend", "closed")
}

// tryDeletedFile binds where something else is.
func tryDeletedFile(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("file", []byte("precious"), 0o600))
	require.NoError(t, os.Symlink("file", "link"))
	require.NoError(t, os.Mkdir("directory", 0o700))
	require.NoError(t, os.WriteFile("@file", []byte("precious"), 0o600))
	zctx := zmqtest.NewContext(t)
	s := zmqtest.NewSocket(t, zctx, zmq.Pull)
	for _, path := range []string{"file", "link", "directory", "@file"} {
		refused(t, s.Bind("ipc://"+path), syscall.EEXIST, "bind", "ipc://", "not a socket", "delete")
	}
	for _, path := range []string{"file", "link", "@file"} {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "precious", string(content))
	}
	// A socket that an earlier process has left is no obstacle.
	left, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "left")
	require.NoError(t, syscall.Bind(left, &syscall.SockaddrUnix{Name: path}))
	require.NoError(t, syscall.Close(left))
	require.NoError(t, s.Bind("ipc://"+path))
	push := zmqtest.NewSocket(t, zctx, zmq.Push)
	require.NoError(t, push.Connect("ipc://"+path))
	zmqtest.RequireWorks(t, push, s)
}

func tryLimitedSubscriptions(t *testing.T) {
	sub := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Sub)
	refused(t, sub.Set(zmq.SendHWM.To(1)), syscall.EINVAL, "SNDHWM", "subscriptions", "RecvHWM")
	refused(t, sub.Set(zmq.OptionByNumber[int](23).To(1000)), syscall.EINVAL, "SNDHWM", "subscriptions", "RecvHWM")
	require.NoError(t, sub.Set(zmq.SendHWM.To(0)))
}

func tryKeepalive(t *testing.T) {
	s := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Pull)
	refused(t, s.Set(zmq.TCPKeepaliveIdle.To(0)), syscall.EINVAL, "TCP_KEEPALIVE_IDLE", "negative")
	refused(t, s.Set(zmq.TCPKeepaliveIdle.To(32768*time.Second)), syscall.EINVAL, "TCP_KEEPALIVE_IDLE", "the allowed range is")
	refused(t, s.Set(zmq.OptionByNumber[int](36).To(0)), syscall.EINVAL, "TCP_KEEPALIVE_IDLE", "negative")
	refused(t, s.Set(zmq.TCPKeepaliveInterval.To(0)), syscall.EINVAL, "TCP_KEEPALIVE_INTVL", "negative")
	refused(t, s.Set(zmq.TCPKeepaliveCount.To(0)), syscall.EINVAL, "TCP_KEEPALIVE_CNT", "negative")
}

var misreadPorts = []string{"99999", "65536", "5x", "x5", "+5", "-5", "5 ", " 5", "0x50", "080", "1e3", "", "18446744073709551617"}

func tryPorts(t *testing.T) {
	s := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Dealer)
	for _, port := range misreadPorts {
		refused(t, s.Bind("tcp://127.0.0.1:"+port), syscall.EINVAL, "tcp://127.0.0.1:", "port")
		refused(t, s.Connect("tcp://127.0.0.1:"+port), syscall.EINVAL, "tcp://127.0.0.1:", "port")
	}
	for _, port := range []string{"*", "0"} {
		refused(t, s.Connect("tcp://127.0.0.1:"+port), syscall.EINVAL, "connect", "tcp://127.0.0.1:", "for Bind")
	}
}
