package zmq_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A view from before the batch grew is empty: closing it leaves the batch alone, which
// would otherwise free the same memory again.
func TestBatchStaleViewsAreEmpty(t *testing.T) {
	t.Parallel()
	const messages = 500
	long := payload(100)
	grows := map[string]func(t *testing.T, b *zmq.Batch) (stale zmq.Multipart){
		"Append": func(t *testing.T, b *zmq.Batch) zmq.Multipart {
			require.NoError(t, b.Append(long))
			require.Len(t, b.At(0), 1) // what follows is native memory of its own
			require.NoError(t, b.Append(long))
			stale := b.At(1)
			for b.Len() < messages {
				require.NoError(t, b.Append(long))
			}
			return stale
		},
		"Append after Skip": func(t *testing.T, b *zmq.Batch) zmq.Multipart {
			require.NoError(t, b.Append(long))
			require.Len(t, b.At(0), 1)
			for range 50 {
				require.NoError(t, b.Append(long))
			}
			require.Equal(t, 50, b.Skip(50))
			stale := b.At(0)
			for b.Len() < messages {
				require.NoError(t, b.Append(long))
			}
			return stale
		},
		"RecvBatch": func(t *testing.T, b *zmq.Batch) zmq.Multipart {
			pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
			require.NoError(t, push.Send(context.Background(), long))
			n, err := pull.RecvBatch(context.Background(), b)
			require.NoError(t, err)
			require.Equal(t, 1, n)
			stale := b.At(0)
			for range messages {
				require.NoError(t, push.Send(context.Background(), long))
			}
			n, err = pull.RecvBatch(context.Background(), b)
			require.NoError(t, err)
			require.Equal(t, messages, n)
			return stale
		},
		"RecvBatch of one message": func(t *testing.T, b *zmq.Batch) zmq.Multipart {
			pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
			require.NoError(t, push.Send(context.Background(), long))
			_, err := pull.RecvBatch(context.Background(), b)
			require.NoError(t, err)
			stale := b.At(0)
			parts := make([][]byte, messages)
			for i := range parts {
				parts[i] = long
			}
			require.NoError(t, push.SendMultipart(context.Background(), parts))
			n, err := pull.RecvBatch(context.Background(), b)
			require.NoError(t, err)
			require.Equal(t, 1, n)
			return stale
		},
	}
	for name, grow := range grows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBatch(t, messages)
			stale := grow(t, b)
			require.Len(t, stale, 1)
			require.Zero(t, stale[0].Len())
			require.NoError(t, stale.Close())
			require.Positive(t, b.Len())
			for _, message := range b.All() {
				for i := range message {
					require.Equal(t, long, message[i].Bytes())
				}
			}
		})
	}
}
