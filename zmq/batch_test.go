package zmq_test

import (
	"bytes"
	"context"
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// newBatch returns a batch that is closed with the test.
func newBatch(t testing.TB, most int) *zmq.Batch {
	t.Helper()
	b := zmq.NewBatch(most)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

// requireViews compares a message of a batch with what it is to be, and its flags.
func requireViews(t testing.TB, want [][]byte, got zmq.Multipart) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range got {
		require.Equal(t, i < len(want)-1, got[i].More())
		require.Equal(t, len(want[i]), got[i].Len())
		require.True(t, bytes.Equal(want[i], got[i].Bytes()), "part %d of %d", i, len(want))
	}
}

// sendAll fills b with messages again and again until all are sent.
func sendAll(s *zmq.Socket, b *zmq.Batch, messages [][][]byte) error {
	for len(messages) > 0 {
		n := 0
		for n < len(messages) && b.Append(messages[n]...) == nil {
			n++
		}
		if sent, err := s.SendBatch(context.Background(), b); err != nil || sent != n || b.Len() != 0 {
			return fmt.Errorf("sent %d of %d, %d left: %w", sent, n, b.Len(), err)
		}
		messages = messages[n:]
	}
	return nil
}

func TestBatchBadInput(t *testing.T) {
	t.Parallel()
	pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
	for b, word := range map[*zmq.Batch]string{
		nil: "the batch is nil", {}: "NewBatch", zmq.NewBatch(0): "65535", zmq.NewBatch(-1): "65535", zmq.NewBatch(65536): "65535", zmq.NewBatch(-1 << 62): "65535",
	} {
		requireFails(t, b.Append([]byte("x")), syscall.EINVAL, word)
		requireFails(t, errOf(push.SendBatch(context.Background(), b)), syscall.EINVAL, word)
		requireFails(t, errOf(pull.RecvBatch(context.Background(), b, zmq.DontWait)), syscall.EINVAL, word)
		require.Zero(t, b.Len()+b.Skip(1))
		require.Nil(t, b.At(0))
		b.Reset()
		for range b.All() {
			t.Error("a message in a batch for none")
		}
		require.NoError(t, b.Close())
	}

	b := newBatch(t, 65535)
	require.Zero(t, noErr(push.SendBatch(context.Background(), b))(t), "nothing to send")
	require.NoError(t, b.Append([]byte("x")))
	require.ErrorIs(t, errOf(push.SendBatch(context.Background(), b, zmq.SendMore)), syscall.EINVAL)
	require.ErrorIs(t, errOf((*zmq.Socket)(nil).SendBatch(context.Background(), b)), zmq.ErrClosed)
	require.ErrorIs(t, errOf(pull.SendBatch(context.Background(), b)), zmq.ErrNotSupported)
	require.Equal(t, 1, b.Len())
	require.ErrorIs(t, errOf(push.RecvBatch(context.Background(), newBatch(t, 1))), zmq.ErrNotSupported)
}

// partMoves use the parts of a message in a batch.
var partMoves = map[string]func(t *testing.T, m zmq.Multipart, pull, push *zmq.Socket){
	"SendMessage of the first part": func(t *testing.T, m zmq.Multipart, pull, push *zmq.Socket) {
		want := bytes.Clone(m[0].Bytes())
		require.NoError(t, push.SendMessage(context.Background(), &m[0]))
		requireArrived(t, pull, want)
	},
	"SendMessage with SendMore": func(t *testing.T, m zmq.Multipart, pull, push *zmq.Socket) {
		want := m.Bytes()
		for i := range m {
			require.NoError(t, push.SendMessage(context.Background(), &m[i], more(i, len(m))...))
		}
		requireParts(t, want, recvParts(t, pull))
	},
	"SendMultipartMessage": func(t *testing.T, m zmq.Multipart, pull, push *zmq.Socket) {
		want := m.Bytes()
		require.NoError(t, push.SendMultipartMessage(context.Background(), m))
		requireParts(t, want, recvParts(t, pull))
	},
	"Close": func(t *testing.T, m zmq.Multipart, _, _ *zmq.Socket) { require.NoError(t, m.Close()) },
	"Alloc": func(t *testing.T, m zmq.Multipart, _, _ *zmq.Socket) { require.NoError(t, m[0].Alloc(100)) },
	"RecvMessage": func(t *testing.T, m zmq.Multipart, pull, push *zmq.Socket) {
		require.NoError(t, push.SendMultipart(context.Background(), [][]byte{{1}, {2}}))
		require.NoError(t, pull.RecvMessage(context.Background(), &m[0]))
		require.NoError(t, pull.RecvMessage(context.Background(), &m[len(m)-1]))
	},
}

// A part of a batch may be moved on, closed, or received into: the batch still
// knows its messages.
func TestBatchPartsMovedOn(t *testing.T) {
	t.Parallel()
	ctx := context.Background()

	messages := [][][]byte{{payload(100), payload(200)}, {payload(300), payload(10), payload(40)}, {payload(500)}}
	for name, move := range partMoves {
		for _, received := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/received=%t", name, received), func(t *testing.T) {
				t.Parallel()
				b := newBatch(t, 10)
				pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
				fillAndMove := func() {
					if received {
						require.NoError(t, sendAll(push, newBatch(t, len(messages)), messages))
						require.Equal(t, len(messages), noErr(pull.RecvBatch(ctx, b))(t))
					} else {
						for _, message := range messages {
							require.NoError(t, b.Append(message...))
						}
					}
					move(t, b.At(0), pull, push)
				}
				fillAndMove()
				require.Equal(t, 3, b.Len())
				require.Len(t, b.At(0), 2)
				requireViews(t, messages[1], b.At(1))
				requireViews(t, messages[2], b.At(2))
				require.NoError(t, b.Append([]byte("new")))
				requireViews(t, messages[1], b.At(1))
				require.Nil(t, b.At(4))
				require.Equal(t, 4, noErr(push.SendBatch(ctx, b))(t))
				require.Zero(t, b.Len())
				require.Len(t, recvParts(t, pull), 2, "still one message of two parts")
				for _, want := range append(messages[1:], [][]byte{[]byte("new")}) {
					requireParts(t, want, recvParts(t, pull))
				}

				fillAndMove()
				require.Equal(t, 1, b.Skip(1))
				require.Equal(t, 2, b.Len())
				requireViews(t, messages[1], b.At(0))
			})
		}
	}
}

// A message that the socket refuses does not stop those before it, and is then the first
// of the batch, so that Skip(1) drops it.
func TestBatchRefusedMessages(t *testing.T) {
	t.Parallel()
	long := append([]byte{1}, payload(4097)...) // a subscription to too long a topic
	xpub, xsub := pair(t, zmq.XPub, zmq.XSub, inprocName())
	b := newBatch(t, 10)
	for _, message := range [][][]byte{
		{long}, {[]byte("1")}, {[]byte("2"), []byte("2")}, {[]byte("ordinary"), long}, {long}, {[]byte("3")}, {long},
	} {
		require.NoError(t, b.Append(message...))
	}
	for _, want := range []struct{ sent, left int }{{0, 7}, {2, 4}, {0, 3}, {1, 1}} {
		sent, err := xsub.SendBatch(context.Background(), b)
		requireFails(t, err, syscall.EINVAL, "4096")
		require.Equal(t, want.sent, sent)
		require.Equal(t, want.left, b.Len())
		message := b.At(0)
		require.Equal(t, long, message[len(message)-1].Bytes())
		require.Equal(t, 1, b.Skip(1))
	}
	require.Zero(t, b.Len())
	require.NoError(t, b.Append([]byte("4")))
	require.Equal(t, 1, noErr(xsub.SendBatch(context.Background(), b))(t))
	for _, want := range []string{"1", "2", "3", "4"} {
		require.Equal(t, want, string(recvParts(t, xpub)[0]))
	}
}
