package zmqtest_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zmqtest"
)

// A fake and a PAIR of libzmq do the same.
func TestFakeBehavesLikePair(t *testing.T) {
	t.Parallel()
	ctx := zmqtest.Soon(t)
	fakeA, fakeB := zmqtest.FakePair()
	realA, realB := zmqtest.Pair(t, zmq.Pair, zmq.Pair)
	for name, ends := range map[string][2]zmqtest.Conn{"fake": {fakeA, fakeB}, "PAIR": {realA, realB}} {
		t.Run(name, func(t *testing.T) {
			a, b := ends[0], ends[1]
			_, err := b.RecvBytes(ctx, zmq.DontWait)
			require.ErrorIs(t, err, zmq.ErrAgain)

			part := []byte("one")
			require.NoError(t, a.Send(ctx, part))
			copy(part, "---") // the sender keeps its slice
			require.NoError(t, a.Send(ctx, []byte("two"), zmq.SendMore))
			_, err = b.RecvMultipart(ctx)
			require.NoError(t, err)
			_, err = b.RecvMultipart(ctx, zmq.DontWait)
			require.ErrorIs(t, err, zmq.ErrAgain, "the second message is not complete")
			require.NoError(t, a.Send(ctx, []byte("three")))
			require.NoError(t, a.SendMultipart(ctx, [][]byte{[]byte("four"), {}, []byte("five")}))

			got, err := b.RecvBytes(ctx)
			require.NoError(t, err)
			require.Equal(t, "two", string(got))
			require.True(t, b.RecvMore())
			rest, err := b.RecvMultipart(ctx)
			require.NoError(t, err)
			require.Equal(t, [][]byte{[]byte("three")}, rest)
			require.False(t, b.RecvMore())

			buf := make([]byte, 2)
			_, err = b.Recv(ctx, buf)
			require.ErrorIs(t, err, io.ErrShortBuffer)
			var short *zmq.TruncatedError
			require.ErrorAs(t, err, &short)
			require.Equal(t, 4, short.Size)
			n, err := b.Recv(ctx, buf)
			require.NoError(t, err)
			require.Zero(t, n)
			_, err = b.RecvBytes(ctx)
			require.NoError(t, err)

			require.ErrorIs(t, a.SendMultipart(ctx, nil), zmqError(t, realA.SendMultipart(ctx, nil)))
			done, cancel := context.WithCancel(ctx)
			cancel()
			_, err = b.RecvBytes(done)
			require.ErrorIs(t, err, context.Canceled)
			require.NoError(t, b.Close())
			require.NoError(t, b.Close())
			_, err = b.RecvBytes(ctx)
			require.ErrorIs(t, err, zmq.ErrClosed)
		})
	}
}

// zmqError returns the error number of an error.
func zmqError(t *testing.T, err error) error {
	t.Helper()
	var e *zmq.Error
	require.ErrorAs(t, err, &e)
	return e.Errno
}

func TestFakeEndsWithItsPeer(t *testing.T) {
	t.Parallel()
	ctx := zmqtest.Soon(t)
	a, b := zmqtest.FakePair()
	require.NoError(t, a.Send(ctx, []byte("last")))
	require.NoError(t, a.Close())
	require.ErrorIs(t, b.Send(ctx, []byte("x")), zmq.ErrHostUnreachable)
	got, err := b.RecvBytes(ctx)
	require.NoError(t, err)
	require.Equal(t, "last", string(got))
	_, err = b.RecvBytes(ctx)
	require.ErrorIs(t, err, io.EOF)
}

func TestFakeFailEndsBlockedCall(t *testing.T) {
	t.Parallel()
	a, b := zmqtest.FakePair()
	ended := make(chan error)
	go func() {
		_, err := a.RecvBytes(context.Background())
		ended <- err
	}()
	broken := errors.New("broken")
	a.Fail(broken)
	require.ErrorIs(t, <-ended, broken)
	require.NoError(t, b.Send(zmqtest.Soon(t), []byte("x")), "the other end goes on")
	a.Fail(nil)
	_, err := a.RecvBytes(zmqtest.Soon(t))
	require.NoError(t, err)
}

// Senders that outrun the receiver wait for it, and every message arrives once.
func TestFakeIsSafeForManyGoroutines(t *testing.T) {
	t.Parallel()
	ctx := zmqtest.Soon(t)
	const senders, each = 8, 500
	a, b := zmqtest.FakePair()
	var group sync.WaitGroup
	for i := range senders {
		group.Go(func() {
			for j := range each {
				if err := a.SendMultipart(ctx, [][]byte{{byte(i)}, {byte(j >> 8), byte(j)}}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	next := [senders]int{}
	for range senders * each {
		parts, err := b.RecvMultipart(ctx)
		require.NoError(t, err)
		require.Equal(t, next[parts[0][0]], int(parts[1][0])<<8|int(parts[1][1]))
		next[parts[0][0]]++
	}
	group.Wait()
}
