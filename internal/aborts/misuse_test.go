//go:build unix

package aborts

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// tryTogether closes a socket while everything is done to it by everybody.
func tryTogether(t *testing.T, report func(error)) {
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
		report(err)
	}
}

// tryStrayClose closes what FD hands out, which is not libzmq's own descriptor.
func tryStrayClose(t *testing.T, report func(error)) {
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
		report(err)
	}
}

func useSocket(t *testing.T, s *zmq.Socket, report func(error)) {
	for _, call := range zmqtest.SocketCalls {
		report(call(s))
	}
	require.False(t, s.RecvMore())
	require.Zero(t, s.DiscardParts())
	for range 3 {
		require.NoError(t, s.Close())
	}
	require.Equal(t, zmq.Dealer, s.Type())
}

func tryAfterClose(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	s := zmqtest.NewSocket(t, zctx, zmq.Dealer)
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	require.NoError(t, s.Close())
	zmqtest.NewSocket(t, zctx, zmq.Pair) // takes over what s had inside libzmq
	useSocket(t, s, report)
}

func tryAfterContext(t *testing.T, report func(error)) {
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	s := zmqtest.NewSocket(t, zctx, zmq.Dealer)
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	for range 3 {
		require.NoError(t, zctx.Close())
	}
	_, err = zctx.NewSocket(zmq.Pair)
	report(err)
	report(zctx.Set(zmq.ContextIPv6.To(true)))
	_, err = zmq.IOThreads.Get(zctx)
	report(err)
	require.NoError(t, zctx.Shutdown())
	useSocket(t, s, report)
}

func tryAfterShutdown(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	s := zmqtest.NewSocket(t, zctx, zmq.Dealer)
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	for range 3 {
		require.NoError(t, zctx.Shutdown())
	}
	for _, call := range zmqtest.SocketCalls {
		report(call(s))
	}
	_, err := zctx.NewSocket(zmq.Pair)
	report(err)
}

func tryMessages(t *testing.T, report func(error)) {
	a, b := zmqtest.Pair(t, zmq.Pair, zmq.Pair, zmqtest.InprocName())
	report(a.SendMessage(context.Background(), nil))
	report(a.RecvMessage(context.Background(), nil))
	var none *zmq.Message
	_, err := none.Clone()
	report(err)
	_, err = none.Property("Peer-Address")
	report(err)
	require.NoError(t, none.Close())
	require.Zero(t, none.Len())
	require.Nil(t, none.Bytes())
	var zero zmq.Message
	_, err = zero.Property("Peer-Address")
	report(err)
	_, err = zero.Property("Peer-\x00Address")
	report(err)
	_, err = zmq.NewMessage(-1)
	report(err)
	_, err = zmq.NewMessage(1 << 62)
	report(err)
	_, err = zmq.NewMessage(math.MaxInt)
	report(err)
	report(a.SendMultipartMessage(context.Background(), nil))

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
	report(a.SendMessage(context.Background(), clone))
	report(b.RecvMessage(context.Background(), clone))
	require.NoError(t, clone.Close())
}

func tryNil(t *testing.T, report func(error)) {
	a, b := zmqtest.Pair(t, zmq.Dealer, zmq.Dealer, zmqtest.InprocName())
	report(a.Bind(""))
	report(a.Connect(""))
	report(a.Bind("tcp://127.0.0.1:*\x00:80"))
	report(a.Connect("inproc://a\x00b"))
	report(a.Set(zmq.PlainUsername.To("a\x00b")))
	report(a.Set(zmq.RoutingID.To(nil)))
	var s *zmq.Socket
	report(s.Send(context.Background(), nil))
	require.NoError(t, s.Close())
	require.False(t, s.RecvMore())
	require.Zero(t, s.DiscardParts())
	var zctx *zmq.Context
	_, err := zctx.NewSocket(zmq.Pair)
	report(err)
	require.Zero(t, core.Rescues())
	require.Zero(t, core.Rescues())
	report(a.Set(zmq.Setting{}))

	require.NoError(t, a.Send(context.Background(), nil))
	n, err := b.Recv(context.Background(), nil)
	require.NoError(t, err)
	require.Zero(t, n)
	require.NoError(t, a.SendMultipart(context.Background(), [][]byte{nil, {}, nil}))
	parts, err := b.RecvMultipart(context.Background())
	require.Len(t, parts, 3)
	report(err)
}
