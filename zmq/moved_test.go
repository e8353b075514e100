package zmq_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A part of a batch that is received into is the batch's still: nothing that it
// holds afterwards is released twice.
func TestReceiveIntoPartsOfABatch(t *testing.T) {
	t.Parallel()
	for _, ahead := range []int{0, 10} {
		a, s := pair(t, zmq.Dealer, zmq.Dealer, inprocName())
		require.NoError(t, s.Set(zmq.ReadAhead.To(ahead)))
		b := newBatch(t, 4)
		require.NoError(t, b.Append([]byte("one"), []byte("two")))
		message := [][]byte{payload(1000), payload(2000), payload(3000), payload(4000), payload(5000)}
		for range 2 {
			require.NoError(t, a.SendMultipart(context.Background(), message))
		}
		for range 2 {
			p := b.At(0)
			require.NoError(t, s.RecvMultipartMessage(context.Background(), &p))
			requireParts(t, message, p.Bytes())
			require.NoError(t, p.Close())
		}
		b.Reset()
	}
}

// What was appended can be looked at and cloned, and more appended, before anything
// else was done with libzmq: see also TestAborts.
func TestEmptyBatchStaysPacked(t *testing.T) {
	t.Parallel()
	b := newBatch(t, 4)
	require.Nil(t, b.At(0))
	for range b.All() {
		require.Fail(t, "a message in an empty batch")
	}
	require.NoError(t, b.Append([]byte("one")))
	c, err := b.At(0)[0].Clone()
	require.NoError(t, err)
	require.Equal(t, "one", string(c.Bytes()))
	require.NoError(t, c.Close())
	require.NoError(t, b.Append([]byte("two")))
	require.Equal(t, "two", string(b.At(1)[0].Bytes()))
}
