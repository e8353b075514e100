package core

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// The routing id stays with its message, whichever way that takes through the socket:
// received at once, read ahead, taken out for a sender, or given back.
func TestRoutingIDsStayWithMessages(t *testing.T) {
	t.Parallel()
	c := newContext(t)
	if !libzmq.Has("draft") {
		require.EqualValues(t, -int(syscall.ENOTSUP), new(libzmq.Msg).RoutingID(), "there are none")
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	server := newTestSocket(t, c, libzmq.Server, 0)
	require.NoError(t, server.Bind("tcp://127.0.0.1:*"))
	clients, ids := make([]*Socket, 3), make([]uint32, 3)
	buf := make([]byte, 10)
	for i := range clients {
		clients[i] = newTestSocket(t, c, libzmq.Client, 0)
		require.NoError(t, clients[i].Connect(server.Endpoint()))
		require.NoError(t, clients[i].Send(ctx, []byte{byte(i)}, false))
		_, id, _, err := server.RecvAddressed(ctx, buf, false)
		require.NoError(t, err)
		require.NotZero(t, id)
		require.NotContains(t, ids[:i], id)
		ids[i] = id
	}
	for _, ahead := range []int{0, 2, 3, 100} {
		require.NoError(t, server.SetReadAhead(ahead))
		const rounds = 300
		for range rounds {
			for i, client := range clients {
				require.NoError(t, client.Send(ctx, []byte{byte(i)}, false))
			}
		}
		for n := range len(clients) * rounds {
			if n%7 == 0 { // given back
				var msgs []libzmq.Msg
				require.NoError(t, server.RecvMsgs(ctx, &msgs, false))
				require.EqualValues(t, ids[msgs[0].Bytes()[0]], msgs[0].RoutingID())
				server.PutBack(msgs)
			}
			if n%3 == 0 { // taken out for a sender
				h := server.lock.Lock()
				h.in.Append(h.handle, 0)
				server.lock.Unlock()
			}
			if n%5 == 0 { // received in another way
				n, err := server.Recv(ctx, buf, false)
				require.NoError(t, err)
				require.Equal(t, 1, n)
				continue
			}
			n, id, _, err := server.RecvAddressed(ctx, buf, false)
			require.NoError(t, err)
			require.Equal(t, 1, n)
			require.Equal(t, ids[buf[0]], id)
		}
		_, _, _, err := server.RecvAddressed(ctx, buf, true)
		require.Error(t, err)
	}
}
