package zmq_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// Where messages are copied before libzmq gets them, as in every socket of a context in
// which one with Conflate uses inproc, they keep their routing ids and groups.
func TestCopiesKeepTheirAddress(t *testing.T) {
	t.Parallel()
	if !hasDrafts(t, zmq.Server, zmq.Client, zmq.Radio, zmq.Dish) {
		return
	}
	copying := func(t *testing.T) *zmq.Context {
		zctx := newContext(t)
		require.NoError(t, newSocket(t, zctx, zmq.Pull, zmq.Conflate.To(true)).Bind(inprocName()))
		return zctx
	}
	sizes := []int{0, 33, 34, 100, 10_000}

	t.Run("routing id", func(t *testing.T) {
		zctx, ctx := copying(t), within(t)
		server, client := newSocket(t, zctx, zmq.Server), newSocket(t, zctx, zmq.Client)
		connect(t, server, client, "tcp://127.0.0.1:*")
		b := newBatch(t, 1)
		for _, size := range sizes {
			require.NoError(t, client.Send(ctx, payload(size)))
			var m zmq.Message
			require.NoError(t, server.RecvMessage(ctx, &m))
			id, err := m.RoutingID()
			require.NoError(t, err)
			require.NoError(t, b.AppendTo(id, payload(size)))
			require.NoError(t, server.SendMessage(ctx, &m))
			require.NoError(t, server.SendTo(ctx, id, payload(size)))
			_, err = server.SendBatch(ctx, b)
			require.NoError(t, err)
			for range 3 {
				got, err := client.RecvBytes(ctx)
				require.NoError(t, err)
				require.Equal(t, string(payload(size)), string(got))
			}
		}
	})
	t.Run("group", func(t *testing.T) {
		zctx, ctx := copying(t), within(t)
		radio, dish := newSocket(t, zctx, zmq.Radio), newSocket(t, zctx, zmq.Dish)
		connect(t, dish, radio, "tcp://127.0.0.1:*")
		require.NoError(t, dish.Join("fourteen-bytes"))
		joined(t, radio, dish, "fourteen-bytes")
		for _, size := range sizes {
			m, err := zmq.NewMessageBytes(payload(size))
			require.NoError(t, err)
			require.NoError(t, m.SetGroup("fourteen-bytes"))
			require.NoError(t, radio.SendMessage(ctx, m))
			require.NoError(t, radio.SendGroup(ctx, "fourteen-bytes", payload(size)))
			for range 2 {
				require.NoError(t, dish.RecvMessage(ctx, m))
				require.Equal(t, string(payload(size)), string(m.Bytes()))
				group, err := m.Group()
				require.NoError(t, err)
				require.Equal(t, "fourteen-bytes", group)
			}
			require.NoError(t, m.Close())
		}
	})
}
