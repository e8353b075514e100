package zmq_test

import (
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// socksProxy is a SOCKS5 proxy (RFC 1928, 1929) that connects every name it is asked
// for to 127.0.0.1, and says which these were. With a user it wants a password, the
// name again.
func socksProxy(t *testing.T, user string) (address string, asked <-chan string) {
	t.Helper()
	l := noErr(net.Listen("tcp", "127.0.0.1:0"))(t)
	names := make(chan string, 100)
	var work sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); work.Wait() })
	work.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer client.Close()
				name, server, err := socksHandshake(client, user)
				if err != nil {
					return
				}
				defer server.Close()
				names <- name
				work.Go(func() { relay(server, client); _ = server.Close() })
				relay(client, server)
			})
		}
	})
	return l.Addr().String(), names
}

var errNoSocks = errors.New("that is not what this proxy is for")

// socksHandshake greets a client, and makes the connection that it wants.
func socksHandshake(client net.Conn, user string) (name string, server net.Conn, err error) {
	take := func(n int) []byte {
		p := make([]byte, n)
		if err == nil {
			_, err = io.ReadFull(client, p)
		}
		return p
	}
	answer := func(p ...byte) {
		if err == nil {
			_, err = client.Write(p)
		}
	}
	methods := take(int(take(2)[1]))
	method := byte(0)
	if user != "" {
		method = 2
	}
	if !strings.Contains(string(methods), string(method)) {
		return "", nil, errNoSocks
	}
	answer(5, method)
	if user != "" {
		given := string(take(int(take(2)[1])))
		password := string(take(int(take(1)[0])))
		if given != user || password != user {
			return "", nil, errNoSocks
		}
		answer(1, 0)
	}
	request := take(4)
	if request[1] != 1 || request[3] != 3 {
		return "", nil, errors.Join(err, errNoSocks)
	}
	name = string(take(int(take(1)[0])))
	port := take(2)
	if err != nil {
		return "", nil, err
	}
	server, err = net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port[0])<<8|int(port[1]))))
	answer(5, 0, 0, 1, 127, 0, 0, 1, port[0], port[1])
	return name, server, err
}

// Messages go both ways through a SOCKS5 proxy, which looks up the name.
func TestSocksProxy(t *testing.T) {
	t.Parallel()
	for _, user := range []string{"", "somebody"} {
		t.Run("user="+user, func(t *testing.T) {
			t.Parallel()
			proxy, asked := socksProxy(t, user)
			zctx := newContext(t)
			rep, req := newSocket(t, zctx, zmq.Rep), newSocket(t, zctx, zmq.Req, zmq.SocksProxy.To(proxy))
			if user != "" {
				require.NoError(t, req.Set(zmq.SocksUsername.To(user), zmq.SocksPassword.To(user)))
			}
			require.NoError(t, rep.Bind("tcp://127.0.0.1:*"))
			require.NoError(t, req.Connect("tcp://nowhere.example"+strings.TrimPrefix(last(t, rep), "tcp://127.0.0.1")))
			ctx := soon(t)
			require.NoError(t, req.SendString(ctx, "question"))
			got := noErr(rep.RecvString(ctx))(t)
			require.Equal(t, "question", got)
			require.NoError(t, rep.SendString(ctx, "answer"))
			got = noErr(req.RecvString(ctx))(t)
			require.Equal(t, "answer", got)
			require.Equal(t, "nowhere.example", <-asked)
			// Before the server: of one that is gone the proxy has to refuse connections,
			// and a socket to which that happened ends the process when it is closed.
			require.NoError(t, req.Close())
		})
	}
}

// relay copies without the pipes that package net keeps for copies between connections,
// which would be taken for a leak.
func relay(to io.Writer, from io.Reader) {
	_, _ = io.Copy(struct{ io.Writer }{to}, struct{ io.Reader }{from})
}
