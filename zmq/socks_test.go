package zmq_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// socksProxy is a SOCKS5 proxy (RFC 1928, 1929) for one connection to 127.0.0.1, and says
// which name it was asked for. With a user it wants a password, the name again.
func socksProxy(t *testing.T, user string) (address string, asked <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	name := make(chan string, 1)
	var work sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); work.Wait() })
	work.Go(func() {
		client, err := l.Accept()
		if err != nil {
			return
		}
		defer client.Close()
		host, server := socksHandshake(client, user)
		if server == nil {
			return
		}
		defer server.Close()
		name <- host
		// Without the pipes that package net keeps for copies between connections, which
		// would be taken for a leak.
		relay := func(to io.Writer, from io.Reader) { _, _ = io.Copy(struct{ io.Writer }{to}, struct{ io.Reader }{from}) }
		work.Go(func() { relay(server, client); _ = server.Close() })
		relay(client, server)
	})
	return l.Addr().String(), name
}

// socksHandshake greets a client, and makes the connection that it wants, or none.
func socksHandshake(client net.Conn, user string) (name string, server net.Conn) {
	take := func(n int) string {
		p := make([]byte, n)
		_, _ = io.ReadFull(client, p)
		return string(p)
	}
	text := func() string { return take(int(take(1)[0])) } // behind its length
	method := byte(0)
	if user != "" {
		method = 2
	}
	if take(1); !strings.Contains(text(), string(method)) {
		return "", nil
	}
	_, _ = client.Write([]byte{5, method})
	if user != "" {
		take(1)
		if name, password := text(), text(); name != user || password != user {
			return "", nil
		}
		_, _ = client.Write([]byte{1, 0})
	}
	if request := take(4); request[1] != 1 || request[3] != 3 {
		return "", nil
	}
	name = text()
	port := take(2)
	server, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", int(port[0])<<8|int(port[1])))
	if err != nil {
		return "", nil
	}
	_, _ = client.Write([]byte{5, 0, 0, 1, 127, 0, 0, 1, port[0], port[1]})
	return name, server
}

// Messages go both ways through a SOCKS5 proxy, which looks up the name.
func TestSocksProxy(t *testing.T) {
	t.Parallel()
	for _, user := range []string{"", "somebody"} {
		t.Run("user="+user, func(t *testing.T) {
			t.Parallel()
			proxy, asked := socksProxy(t, user)
			zctx := newContext(t)
			a, b := newSocket(t, zctx, zmq.Pair), newSocket(t, zctx, zmq.Pair, zmq.SocksProxy.To(proxy))
			if user != "" {
				require.NoError(t, b.Set(zmq.SocksUsername.To(user), zmq.SocksPassword.To(user)))
			}
			require.NoError(t, a.Bind(tcp))
			require.NoError(t, b.Connect("tcp://nowhere.example"+strings.TrimPrefix(last(t, a), "tcp://127.0.0.1")))
			zmqtest.RequireWorks(t, b, a)
			zmqtest.RequireWorks(t, a, b)
			require.Equal(t, "nowhere.example", <-asked)
			// Before the other: of one that is gone the proxy has to refuse connections,
			// and a socket to which that happened ends the process when it is closed.
			require.NoError(t, b.Close())
		})
	}
}
