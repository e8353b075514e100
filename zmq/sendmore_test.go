package zmq_test

import (
	"context"
	"errors"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/zmq"
)

func requireNext(t testing.TB, s *zmq.Socket, want ...string) {
	t.Helper()
	require.Equal(t, want, texts(recvParts(t, s)))
}

func requireNoMore(t testing.TB, s *zmq.Socket) {
	t.Helper()
	require.ErrorIs(t, errOf(s.RecvMultipart(context.Background(), zmq.DontWait)), zmq.ErrAgain)
}

func requirePending(t testing.TB, err error) {
	t.Helper()
	require.ErrorIs(t, err, zmq.ErrState)
	for _, call := range []string{"Send", "SendMessage", "DiscardParts"} {
		require.ErrorContains(t, err, call)
	}
}

// wholeSends are the calls that send whole messages. Each returns a function that makes
// the call, and one that checks that the arguments are as they were.
func wholeSends(t *testing.T, s *zmq.Socket) map[string]struct {
	send   func() error
	intact func(t *testing.T)
} {
	type call = struct {
		send   func() error
		intact func(t *testing.T)
	}
	native := func(texts ...string) zmq.Multipart {
		p := make(zmq.Multipart, len(texts))
		for i, text := range texts {
			m := noErr(zmq.NewMessageBytes([]byte(text)))(t)
			require.NoError(t, m.MoveTo(&p[i]))
		}
		t.Cleanup(func() { require.NoError(t, p.Close()) })
		return p
	}
	holds := func(p zmq.Multipart, texts ...string) func(*testing.T) {
		return func(t *testing.T) {
			for i, text := range texts {
				require.Equal(t, text, string(p[i].Bytes()))
			}
		}
	}
	nothing := func(*testing.T) {}
	parts := func(n int) [][]byte {
		list := make([][]byte, n)
		for i := range list {
			list[i] = []byte("whole")
		}
		return list
	}
	one, two, behind := native("whole"), native("whole", "whole"), native("whole")
	appended, received := newBatch(t, 10), newBatch(t, 10)
	require.NoError(t, appended.Append([]byte("whole"), []byte("whole")))
	pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
	require.NoError(t, push.SendMultipart(context.Background(), parts(3)))
	require.NoError(t, errOf(pull.RecvBatch(context.Background(), received)))
	inBatch := func(b *zmq.Batch, n int) call {
		return call{
			func() error { _, err := s.SendBatch(context.Background(), b); return err },
			func(t *testing.T) {
				require.Equal(t, 1, b.Len())
				requireViews(t, parts(n), b.At(0))
			},
		}
	}
	return map[string]call{
		"SendMultipart of one part":        {func() error { return s.SendMultipart(context.Background(), parts(1)) }, nothing},
		"SendMultipart":                    {func() error { return s.SendMultipart(context.Background(), parts(2), zmq.DontWait) }, nothing},
		"SendMultipartContext of 20 parts": {func() error { return s.SendMultipart(t.Context(), parts(20)) }, nothing},
		"SendMultipartMessage of one part": {func() error { return s.SendMultipartMessage(context.Background(), one) }, holds(one, "whole")},
		"SendMultipartMessage":             {func() error { return s.SendMultipartMessage(context.Background(), two) }, holds(two, "whole", "whole")},
		"SendMessageTo":                    {func() error { return s.SendMessageTo(context.Background(), []byte("whole"), &behind[0]) }, holds(behind, "whole")},
		"SendBatch of appended messages":   inBatch(appended, 2),
		"SendBatch of received messages":   inBatch(received, 3),
		"ReadWriter.Write": {func() error {
			_, err := zmq.NewReadWriter(t.Context(), s, []byte("whole")).Write([]byte("whole"))
			return err
		}, nothing},
	}
}

// A whole message would go without the parts that are pending, and they with the next
// message: a server that sends the id of its peer first would lose its replies.
func TestSendMorePendingRefusesWholeMessages(t *testing.T) {
	t.Parallel()
	a, b := pair(t, zmq.Dealer, zmq.Dealer, inprocName())
	calls := wholeSends(t, a)
	begins := map[string]func() error{
		"bytes": func() error { return a.SendString(context.Background(), "id", zmq.SendMore) },
		"a Message": func() error {
			m, err := zmq.NewMessageBytes([]byte("id"))
			return errors.Join(err, a.SendMessage(context.Background(), m, zmq.SendMore))
		},
	}
	for beginName, begin := range begins {
		for name, call := range calls {
			require.NoError(t, begin(), beginName)
			requirePending(t, call.send())
			other := async(func() error { return call.send() })
			requirePending(t, <-other)
			call.intact(t)
			requireNoMore(t, b)
			require.NoError(t, a.SendString(context.Background(), name))
			requireNext(t, b, "id", name)

			require.NoError(t, begin())
			requirePending(t, call.send())
			require.Equal(t, 1, a.DiscardParts())
		}
	}
	for name, call := range calls {
		require.NoError(t, call.send(), name)
		got := recvParts(t, b)
		require.Equal(t, "whole", string(got[0]), name)
	}
	requireNoMore(t, b)
}

// lastFails are ways in which the last part of a message fails.
var lastFails = map[string]struct {
	options []zmq.Setting
	send    func(t *testing.T, send func(context.Context, ...zmq.Flag) error)
}{
	"no room": {nil, func(t *testing.T, send func(context.Context, ...zmq.Flag) error) {
		require.ErrorIs(t, send(t.Context(), zmq.DontWait), zmq.ErrAgain)
	}},
	"timeout": {[]zmq.Setting{zmq.SendTimeout.To(time.Millisecond)}, func(t *testing.T, send func(context.Context, ...zmq.Flag) error) {
		require.ErrorIs(t, send(t.Context()), zmq.ErrAgain)
	}},
	"cancelled before": {nil, func(t *testing.T, send func(context.Context, ...zmq.Flag) error) {
		ctx := cancelled()
		require.ErrorIs(t, send(ctx), context.Canceled)
	}},
	"cancelled while it waits": {nil, func(t *testing.T, send func(context.Context, ...zmq.Flag) error) {
		ctx := timeout(t, time.Millisecond)
		require.ErrorIs(t, send(ctx), context.DeadlineExceeded)
	}},
}

// The last part fails in each way, as bytes and as a Message, and the program goes on in
// each way.
func TestSendMoreLastPartFails(t *testing.T) {
	t.Parallel()
	goesOn := map[string]func(t *testing.T, s *zmq.Socket, again func() error) (want []string){
		"with the same call": func(t *testing.T, _ *zmq.Socket, again func() error) []string {
			require.NoError(t, again())
			return []string{"first", "last"}
		},
		"from the beginning": func(t *testing.T, s *zmq.Socket, again func() error) []string {
			require.NoError(t, s.SendString(context.Background(), "anew", zmq.SendMore))
			require.NoError(t, s.SendString(context.Background(), "second", zmq.SendMore))
			require.NoError(t, again())
			return []string{"anew", "second", "last"}
		},
		"after DiscardParts": func(t *testing.T, s *zmq.Socket, again func() error) []string {
			require.Equal(t, 1, s.DiscardParts())
			require.NoError(t, again())
			return []string{"last"}
		},
	}
	for failName, fail := range lastFails {
		for _, native := range []bool{false, true} {
			for name, on := range goesOn {
				zctx := newContext(t)
				a, b := newSocket(t, zctx, zmq.Dealer, fail.options...), newSocket(t, zctx, zmq.Dealer)
				m := newMessage(t, "last")
				send := func(ctx context.Context, flags ...zmq.Flag) error {
					if native {
						return a.SendMessage(ctx, m, flags...)
					}
					return a.Send(ctx, []byte("last"), flags...)
				}
				require.NoError(t, a.SendString(context.Background(), "first", zmq.SendMore))
				for range 2 {
					fail.send(t, send)
					require.Equal(t, "last", string(m.Bytes()), failName)
					requirePending(t, a.SendMultipart(context.Background(), [][]byte{{1}, {2}}))
				}
				connect(t, b, a, inprocName())
				want := on(t, a, func() error { return send(within(t)) })
				requireNext(t, b, want...)
				requireNoMore(t, b)
				require.Zero(t, a.DiscardParts(), name)
				require.NoError(t, m.Close())
			}
		}
	}
}

// While one goroutine waits with the last part, others cannot send, and what they try
// takes nothing from it.
func TestSendMoreWhileLastPartWaits(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	a, b := newSocket(t, zctx, zmq.Dealer, zmq.SendTimeout.To(30*time.Second)), newSocket(t, zctx, zmq.Dealer)
	calls := wholeSends(t, a)
	m := newMessage(t, "other")
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	last := func(ctx context.Context) <-chan error {
		ended := async(func() error { return a.Send(ctx, []byte("last")) })
		for (*core.Of(a)).Stats().Waiting == 0 {
			require.Empty(t, ended)
			runtime.Gosched()
		}
		for name, call := range calls {
			require.ErrorIs(t, call.send(), zmq.ErrState, name)
			call.intact(t)
		}
		for _, flags := range [][]zmq.Flag{{zmq.SendMore}, {zmq.DontWait}, nil} {
			require.ErrorIs(t, a.SendString(context.Background(), "other", flags...), zmq.ErrState)
			require.ErrorIs(t, a.SendMessage(context.Background(), m, flags...), zmq.ErrState)
			require.Equal(t, "other", string(m.Bytes()))
		}
		require.Zero(t, a.DiscardParts())
		return ended
	}
	require.NoError(t, a.SendString(context.Background(), "first", zmq.SendMore))
	ctx, cancel := context.WithCancel(within(t))
	ended := last(ctx)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	requirePending(t, a.SendMultipart(context.Background(), [][]byte{{1}}))

	ended = last(within(t))
	connect(t, b, a, inprocName())
	require.NoError(t, <-ended)
	requireNext(t, b, "first", "last")
	requireNoMore(t, b)
	clone := noErr(m.Clone())(t)
	require.NoError(t, a.SendMessage(context.Background(), clone))
	requireNext(t, b, "other")
}

// A last part that is refused for its arguments keeps the parts before it like any other
// failure does: the next part with SendMore begins a new message.
func TestSendMoreAfterRefusedLastPart(t *testing.T) {
	t.Parallel()
	a, b := pair(t, zmq.Dealer, zmq.Dealer, inprocName())
	for name, fail := range map[string]func() error{
		"nil message": func() error { return a.SendMessage(soon(t), nil) },
		"bad JSON":    func() error { return a.SendJSON(soon(t), make(chan int)) },
	} {
		require.NoError(t, a.SendString(soon(t), "old", zmq.SendMore), name)
		require.ErrorIs(t, fail(), syscall.EINVAL, name)
		require.NoError(t, a.SendString(soon(t), "new", zmq.SendMore), name)
		require.NoError(t, a.SendString(soon(t), "body"), name)
		require.Equal(t, [][]byte{[]byte("new"), []byte("body")}, recvParts(t, b), name)
	}
	done := cancelled()
	require.ErrorIs(t, a.SendString(done, "never", zmq.SendMore), context.Canceled)
	require.Zero(t, a.DiscardParts())
}
