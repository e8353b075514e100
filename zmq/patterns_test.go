package zmq_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A pattern is two types of sockets that exchange messages.
type pattern struct {
	server, client zmq.SocketType
	ask            []string // what the client sends, and gets back as the server received it; nil: the server only sends
}

var patterns = []pattern{
	{zmq.Rep, zmq.Req, []string{"question"}},
	{zmq.Rep, zmq.Dealer, []string{"", "question"}},
	{zmq.Router, zmq.Req, []string{"question", "second part"}},
	{zmq.Router, zmq.Dealer, []string{"question", "", "third part"}},
	{zmq.Router, zmq.Router, []string{"server", "question"}},
	{zmq.Dealer, zmq.Dealer, []string{"question"}},
	{zmq.Pair, zmq.Pair, []string{"question", "second part"}},
	{zmq.Push, zmq.Pull, nil},
	{zmq.Pub, zmq.Sub, nil},
	{zmq.Pub, zmq.XSub, nil},
	{zmq.XPub, zmq.Sub, nil},
	{zmq.XPub, zmq.XSub, nil},
}

// Every type of socket, with each that it can talk to, over every transport, whichever
// of the two is bound.
func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, p := range patterns {
		for _, serverBinds := range []bool{true, false} {
			t.Run(fmt.Sprintf("%v-%v,server-binds=%t", p.server, p.client, serverBinds), func(t *testing.T) {
				t.Parallel()
				transports(t, func(t *testing.T, endpoint string) {
					zctx := trackingContext(t)
					server, client := p.socket(t, zctx, p.server, "server"), p.socket(t, zctx, p.client, "client")
					if p.client == zmq.Sub {
						require.NoError(t, client.Subscribe("topic"))
					}
					if serverBinds {
						connect(t, server, client, endpoint)
					} else {
						connect(t, client, server, endpoint)
					}
					p.talk(t, server, client)
				})
			})
		}
	}
}

func (p pattern) socket(t *testing.T, zctx *zmq.Context, typ zmq.SocketType, id string) *zmq.Socket {
	s := newSocket(t, zctx, typ, zmq.SendTimeout.To(patience), zmq.RecvTimeout.To(patience))
	if p.server == zmq.Router && p.client == zmq.Router {
		require.NoError(t, s.Set(zmq.RoutingID.To([]byte(id)), zmq.RouterMandatory.To(true)))
	}
	return s
}

func (p pattern) talk(t *testing.T, server, client *zmq.Socket) {
	t.Helper()
	require.NoError(t, server.WaitConnected(soon(t), 1))
	require.NoError(t, client.WaitConnected(soon(t), 1))
	if p.client == zmq.XSub {
		require.NoError(t, client.SendString(context.Background(), "\x01topic"))
	}
	if p.server == zmq.Pub || p.server == zmq.XPub {
		require.NoError(t, server.WaitSubscribers(soon(t), 1))
		require.NoError(t, server.SendString(context.Background(), "other topic"))
	}
	for i := range 10 {
		last := fmt.Sprint("number ", i)
		if p.ask == nil {
			require.NoError(t, server.SendMultipart(context.Background(), [][]byte{[]byte("topic"), []byte(last)}))
			got := recvParts(t, client)
			require.Equal(t, []string{"topic", last}, texts(got))
			continue
		}
		var ask [][]byte
		for _, part := range append(p.ask, last) {
			ask = append(ask, []byte(part))
		}
		require.NoError(t, client.SendMultipart(context.Background(), ask))
		asked := recvParts(t, server)
		require.Equal(t, last, string(asked[len(asked)-1]))
		require.NoError(t, server.SendMultipart(context.Background(), asked))
		got := recvParts(t, client)
		require.Equal(t, texts(ask), texts(got))
	}
}
