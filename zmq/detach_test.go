package zmq_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// libzmq ends a connection in later calls on the socket, and the program may make none.
func TestDetachEndsConnectionsOfIdleSocket(t *testing.T) {
	t.Parallel()
	types := [][2]zmq.SocketType{
		{zmq.Push, zmq.Pull},
		{zmq.Dealer, zmq.Router},
		{zmq.Req, zmq.Rep},
		{zmq.Pub, zmq.Sub},
		{zmq.XPub, zmq.XSub},
		{zmq.Pair, zmq.Pair},
		{zmq.Stream, zmq.Stream},
	}
	if zmq.Has("draft") {
		types = append(types, [2]zmq.SocketType{zmq.Client, zmq.Server}, [2]zmq.SocketType{zmq.Scatter, zmq.Gather})
	}
	detach := map[string]func(binder, connecter *zmq.Socket, endpoint string) (peer *zmq.Socket, err error){
		"Disconnect": func(binder, connecter *zmq.Socket, endpoint string) (*zmq.Socket, error) {
			return binder, connecter.Disconnect(endpoint)
		},
		"Unbind": func(binder, connecter *zmq.Socket, endpoint string) (*zmq.Socket, error) {
			return connecter, binder.Unbind(endpoint)
		},
	}
	for name, end := range detach {
		for _, both := range types {
			for _, order := range [][2]zmq.SocketType{both, {both[1], both[0]}} {
				if name == "Unbind" && order[0] == zmq.Req {
					continue // libzmq looks at its connections in the next request
				}
				t.Run(name+"/"+order[0].String()+" "+order[1].String(), func(t *testing.T) {
					t.Parallel()
					var settings []zmq.Setting
					if order[0] == zmq.Stream { // an Unbind ends a connection when its messages were received
						settings = append(settings, zmq.StreamNotify.To(false))
					}
					binder, connecter := pair(t, order[0], order[1], "tcp://127.0.0.1:*", settings...)
					require.NoError(t, binder.WaitConnected(soon(t), 1))
					require.NoError(t, connecter.WaitConnected(soon(t), 1))
					peer := noErr(end(binder, connecter, last(t, binder)))(t)
					gone(t, peer)
				})
			}
		}
	}
}

// A STREAM, or a ROUTER with RouterRaw, closes a peer's connection with an empty part.
func TestEmptyPartClosesPeerOfIdleSocket(t *testing.T) {
	t.Parallel()
	for name, send := range sendWays {
		for typ, setting := range map[zmq.SocketType]zmq.Setting{zmq.Stream: zmq.StreamNotify.To(false), zmq.Router: zmq.RouterRaw.To(true)} {
			t.Run(typ.String()+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := newSocket(t, newContext(t), typ, setting)
				conn := zmqtest.DialRaw(t, s)
				require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
				noErr(conn.Write([]byte("hello")))(t)
				var parts [][]byte
				require.Eventually(t, func() (got bool) { // without a wait, which starts the watcher
					var err error
					parts, err = s.RecvMultipart(context.Background(), zmq.DontWait)
					return err == nil
				}, patience, time.Millisecond)
				require.NoError(t, send(s, parts[0], []byte("bye")))
				require.NoError(t, send(s, parts[0], nil))
				require.Equal(t, "bye", string(noErr(io.ReadAll(conn))(t)), "then the connection was closed")
			})
		}
	}
}

// The holder of the socket's descriptor waits for a signal, which must not be used up.
func TestDetachKeepsSignalsOfFD(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	pull, idle, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push), newSocket(t, zctx, zmq.Push)
	connect(t, idle, pull, "tcp://127.0.0.1:*")
	connect(t, push, pull, "tcp://127.0.0.1:*")
	require.NoError(t, idle.WaitConnected(soon(t), 1))
	require.NoError(t, push.WaitConnected(soon(t), 1))
	require.NoError(t, pull.WaitConnected(soon(t), 2))
	fd := zmqtest.Get(t, zmq.FD, pull)
	require.NoError(t, pull.Disconnect(last(t, idle)))
	for deadline := time.Now().Add(patience); idle.Stats().Connections > 0; runtime.Gosched() {
		require.True(t, time.Now().Before(deadline), "the connection does not end")
		if libzmq.Readable(fd) { // libzmq requires this of a program that uses the descriptor
			zmqtest.Get(t, zmq.Events, pull)
		}
	}
	for range 20 {
		for { // no signal is left, and no message
			_, err := pull.RecvBytes(context.Background(), zmq.DontWait)
			if errors.Is(err, zmq.ErrAgain) {
				break
			}
			require.NoError(t, err)
		}
		require.NoError(t, push.SendString(context.Background(), "a signal"))
		for deadline := time.Now().Add(patience); !libzmq.Readable(fd); runtime.Gosched() {
			require.True(t, time.Now().Before(deadline), "the signal was used up")
		}
	}
}
