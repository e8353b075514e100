package zmq_test

import (
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
					server, client := newSocket(t, zctx, p.server), newSocket(t, zctx, p.client)
					if p.server == zmq.Router && p.client == zmq.Router {
						require.NoError(t, server.Set(zmq.RoutingID.To([]byte("server")), zmq.RouterMandatory.To(true)))
						require.NoError(t, client.Set(zmq.RoutingID.To([]byte("client")), zmq.RouterMandatory.To(true)))
					}
					if serverBinds {
						connect(t, server, client, endpoint)
					} else {
						connect(t, client, server, endpoint)
					}
					require.NoError(t, server.WaitConnected(soon(t), 1))
					require.NoError(t, client.WaitConnected(soon(t), 1))
					p.talk(t, server, client)
				})
			})
		}
	}
}

func (p pattern) talk(t *testing.T, server, client *zmq.Socket) {
	t.Helper()
	ctx := soon(t)
	if p.server == zmq.Pub || p.server == zmq.XPub {
		subscribe(t, client, "topic")
		require.NoError(t, server.WaitSubscribers(ctx, 1))
		require.NoError(t, server.SendString(ctx, "other topic"))
	}
	for i := range 10 {
		last := fmt.Sprint("number ", i)
		if p.ask == nil {
			require.NoError(t, server.SendMultipart(ctx, [][]byte{[]byte("topic"), []byte(last)}))
			requireNext(t, client, "topic", last)
			continue
		}
		var ask [][]byte
		for _, part := range append(p.ask, last) {
			ask = append(ask, []byte(part))
		}
		require.NoError(t, client.SendMultipart(ctx, ask))
		asked := recvParts(t, server)
		require.Equal(t, last, string(asked[len(asked)-1]))
		require.NoError(t, server.SendMultipart(ctx, asked))
		requireNext(t, client, texts(ask)...)
	}
}
