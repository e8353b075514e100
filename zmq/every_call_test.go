package zmq_test

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A call sends or receives the message "1", a number so that JSON has it as well.
type call func(ctx context.Context, s *zmq.Socket, flags ...zmq.Flag) (got string, err error)

var digit = []byte("1")

// withMessage runs f with a new Message, which f must leave alone when it fails.
func withMessage(f func(m *zmq.Message) error) (string, error) {
	m, err := zmq.NewMessageBytes(digit)
	if err != nil {
		return "", err
	}
	defer m.Close()
	err = f(m)
	if err != nil {
		return string(m.Bytes()), err
	}
	return "1", nil
}

// withParts is withMessage for a Multipart.
func withParts(f func(p zmq.Multipart) error) (string, error) {
	p := make(zmq.Multipart, 1)
	defer p.Close()
	if err := p[0].Alloc(1); err != nil {
		return "", err
	}
	copy(p[0].Bytes(), digit)
	err := f(p)
	if err != nil {
		return string(p[0].Bytes()), err
	}
	return "1", nil
}

// withBatch is withMessage for a Batch.
func withBatch(f func(b *zmq.Batch) (int, error)) (string, error) {
	b := zmq.NewBatch(1)
	defer b.Close()
	if err := b.Append(digit); err != nil {
		return "", err
	}
	if _, err := f(b); err != nil {
		return string(b.At(0)[0].Bytes()), err
	}
	return "1", nil
}

var sendCalls = map[string]call{
	"Send": func(ctx context.Context, s *zmq.Socket, f ...zmq.Flag) (string, error) {
		return "1", s.Send(ctx, digit, f...)
	},
	"SendString": func(ctx context.Context, s *zmq.Socket, f ...zmq.Flag) (string, error) {
		return "1", s.SendString(ctx, "1", f...)
	},
	"SendJSON": func(ctx context.Context, s *zmq.Socket, f ...zmq.Flag) (string, error) {
		return "1", s.SendJSON(ctx, 1, f...)
	},
	"SendMultipart": func(ctx context.Context, s *zmq.Socket, f ...zmq.Flag) (string, error) {
		return "1", s.SendMultipart(ctx, [][]byte{digit}, f...)
	},
	"SendMessage": func(ctx context.Context, s *zmq.Socket, f ...zmq.Flag) (string, error) {
		return withMessage(func(m *zmq.Message) error { return s.SendMessage(ctx, m, f...) })
	},
	"SendMultipartMessage": func(ctx context.Context, s *zmq.Socket, f ...zmq.Flag) (string, error) {
		return withParts(func(p zmq.Multipart) error { return s.SendMultipartMessage(ctx, p, f...) })
	},
	"SendBatch": func(ctx context.Context, s *zmq.Socket, f ...zmq.Flag) (string, error) {
		return withBatch(func(b *zmq.Batch) (int, error) { return s.SendBatch(ctx, b, f...) })
	},
}

var recvCalls = map[string]call{
	"Recv": func(ctx context.Context, s *zmq.Socket, f ...zmq.Flag) (string, error) {
		buf := make([]byte, 2)
		n, err := s.Recv(ctx, buf, f...)
		return string(buf[:n]), err
	},
	"RecvBytes": func(ctx context.Context, s *zmq.Socket, f ...zmq.Flag) (string, error) {
		p, err := s.RecvBytes(ctx, f...)
		return string(p), err
	},
	"RecvString": func(ctx context.Context, s *zmq.Socket, f ...zmq.Flag) (string, error) {
		return s.RecvString(ctx, f...)
	},
	"RecvJSON": func(ctx context.Context, s *zmq.Socket, f ...zmq.Flag) (string, error) {
		var v jsonText
		err := s.RecvJSON(ctx, &v, f...)
		return string(v), err
	},
	"RecvMultipart": func(ctx context.Context, s *zmq.Socket, f ...zmq.Flag) (string, error) {
		parts, err := s.RecvMultipart(ctx, f...)
		return concat(parts), err
	},
	"RecvMessage": func(ctx context.Context, s *zmq.Socket, f ...zmq.Flag) (string, error) {
		var m zmq.Message
		defer m.Close()
		err := s.RecvMessage(ctx, &m, f...)
		return string(m.Bytes()), err
	},
	"RecvMultipartMessage": func(ctx context.Context, s *zmq.Socket, f ...zmq.Flag) (string, error) {
		var p zmq.Multipart
		err := s.RecvMultipartMessage(ctx, &p, f...)
		defer p.Close()
		return concat(p.Bytes()), err
	},
	"RecvBatch": func(ctx context.Context, s *zmq.Socket, f ...zmq.Flag) (string, error) {
		b := zmq.NewBatch(1)
		defer b.Close()
		_, err := s.RecvBatch(ctx, b, f...)
		return concat(b.At(0).Bytes()), err
	},
}

// jsonText is JSON as it was received.
type jsonText string

func (v *jsonText) UnmarshalJSON(text []byte) error { *v = jsonText(text); return nil }

func concat(parts [][]byte) (text string) {
	for _, p := range parts {
		text += string(p)
	}
	return text
}

// forEveryCall runs a test with each call, on a socket that can neither send nor
// receive. peer lets it: it connects a peer, and sends "1" for a receive.
func forEveryCall(t *testing.T, test func(t *testing.T, c call, sends bool, s *zmq.Socket, peer func() *zmq.Socket)) {
	t.Parallel()
	for _, kind := range []struct {
		calls map[string]call
		sends bool
	}{{sendCalls, true}, {recvCalls, false}} {
		for name, c := range kind.calls {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				zctx := newContext(t)
				s := newSocket(t, zctx, zmq.Dealer)
				test(t, c, kind.sends, s, func() *zmq.Socket {
					peer := newSocket(t, zctx, zmq.Dealer)
					connect(t, s, peer, inprocName())
					if !kind.sends {
						require.NoError(t, peer.Send(context.Background(), digit))
					}
					return peer
				})
			})
		}
	}
}

// requireWhole checks what a call that succeeded sent or received.
func requireWhole(t *testing.T, sends bool, peer *zmq.Socket, got string) {
	t.Helper()
	require.Equal(t, "1", got)
	if sends {
		require.Equal(t, []string{"1"}, texts(noErr(peer.RecvMultipart(context.Background(), zmq.DontWait))(t)))
	}
}

// With DontWait each call fails at once, always with the same value, or succeeds.
func TestDontWaitOfEveryCall(t *testing.T) {
	forEveryCall(t, func(t *testing.T, c call, sends bool, s *zmq.Socket, peer func() *zmq.Socket) {
		require.NoError(t, s.Set(zmq.SendTimeout.To(time.Millisecond), zmq.RecvTimeout.To(time.Millisecond)))
		got, err := c(context.Background(), s, zmq.DontWait)
		require.ErrorIs(t, err, zmq.ErrAgain)
		require.ErrorIs(t, err, syscall.EAGAIN)
		require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "it waited for the timeout")
		if sends {
			require.Equal(t, "1", got, "what was not sent is still there")
		} else {
			require.Empty(t, got)
		}
		_, again := c(context.Background(), s, zmq.DontWait)
		require.True(t, err == again)
		p := peer()
		got = noErr(c(context.Background(), s, zmq.DontWait))(t)
		requireWhole(t, sends, p, got)
	})
}

// SendTimeout and RecvTimeout bound each call.
func TestTimeoutOfEveryCall(t *testing.T) {
	forEveryCall(t, func(t *testing.T, c call, sends bool, s *zmq.Socket, peer func() *zmq.Socket) {
		const limit = 20 * time.Millisecond
		if sends {
			require.NoError(t, s.Set(zmq.SendTimeout.To(limit)))
		} else {
			require.NoError(t, s.Set(zmq.RecvTimeout.To(limit)))
		}
		start := time.Now()
		_, err := c(context.Background(), s)
		require.ErrorIs(t, err, zmq.ErrAgain)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.GreaterOrEqual(t, time.Since(start), limit)
		require.Equal(t, [2]bool{sends, !sends}, [2]bool{s.Stats().SendWaits > 0, s.Stats().RecvWaits > 0})
		p := peer()
		got := noErr(c(context.Background(), s))(t)
		requireWhole(t, sends, p, got)
	})
}

// A context ends each call while it waits: by its deadline, and when it is cancelled.
// Then nothing was sent, and a message that comes later is there for the next call.
func TestContextOfEveryCall(t *testing.T) {
	forEveryCall(t, func(t *testing.T, c call, sends bool, s *zmq.Socket, peer func() *zmq.Socket) {
		require.NoError(t, s.Set(zmq.SendTimeout.To(patience), zmq.RecvTimeout.To(patience)))
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer cancel()
		_, err := c(ctx, s)
		require.ErrorIs(t, err, context.DeadlineExceeded)

		ctx, cancel = context.WithCancel(within(t))
		defer cancel()
		type result struct {
			got string
			err error
		}
		done := make(chan result, 1)
		go func() { got, err := c(ctx, s); done <- result{got, err} }()
		awaitParked(t, s, 1)
		cancel()
		r := <-done
		require.ErrorIs(t, r.err, context.Canceled)
		if sends {
			require.Equal(t, "1", r.got, "what was not sent is still there")
		} else {
			require.Empty(t, r.got)
		}
		p := peer()
		got := noErr(c(within(t), s))(t)
		requireWhole(t, sends, p, got)
		require.ErrorIs(t, errOf(p.RecvBytes(context.Background(), zmq.DontWait)), zmq.ErrAgain, "a call that failed has sent something")
	})
}

// sendWays are the ways to send a message of several parts.
var sendWays = map[string]func(s *zmq.Socket, parts ...[]byte) error{
	"SendMultipart": func(s *zmq.Socket, parts ...[]byte) error { return s.SendMultipart(context.Background(), parts) },
	"SendMore": func(s *zmq.Socket, parts ...[]byte) error {
		return repeat(len(parts), func(i int) error { return s.Send(context.Background(), parts[i], more(i, len(parts))...) })
	},
	"SendMessage": func(s *zmq.Socket, parts ...[]byte) error {
		return repeat(len(parts), func(i int) error {
			m, err := zmq.NewMessageBytes(parts[i])
			return errors.Join(err, s.SendMessage(context.Background(), m, more(i, len(parts))...))
		})
	},
	"SendMessageTo": func(s *zmq.Socket, parts ...[]byte) error {
		if len(parts) != 2 {
			return s.SendMultipart(context.Background(), parts)
		}
		m, err := zmq.NewMessageBytes(parts[1])
		return errors.Join(err, s.SendMessageTo(context.Background(), parts[0], m))
	},
	"SendMultipartMessage": func(s *zmq.Socket, parts ...[]byte) error {
		p := make(zmq.Multipart, len(parts))
		err := repeat(len(parts), func(i int) error {
			defer func() { copy(p[i].Bytes(), parts[i]) }()
			return p[i].Alloc(len(parts[i]))
		})
		return errors.Join(err, s.SendMultipartMessage(context.Background(), p), p.Close())
	},
	"SendBatch":            func(s *zmq.Socket, parts ...[]byte) error { return sendAsBatch(s, parts, false) },
	"SendBatch with slots": func(s *zmq.Socket, parts ...[]byte) error { return sendAsBatch(s, parts, true) },
}

func sendAsBatch(s *zmq.Socket, parts [][]byte, slots bool) error {
	b := zmq.NewBatch(1)
	defer b.Close()
	if err := b.Append(parts...); err != nil {
		return err
	}
	if slots {
		b.At(0)
	}
	return errOf(s.SendBatch(context.Background(), b))
}

// ends are the ways in which the calls on a socket end for good, and their error.
var ends = map[string]struct {
	end  func(zctx *zmq.Context, s *zmq.Socket) error
	want error
}{
	"close":         {func(_ *zmq.Context, s *zmq.Socket) error { return s.Close() }, zmq.ErrClosed},
	"shutdown":      {func(zctx *zmq.Context, _ *zmq.Socket) error { return zctx.Shutdown() }, zmq.ErrTerminated},
	"context close": {func(zctx *zmq.Context, _ *zmq.Socket) error { return zctx.Close() }, zmq.ErrClosed},
}

// The end of the socket or of its context ends each call while it waits, and refuses those
// that follow. Nothing was sent.
func TestEndOfEveryCall(t *testing.T) {
	forEveryCall(t, func(t *testing.T, c call, sends bool, s *zmq.Socket, _ func() *zmq.Socket) {
		for name, e := range ends {
			zctx := newContext(t)
			s := newSocket(t, zctx, s.Type())
			result := make(chan string, 1)
			done := async(func() error { got, err := c(context.Background(), s); result <- got; return err })
			awaitParked(t, s, 1)
			for range 2 {
				require.NoError(t, e.end(zctx, s), name)
			}
			for range 2 {
				require.ErrorIs(t, <-done, e.want, name)
				require.Equal(t, sends, <-result == "1", "what was not sent is still there")
				done = async(func() error { got, err := c(context.Background(), s, zmq.DontWait); result <- got; return err })
			}
			require.ErrorIs(t, errOf(zctx.NewSocket(zmq.Pull)), map[bool]error{true: nil, false: e.want}[name == "close"], name)
		}
	})
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
