package zmq_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

func newMessage(t testing.TB, text string) *zmq.Message {
	t.Helper()
	m := noErr(zmq.NewMessageBytes([]byte(text)))(t)
	return m
}

// Contents short enough to live inside a Message, and longer ones.
var contents = []string{"", "short", strings.Repeat("long ", 100)}

func TestMoveTo(t *testing.T) {
	t.Parallel()
	for _, text := range contents {
		m, dst := newMessage(t, text), newMessage(t, "old")
		require.NoError(t, m.MoveTo(dst))
		require.Equal(t, text, string(dst.Bytes()))
		require.Zero(t, m.Len())
		require.NoError(t, dst.MoveTo(dst))
		require.Equal(t, text, string(dst.Bytes()))
		require.NoError(t, m.MoveTo(dst), "an empty one empties")
		require.Zero(t, dst.Len())
		require.NoError(t, dst.Close())
		require.ErrorIs(t, m.MoveTo(nil), syscall.EINVAL)
		require.ErrorIs(t, (*zmq.Message)(nil).MoveTo(m), syscall.EINVAL)
	}
	released := make(chan struct{})
	lent := noErr(zmq.NewMessageZeroCopy(bytes.Repeat([]byte("x"), 1000), func() { close(released) }))(t)
	var dst zmq.Message
	require.NoError(t, lent.MoveTo(&dst))
	require.NoError(t, lent.Close())
	require.Equal(t, 1000, dst.Len())
	require.NoError(t, dst.Close())
	<-released
}

func TestShared(t *testing.T) {
	t.Parallel()
	for _, text := range contents {
		m := newMessage(t, text)
		require.False(t, m.Shared())
		c := noErr(m.Clone())(t)
		long := len(text) > 33
		require.Equal(t, long, m.Shared())
		require.Equal(t, long, c.Shared())
		require.NoError(t, c.Close())
		require.False(t, c.Shared())
		require.NoError(t, m.Close())
	}
	require.False(t, (*zmq.Message)(nil).Shared())
	require.False(t, new(zmq.Message).Shared())
}

// A ROUTER's reply without a copy: take the id off, put another envelope on.
func TestMultipartParts(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		router, dealer := pair(t, zmq.Router, zmq.Dealer, endpoint)
		body := strings.Repeat("body", 1000)
		var p zmq.Multipart
		defer func() { p[:cap(p)].Close() }()
		for range 3 {
			require.NoError(t, dealer.SendMultipart(context.Background(), [][]byte{[]byte("old"), []byte("topic"), []byte(body)}))
			require.NoError(t, router.RecvMultipartMessage(context.Background(), &p))
			require.Len(t, p, 4)
			var id zmq.Message
			require.NoError(t, p.Remove(0, &id))
			require.NoError(t, p.Remove(0, nil))
			require.NoError(t, p.Insert(0, newMessage(t, "new")))
			require.NoError(t, p.Append(newMessage(t, "end")))
			require.NoError(t, p.Insert(0, &id))
			require.Zero(t, id.Len())
			require.NoError(t, router.SendMultipartMessage(context.Background(), p))
			parts := recvParts(t, dealer)
			require.Equal(t, []string{"new", "topic", body, "end"}, texts(parts))
		}
	})
}

func texts(parts [][]byte) (all []string) {
	for _, p := range parts {
		all = append(all, string(p))
	}
	return all
}

// Any sequence of changes does what it does to a slice of strings.
func TestMultipartAsSlice(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var p zmq.Multipart
	var want []string
	for range 5000 {
		i := r.IntN(len(want) + 1)
		switch r.IntN(4) {
		case 0:
			text := contents[r.IntN(len(contents))]
			require.NoError(t, p.Append(newMessage(t, text)))
			want = append(want, text)
		case 1:
			text := contents[r.IntN(len(contents))]
			require.NoError(t, p.Insert(i, newMessage(t, text)))
			want = slices.Insert(want, i, text)
		default:
			var m zmq.Message
			if i == len(want) {
				require.ErrorIs(t, p.Remove(i, &m), syscall.EINVAL)
				continue
			}
			require.NoError(t, p.Remove(i, &m))
			require.Equal(t, want[i], string(m.Bytes()))
			require.NoError(t, m.Close())
			want = slices.Delete(want, i, i+1)
		}
		require.Equal(t, len(want), len(p))
	}
	require.Equal(t, want, texts(p.Bytes()))
	require.NoError(t, p.Close())
}

func TestMultipartRefuses(t *testing.T) {
	t.Parallel()
	m := newMessage(t, "kept")
	defer m.Close()
	p, none := zmq.Multipart{}, (*zmq.Multipart)(nil)
	for _, err := range []error{
		p.Insert(1, m), p.Insert(-1, m), p.Append(nil), p.Remove(0, nil), p.Remove(-1, nil),
		none.Append(m), none.Insert(0, m), none.Remove(0, m),
	} {
		require.ErrorIs(t, err, syscall.EINVAL)
	}
	require.Equal(t, "kept", string(m.Bytes()))
}

// A message whose parts are being received one by one does not look complete because
// the socket is closed: the receive of the next part says so. After that there is no
// more to ask for.
func TestRecvMoreAfterTheEnd(t *testing.T) {
	t.Parallel()
	for how, e := range ends {
		for name, receive := range recvCalls {
			for _, ahead := range []int{0, 4} {
				zctx := newContext(t)
				pull, push := newSocket(t, zctx, zmq.Pull, zmq.ReadAhead.To(ahead)), newSocket(t, zctx, zmq.Push)
				connect(t, pull, push, inprocName())
				require.NoError(t, push.SendMultipart(context.Background(), [][]byte{{1}, {2}, {3}}))
				require.NoError(t, push.SendString(context.Background(), "whole"))
				require.Equal(t, []byte{1}, recvBytes(t, pull))
				require.True(t, pull.RecvMore())
				require.NoError(t, e.end(zctx, pull))
				require.True(t, pull.RecvMore(), "%s, %s", how, name)
				require.ErrorIs(t, errOf(receive(context.Background(), pull)), e.want, "%s, %s", how, name)
				require.False(t, pull.RecvMore(), "%s, %s", how, name)
			}
		}
		// Between messages there is nothing more.
		pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
		require.NoError(t, push.SendMultipart(context.Background(), [][]byte{{1}, {2}}))
		recvParts(t, pull)
		require.NoError(t, e.end(pull.Context(), pull))
		require.False(t, pull.RecvMore())
	}
}

// A receive that fails releases what its target held, whatever it fails with: a loop
// that ends with the first error has nothing to close.
func TestFailedReceiveReleases(t *testing.T) {
	t.Parallel()
	check := func(is error, s *zmq.Socket, ctx context.Context, flags ...zmq.Flag) {
		t.Helper()
		m, b := newMessage(t, string(payload(100))), newBatch(t, 3)
		p := make(zmq.Multipart, 3)
		for i := range p {
			require.NoError(t, p[i].Alloc(50))
			require.NoError(t, b.Append(payload(100), payload(50)))
		}
		p = p[:1]
		require.ErrorIs(t, s.RecvMessage(ctx, m, flags...), is)
		require.ErrorIs(t, s.RecvMultipartMessage(ctx, &p, flags...), is)
		require.ErrorIs(t, errOf(s.RecvBatch(ctx, b, flags...)), is)
		require.Zero(t, m.Len()+len(p)+b.Len())
		for i := range p[:cap(p)] {
			require.Zero(t, p[:cap(p)][i].Len())
		}
	}
	zctx, ctx := newContext(t), context.Background()
	done, cancel := context.WithCancel(ctx)
	cancel()
	for _, ahead := range []int{0, 10} {
		alive := newSocket(t, zctx, zmq.Pull, zmq.ReadAhead.To(ahead))
		check(zmq.ErrAgain, alive, ctx, zmq.DontWait)
		check(context.Canceled, alive, done)
	}
	check(zmq.ErrNotSupported, newSocket(t, zctx, zmq.Push), ctx)
	closed, terminated := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Pull)
	require.NoError(t, closed.Close())
	check(zmq.ErrClosed, closed, ctx)
	require.NoError(t, zctx.Shutdown())
	check(zmq.ErrTerminated, terminated, ctx)
}
