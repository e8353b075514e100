package zmq_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// Alloc releases what the Message held and gives it memory of the size asked for.
func TestAllocRebuilds(t *testing.T) {
	t.Parallel()
	pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
	for _, old := range contents {
		for _, size := range []int{0, 5, 33, 34, 3000} {
			m := newMessage(t, old)
			require.NoError(t, m.Alloc(size))
			require.Len(t, m.Bytes(), size)
			require.Equal(t, size, m.Len())
			copy(m.Bytes(), payload(size))
			require.NoError(t, push.SendMessage(context.Background(), m))
			requireArrived(t, pull, payload(size))
		}
	}
	released := make(chan struct{})
	m := noErr(zmq.NewMessageZeroCopy(payload(100), func() { close(released) }))(t)
	require.NoError(t, m.Alloc(7))
	<-released
	require.Equal(t, 7, m.Len())

	for _, size := range []int{-1, math.MinInt} {
		require.ErrorIs(t, m.Alloc(size), syscall.EINVAL)
		require.Equal(t, 7, m.Len(), "unchanged")
	}
	for _, size := range []int{1 << 62, math.MaxInt, math.MaxInt - 40} {
		require.ErrorIs(t, m.Alloc(size), syscall.ENOMEM)
		require.Zero(t, m.Len(), "released")
	}
	require.ErrorContains(t, (*zmq.Message)(nil).Alloc(1), "pass its address")
	require.NoError(t, m.Close())
}

// Bytes is the memory of the message, not a copy: over inproc it is what the sender
// lent, and what is written there is what is sent on.
func TestBytesIsAView(t *testing.T) {
	t.Parallel()
	lent := payload(100)
	pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
	m := noErr(zmq.NewMessageZeroCopy(lent, nil))(t)
	require.NoError(t, push.SendMessage(context.Background(), m))
	require.NoError(t, pull.RecvMessage(context.Background(), m))
	require.Same(t, &lent[0], &m.Bytes()[0])
	require.NoError(t, m.Close())

	transports(t, func(t *testing.T, endpoint string) {
		pull, push := pair(t, zmq.Pull, zmq.Push, endpoint)
		sink, out := pair(t, zmq.Pull, zmq.Push, inprocName())
		var m zmq.Message
		for _, text := range contents[1:] {
			require.NoError(t, push.SendString(context.Background(), text))
			require.NoError(t, pull.RecvMessage(within(t), &m))
			require.Same(t, &m.Bytes()[0], &m.Bytes()[0])
			copy(m.Bytes(), "NEW")
			require.NoError(t, out.SendMessage(context.Background(), &m))
			require.Equal(t, "NEW"+strings.TrimPrefix(text, text[:3]), recvString(t, sink))
		}
	})
}

// Each part says how long it is, and whether another one follows.
func TestSizeAndMore(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		pull, push := pair(t, zmq.Pull, zmq.Push, endpoint)
		parts := [][]byte{payload(0), payload(5), payload(33), payload(34), payload(3000)}
		type part struct {
			size int
			more bool
		}
		var want, got, views []part
		for i, p := range parts {
			want = append(want, part{len(p), i < len(parts)-1})
		}
		for range 2 {
			require.NoError(t, push.SendMultipart(context.Background(), parts))
		}
		var m zmq.Message
		for more := true; more; more = m.More() {
			require.NoError(t, pull.RecvMessage(within(t), &m))
			require.Equal(t, m.More(), pull.RecvMore())
			got = append(got, part{m.Len(), m.More()})
		}
		require.Equal(t, want, got)
		require.NoError(t, m.Close())

		var p zmq.Multipart
		require.NoError(t, pull.RecvMultipartMessage(within(t), &p))
		for i := range p {
			views = append(views, part{p[i].Len(), p[i].More()})
		}
		require.Equal(t, want, views)
		require.NoError(t, p.Close())
	})
}

func TestSocketStringHasTypeAndEndpoint(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	push := newSocket(t, zctx, zmq.Push)
	require.Equal(t, "PUSH", push.String())
	require.NoError(t, push.Bind("inproc://described"))
	require.Equal(t, "PUSH inproc://described", fmt.Sprint(push))
	require.Equal(t, "nil socket", (*zmq.Socket)(nil).String())
	require.Same(t, zctx, push.Context())
	require.Nil(t, (*zmq.Socket)(nil).Context())
}

func TestMessageStringIsShortAndEscaped(t *testing.T) {
	t.Parallel()
	text := func(content string) string {
		m := noErr(zmq.NewMessageBytes([]byte(content)))(t)
		defer m.Close()
		return m.String()
	}
	require.Equal(t, `5 bytes "hello"`, text("hello"))
	require.Equal(t, `1 byte "\x00"`, text("\x00"))
	require.Equal(t, `16 bytes "0123456789abcdef"`, text("0123456789abcdef"))
	require.Equal(t, `1000 bytes "xxxxxxxxxxxxxxxx"...`, text(strings.Repeat("x", 1000)))
	require.Equal(t, `0 bytes ""`, new(zmq.Message).String())
	require.Equal(t, "nil message", (*zmq.Message)(nil).String())

	var p zmq.Multipart
	require.Equal(t, "[]", p.String())
	m := newMessage(t, "id")
	require.NoError(t, p.Append(m))
	require.NoError(t, p.Append(new(zmq.Message)))
	defer p.Close()
	require.Equal(t, `[2 bytes "id", 0 bytes ""]`, fmt.Sprint(p))
}

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
