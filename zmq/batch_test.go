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

// manyMessages returns messages of 1 to 10 parts and of 0 to 70,000 bytes a part.
func manyMessages(n int) (messages [][][]byte) {
	partSizes := []int{0, 1, 28, 29, 30, 33, 34, 100, 1000, 8183, 8192, 70000}
	for i := range n {
		var parts [][]byte
		for part := range 1 + i%10 {
			parts = append(parts, payload(partSizes[(3*i+part*part)%len(partSizes)]))
		}
		messages = append(messages, parts)
	}
	return messages
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

// Messages of all kinds arrive whole and in order, whatever the limits of the
// batches on both ends.
func TestBatchOverTransports(t *testing.T) {
	messages := manyMessages(120)
	transports(t, func(t *testing.T, endpoint string) {
		pull, push := pair(t, zmq.Pull, zmq.Push, endpoint)
		for _, limits := range [][2]int{{1, 1}, {1, 50}, {3, 2}, {50, 1}, {50, 3}, {200, 7}, {200, 200}} {
			out, in := newBatch(t, limits[0]), newBatch(t, limits[1])
			result := async(func() error { return sendAll(push, out, messages) })
			for next := 0; next < len(messages); {
				n := noErr(pull.RecvBatch(context.Background(), in))(t)
				require.Equal(t, n, in.Len())
				require.Positive(t, n)
				require.LessOrEqual(t, n, limits[1])
				seen := 0
				for i, message := range in.All() {
					require.Equal(t, seen, i)
					requireViews(t, messages[next+i], message)
					seen++
				}
				require.Equal(t, n, seen)
				for i := n - 1; i >= 0; i-- { // in any order, and again
					requireViews(t, messages[next+i], in.At(i))
				}
				require.Nil(t, in.At(n))
				require.Nil(t, in.At(-1))
				next += n
			}
			require.NoError(t, <-result)
		}
	})
}

// Received messages are sent on without a copy, and arrive.
func TestBatchForwards(t *testing.T) {
	messages := manyMessages(60)
	transports(t, func(t *testing.T, endpoint string) {
		in, source := pair(t, zmq.Pull, zmq.Push, endpoint)
		sink, out := pair(t, zmq.Pull, zmq.Push, inprocName())
		sent := make(chan error, 1)
		b, got, all := newBatch(t, 16), newBatch(t, 16), newBatch(t, 60)
		go func() { sent <- sendAll(source, all, messages) }()
		for next := 0; next < len(messages); {
			n := noErr(in.RecvBatch(context.Background(), b))(t)
			require.Equal(t, n, noErr(out.SendBatch(context.Background(), b))(t))
			require.Zero(t, b.Len())
			for n > 0 {
				taken := noErr(sink.RecvBatch(context.Background(), got))(t)
				for i, message := range got.All() {
					requireViews(t, messages[next+i], message)
				}
				next, n = next+taken, n-taken
			}
		}
		require.NoError(t, <-sent)
	})
}

func TestBatchContents(t *testing.T) {
	t.Parallel()
	messages := manyMessages(30)
	b := newBatch(t, len(messages))
	for round := range 3 {
		require.Zero(t, b.Len())
		require.Nil(t, b.At(0))
		for i, message := range messages {
			once := make([][]byte, len(message))
			for k := range message {
				once[k] = bytes.Clone(message[k])
			}
			require.NoError(t, b.Append(once...))
			for k := range once {
				clear(once[k]) // Append has copied it
			}
			require.Equal(t, i+1, b.Len())
			requireViews(t, messages[i/2], b.At(i/2)) // appending moves nothing that is there
		}
		require.ErrorIs(t, b.Append([]byte("one too many")), syscall.ENOBUFS)
		require.ErrorIs(t, b.Append(), syscall.EINVAL)
		require.Equal(t, len(messages), b.Len())
		views := b.At(1)
		for i, message := range b.All() {
			requireViews(t, messages[i], message)
		}
		require.Equal(t, 0, b.Skip(0))
		require.Equal(t, 0, b.Skip(-5))
		requireViews(t, messages[1], views)
		for range b.All() {
			break
		}
		switch round {
		case 0:
			b.Reset()
		case 1:
			for left := len(messages); left > 0; left-- {
				requireViews(t, messages[len(messages)-left], b.At(0))
				requireViews(t, messages[len(messages)-1], b.At(left-1))
				require.Equal(t, 1, b.Skip(1))
				require.Equal(t, left-1, b.Len())
			}
			require.Zero(t, b.Skip(1))
		case 2:
			require.Equal(t, len(messages), b.Skip(1000))
		}
	}
	require.NoError(t, b.Close())
	require.NoError(t, b.Close())
	require.NoError(t, b.Append([]byte("after Close")))
	requireViews(t, [][]byte{[]byte("after Close")}, b.At(0))
}

func TestBatchBadInput(t *testing.T) {
	t.Parallel()
	pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
	for _, most := range []int{0, -1, 65536, 1 << 20, -1 << 62} {
		b := zmq.NewBatch(most)
		refused := func(err error) {
			t.Helper()
			requireFails(t, err, syscall.EINVAL, "65535")
		}
		refused(b.Append([]byte("x")))
		_, err := push.SendBatch(context.Background(), b)
		refused(err)
		_, err = pull.RecvBatch(context.Background(), b, zmq.DontWait)
		refused(err)
		require.Zero(t, b.Len())
		require.Nil(t, b.At(0))
		require.Zero(t, b.Skip(1))
		b.Reset()
		for range b.All() {
			t.Error("a message in a batch for none")
		}
		require.NoError(t, b.Close())
	}

	var none *zmq.Batch
	require.ErrorIs(t, none.Append([]byte("x")), syscall.EINVAL)
	require.Zero(t, none.Len())
	require.Nil(t, none.At(0))
	require.Zero(t, none.Skip(1))
	none.Reset()
	for range none.All() {
		t.Error("a message in no batch")
	}
	_, err := push.SendBatch(context.Background(), none)
	requireFails(t, err, syscall.EINVAL, "NewBatch")
	require.ErrorIs(t, errOf(pull.RecvBatch(t.Context(), none)), syscall.EINVAL)
	require.NoError(t, none.Close())

	var zero zmq.Batch
	require.ErrorIs(t, zero.Append([]byte("x")), syscall.EINVAL)
	require.NoError(t, zero.Close())

	b := newBatch(t, 65535)
	n, err := push.SendBatch(context.Background(), b)
	require.NoError(t, err, "nothing to send")
	require.Zero(t, n)
	require.NoError(t, b.Append([]byte("x")))
	require.ErrorIs(t, errOf(push.SendBatch(context.Background(), b, zmq.SendMore)), syscall.EINVAL)
	require.Equal(t, 1, b.Len())
	require.ErrorIs(t, errOf((*zmq.Socket)(nil).SendBatch(context.Background(), b)), zmq.ErrClosed)
	require.ErrorIs(t, errOf(pull.SendBatch(context.Background(), b)), zmq.ErrNotSupported)
	require.Equal(t, 1, b.Len())
	require.ErrorIs(t, errOf(push.RecvBatch(context.Background(), newBatch(t, 1))), zmq.ErrNotSupported)
}

// A part of a batch may be moved on, closed, or received into: the batch still
// knows its messages.
func TestBatchPartsMovedOn(t *testing.T) {
	t.Parallel()
	moves := map[string]func(t *testing.T, m zmq.Multipart){
		"SendMessage of the first part": func(t *testing.T, m zmq.Multipart) {
			pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
			want := bytes.Clone(m[0].Bytes())
			require.NoError(t, push.SendMessage(context.Background(), &m[0]))
			got := recvBytes(t, pull)
			require.True(t, bytes.Equal(want, got))
		},
		"SendMessage with SendMore": func(t *testing.T, m zmq.Multipart) {
			pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
			want := m.Bytes()
			for i := range m {
				require.NoError(t, push.SendMessage(context.Background(), &m[i], more(i, len(m))...))
			}
			requireParts(t, want, recvParts(t, pull))
		},
		"SendMultipartMessage": func(t *testing.T, m zmq.Multipart) {
			pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
			want := m.Bytes()
			require.NoError(t, push.SendMultipartMessage(context.Background(), m))
			requireParts(t, want, recvParts(t, pull))
		},
		"Close": func(t *testing.T, m zmq.Multipart) { require.NoError(t, m.Close()) },
		"Alloc": func(t *testing.T, m zmq.Multipart) { require.NoError(t, m[0].Alloc(100)) },
		"RecvMessage": func(t *testing.T, m zmq.Multipart) {
			pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
			require.NoError(t, push.SendMultipart(context.Background(), [][]byte{{1}, {2}}))
			require.NoError(t, pull.RecvMessage(context.Background(), &m[0]))
			require.NoError(t, pull.RecvMessage(context.Background(), &m[len(m)-1]))
		},
	}
	fills := map[string]func(t *testing.T, b *zmq.Batch, messages [][][]byte){
		"appended": func(t *testing.T, b *zmq.Batch, messages [][][]byte) {
			for _, message := range messages {
				require.NoError(t, b.Append(message...))
			}
		},
		"received": func(t *testing.T, b *zmq.Batch, messages [][][]byte) {
			pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
			require.NoError(t, sendAll(push, newBatch(t, len(messages)), messages))
			require.Equal(t, len(messages), noErr(pull.RecvBatch(context.Background(), b))(t))
		},
	}
	messages := [][][]byte{{payload(100), payload(200)}, {payload(300), payload(10), payload(40)}, {payload(500)}}
	for moveName, move := range moves {
		for fillName, fill := range fills {
			t.Run(fillName+"/"+moveName, func(t *testing.T) {
				t.Parallel()
				b := newBatch(t, 10)
				fill(t, b, messages)
				move(t, b.At(0))
				require.Equal(t, 3, b.Len())
				require.Len(t, b.At(0), 2)
				requireViews(t, messages[1], b.At(1))
				requireViews(t, messages[2], b.At(2))
				require.NoError(t, b.Append([]byte("new")))
				requireViews(t, messages[1], b.At(1))
				require.Nil(t, b.At(4))

				pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
				require.Equal(t, 4, noErr(push.SendBatch(context.Background(), b))(t))
				require.Zero(t, b.Len())
				require.Len(t, recvParts(t, pull), 2, "still one message of two parts")
				for _, want := range append(messages[1:], [][]byte{[]byte("new")}) {
					requireParts(t, want, recvParts(t, pull))
				}

				fill(t, b, messages)
				move(t, b.At(0))
				require.Equal(t, 1, b.Skip(1))
				require.Equal(t, 2, b.Len())
				requireViews(t, messages[1], b.At(0))
			})
		}
	}
}
