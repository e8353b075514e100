package zmq_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

var sizes = []int{0, 1, 32, 33, 34, 64, 100, 8 << 10, 64 << 10, 64<<10 + 1, 1 << 20}

func payload(size int) []byte {
	p := make([]byte, size)
	for i := range p {
		p[i] = byte(i*7 + size)
	}
	return p
}

// Every way to send meets every way to receive, with sizes on both sides of each threshold.
func TestEverySendMeetsEveryRecv(t *testing.T) {
	transports(t, func(t *testing.T, endpoint string) {
		pull, push := pair(t, zmq.Pull, zmq.Push, endpoint)
		for sendName, send := range sendWays {
			for recvName, recv := range receiveOne {
				for _, size := range sizes {
					want := payload(size)
					require.NoError(t, send(push, want), sendName)
					got := noErr(recv(pull))(t)
					require.Len(t, got, 1)
					require.Len(t, got[0], 1)
					require.True(t, bytes.Equal(want, got[0][0]), "%s to %s, %d bytes", sendName, recvName, size)
				}
			}
		}
	})
}

func TestMultipart(t *testing.T) {
	transports(t, func(t *testing.T, endpoint string) {
		a, b := pair(t, zmq.Dealer, zmq.Dealer, endpoint)
		for _, count := range []int{1, 2, 3, 4, 5, 6, 9, 40} {
			var want [][]byte
			for i := range count {
				want = append(want, payload(sizes[i%len(sizes)]))
			}
			// whole to whole
			require.NoError(t, a.SendMultipart(context.Background(), want))
			got := recvParts(t, b)
			requireParts(t, want, got)

			// part by part to part by part
			for i, p := range want {
				require.NoError(t, a.Send(context.Background(), p, more(i, count)...))
			}
			got = nil
			for {
				p := recvBytes(t, b)
				got = append(got, p)
				if !b.RecvMore() {
					break
				}
			}
			requireParts(t, want, got)

			// views to views, forwarded without a copy
			require.NoError(t, a.SendMultipart(context.Background(), want))
			var views zmq.Multipart
			require.NoError(t, b.RecvMultipartMessage(context.Background(), &views))
			require.Len(t, views, count)
			require.False(t, views[count-1].More())
			require.NoError(t, b.SendMultipartMessage(context.Background(), views))
			for i := range views {
				require.Zero(t, views[i].Len(), "a part that was sent is empty")
			}
			require.NoError(t, a.RecvMultipartMessage(context.Background(), &views))
			requireParts(t, want, views.Bytes())
			require.NoError(t, views.Close())
		}
	})
}

func requireParts(t *testing.T, want, got [][]byte) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.True(t, bytes.Equal(want[i], got[i]), "part %d of %d", i, len(want))
	}
}

func more(i, count int) []zmq.Flag {
	if i < count-1 {
		return []zmq.Flag{zmq.SendMore}
	}
	return nil
}

// A part longer than the buffer is cut off, and the error has its length. The next part is whole.
func TestTruncatedReceiveSaysHowLongThePartWas(t *testing.T) {
	t.Parallel()
	push, pull := pair(t, zmq.Push, zmq.Pull, inprocName())
	for _, size := range []int{0, 1, 99} {
		require.NoError(t, push.SendMultipart(context.Background(), [][]byte{payload(100), payload(50)}))
		buf := make([]byte, size)
		n, err := pull.Recv(context.Background(), buf)
		require.Equal(t, size, n)
		require.Equal(t, payload(100)[:size], buf)
		var short *zmq.TruncatedError
		require.ErrorAs(t, err, &short)
		require.Equal(t, 100, short.Size)
		requireFails(t, err, io.ErrShortBuffer, "100 bytes")
		require.ErrorContains(t, err, "RecvBytes")
		require.True(t, pull.RecvMore())
		requireArrived(t, pull, payload(50))
		require.False(t, pull.RecvMore())
	}
}

// A waiting receiver stops no sender on the same socket.
func TestSendWhileReceiving(t *testing.T) {
	t.Parallel()
	a, b := pair(t, zmq.Dealer, zmq.Dealer, "tcp://127.0.0.1:*")
	got := make(chan string)
	go func() {
		p, err := a.RecvString(context.Background())
		if err != nil {
			p = err.Error()
		}
		got <- p
	}()
	for range 1000 {
		require.NoError(t, a.SendString(context.Background(), "out"))
		require.Equal(t, "out", recvString(t, b))
	}
	require.NoError(t, b.SendString(context.Background(), "in"))
	require.Equal(t, "in", <-got)
}

// The parts that were collected are kept when the last one finds no room, so that
// the call that failed can be repeated, and dropped on request.
func TestCollectedPartsSurviveAgain(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	a, b := newSocket(t, zctx, zmq.Dealer), newSocket(t, zctx, zmq.Dealer)
	require.NoError(t, a.SendString(context.Background(), "one", zmq.SendMore))
	require.NoError(t, a.SendString(context.Background(), "two", zmq.SendMore))
	require.ErrorIs(t, a.SendString(context.Background(), "three", zmq.DontWait), zmq.ErrAgain, "no peer yet")
	connect(t, b, a, inprocName())
	require.NoError(t, a.SendString(context.Background(), "three"))
	parts := recvParts(t, b)
	requireParts(t, [][]byte{[]byte("one"), []byte("two"), []byte("three")}, parts)

	require.NoError(t, a.SendString(context.Background(), "stray", zmq.SendMore))
	require.Equal(t, 1, a.DiscardParts())
	require.NoError(t, a.SendString(context.Background(), "whole"))
	parts = recvParts(t, b)
	requireParts(t, [][]byte{[]byte("whole")}, parts)
}

func TestMessageLife(t *testing.T) {
	t.Parallel()
	m := noErr(zmq.NewMessage(40))(t)
	require.Len(t, m.Bytes(), 40)
	copy(m.Bytes(), payload(40))
	c := noErr(m.Clone())(t)
	require.NoError(t, m.Close())
	require.NoError(t, m.Close())
	require.Zero(t, m.Len())
	require.Equal(t, payload(40), c.Bytes())
	require.NoError(t, c.Close())

	var zero zmq.Message
	require.Empty(t, zero.Bytes())
	require.False(t, zero.More())
	require.Zero(t, noErr(zero.Clone())(t).Len())
	require.ErrorIs(t, errOf(zero.Property("Socket-Type")), syscall.EINVAL)
	require.ErrorIs(t, errOf(zmq.NewMessage(-1)), syscall.EINVAL)
	require.ErrorIs(t, errOf(zmq.NewMessage(1<<62)), syscall.ENOMEM)

	pull, push := pair(t, zmq.Pull, zmq.Push, "tcp://127.0.0.1:*")
	require.NoError(t, push.SendString(context.Background(), "x"))
	require.NoError(t, pull.RecvMessage(context.Background(), &zero))
	require.Equal(t, "PUSH", noErr(zero.Property("Socket-Type"))(t))
	require.Equal(t, "127.0.0.1", noErr(zero.Property("Peer-Address"))(t))
	require.ErrorIs(t, errOf(zero.Property("no-such")), syscall.EINVAL)
	require.NoError(t, zero.Close())
}

func TestDraftTypesAreRefused(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	for typ := zmq.Server; typ <= zmq.Channel; typ++ {
		s, err := zctx.NewSocket(typ)
		if zmq.Has("draft") {
			require.NoError(t, err)
			require.NoError(t, s.Close())
			continue
		}
		requireFails(t, err, zmq.ErrNotSupported, typ.String())
	}
	for _, typ := range []zmq.SocketType{-1, 99, 1<<8 + zmq.Router, 1<<16 + zmq.Router, math.MinInt32, math.MaxInt32} {
		require.ErrorIs(t, errOf(zctx.NewSocket(typ)), syscall.EINVAL)
	}
}

// What code that knows net.Error asks, a timeout answers; nothing else is one.
func TestNetError(t *testing.T) {
	t.Parallel()
	s := newSocket(t, newContext(t), zmq.Pull, zmq.RecvTimeout.To(time.Millisecond))
	_, timedOut := s.RecvBytes(context.Background())
	_, again := s.RecvBytes(context.Background(), zmq.DontWait)
	brief := timeout(t, time.Millisecond)
	require.NoError(t, s.Set(zmq.RecvTimeout.To(-1)))
	_, late := s.RecvBytes(brief)
	cancelled := cancelled()
	_, stopped := s.RecvBytes(cancelled)
	require.NoError(t, s.Close())
	_, closed := s.RecvBytes(context.Background())
	for err, timeout := range map[error]bool{timedOut: true, late: true, again: false, stopped: false, closed: false} {
		var e net.Error
		require.True(t, errors.As(err, &e))
		require.Equal(t, timeout, e.Timeout(), err)
	}
}

// A pattern is two types of sockets that exchange messages.
type pattern struct {
	server, client zmq.SocketType
	ask            []string // what the client sends, and gets back as the server received it; nil: the server only sends
}

var patterns = []pattern{
	{zmq.Rep, zmq.Req, []string{"question"}},
	{zmq.Rep, zmq.Dealer, []string{"", "question"}},
	{zmq.Router, zmq.Req, []string{"question", "second part"}},
	{zmq.Router, zmq.Dealer, []string{"question", "", "third part"}},
	{zmq.Router, zmq.Router, []string{"server", "question"}},
	{zmq.Dealer, zmq.Dealer, []string{"question"}},
	{zmq.Pair, zmq.Pair, []string{"question", "second part"}},
	{zmq.Push, zmq.Pull, nil},
	{zmq.Pub, zmq.Sub, nil},
	{zmq.Pub, zmq.XSub, nil},
	{zmq.XPub, zmq.Sub, nil},
	{zmq.XPub, zmq.XSub, nil},
}

// Every type of socket, with each that it can talk to, over every transport, whichever
// of the two is bound.
func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, p := range patterns {
		for _, serverBinds := range []bool{true, false} {
			t.Run(fmt.Sprintf("%v-%v,server-binds=%t", p.server, p.client, serverBinds), func(t *testing.T) {
				t.Parallel()
				transports(t, func(t *testing.T, endpoint string) {
					zctx := trackingContext(t)
					server, client := newSocket(t, zctx, p.server), newSocket(t, zctx, p.client)
					if p.server == zmq.Router && p.client == zmq.Router {
						require.NoError(t, server.Set(zmq.RoutingID.To([]byte("server")), zmq.RouterMandatory.To(true)))
						require.NoError(t, client.Set(zmq.RoutingID.To([]byte("client")), zmq.RouterMandatory.To(true)))
					}
					if serverBinds {
						connect(t, server, client, endpoint)
					} else {
						connect(t, client, server, endpoint)
					}
					require.NoError(t, server.WaitConnected(soon(t), 1))
					require.NoError(t, client.WaitConnected(soon(t), 1))
					p.talk(t, server, client)
				})
			})
		}
	}
}

func (p pattern) talk(t *testing.T, server, client *zmq.Socket) {
	t.Helper()
	ctx := soon(t)
	if p.server == zmq.Pub || p.server == zmq.XPub {
		subscribe(t, client, "topic")
		require.NoError(t, server.WaitSubscribers(ctx, 1))
		require.NoError(t, server.SendString(ctx, "other topic"))
	}
	for i := range 10 {
		last := fmt.Sprint("number ", i)
		if p.ask == nil {
			require.NoError(t, server.SendMultipart(ctx, [][]byte{[]byte("topic"), []byte(last)}))
			requireNext(t, client, "topic", last)
			continue
		}
		var ask [][]byte
		for _, part := range append(p.ask, last) {
			ask = append(ask, []byte(part))
		}
		require.NoError(t, client.SendMultipart(ctx, ask))
		asked := recvParts(t, server)
		require.Equal(t, last, string(asked[len(asked)-1]))
		require.NoError(t, server.SendMultipart(ctx, asked))
		requireNext(t, client, texts(ask)...)
	}
}
