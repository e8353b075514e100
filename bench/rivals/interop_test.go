package rivals

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	zmq4 "github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/plain"
	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

// These tests are those of package interop, with a peer that does not use libzmq:
// go-zeromq/zmq4, as server and as client, over tcp and ipc, with NULL and PLAIN. It has no
// CURVE.

// meeting has a socket of go-zmq and one of go-zeromq, which are connected.
type meeting struct {
	ours   *zmq.Socket
	theirs zmq4.Socket
}

var exchanged = []int{0, 1, 32, 33, 255, 256, 8192, 70_000, 1 << 20}

// frames returns message i, of one to three parts.
func frames(i int) [][]byte {
	parts := make([][]byte, 1+i%3)
	for k := range parts {
		size := exchanged[(i+k)%len(exchanged)]
		parts[k] = bytes.Repeat([]byte{byte(i), 0, 0xff, byte(k)}, size/4+1)[:size]
	}
	return parts
}

func (m meeting) send(t *testing.T, i int) {
	t.Helper()
	require.NoError(t, m.ours.SendMultipart(t.Context(), frames(i)))
}

func (m meeting) expect(t *testing.T, i int) {
	t.Helper()
	got, err := m.ours.RecvMultipart(t.Context())
	require.NoError(t, err)
	equal(t, frames(i), got)
}

func (m meeting) theySend(t *testing.T, i int) {
	t.Helper()
	// Some of their socket types do not wait until a peer is connected.
	var err error
	for since := time.Now(); time.Since(since) < time.Minute; time.Sleep(time.Millisecond) {
		err = m.theirs.SendMulti(zmq4.NewMsgFrom(frames(i)...))
		if err == nil || !strings.Contains(err.Error(), "no connections available") {
			break
		}
	}
	require.NoError(t, err)
}

func (m meeting) theyExpect(t *testing.T, i int) {
	t.Helper()
	got, err := m.theirs.Recv()
	require.NoError(t, err)
	equal(t, frames(i), got.Frames)
}

func equal(t *testing.T, want, got [][]byte) {
	t.Helper()
	require.Len(t, got, len(want))
	for k := range want {
		require.True(t, bytes.Equal(want[k], got[k]), "part %d has %d bytes, wanted %d, or other content", k, len(got[k]), len(want[k]))
	}
}

// overMeetings runs a test over tcp and ipc, with each side as the server, and with each
// mechanism.
func overMeetings(t *testing.T, kind zmq.SocketType, theirs func(context.Context, ...zmq4.Option) zmq4.Socket, test func(t *testing.T, m meeting)) {
	t.Helper()
	for _, transport := range []string{"tcp", "ipc"} {
		for _, server := range []string{"go-zmq", "go-zeromq"} {
			for _, mechanism := range []string{"null", "plain"} {
				t.Run(fmt.Sprintf("transport=%s/server=%s/mechanism=%s", transport, server, mechanism), func(t *testing.T) {
					if kind == zmq.Req && server == "go-zmq" && mechanism == "plain" {
						t.Skip("libzmq sends no request of a REQ that binds and has its clients authenticated")
					}
					test(t, meet(t, kind, theirs, transport, server == "go-zmq", mechanism == "plain"))
				})
			}
		}
	}
}

func meet(t *testing.T, kind zmq.SocketType, open func(context.Context, ...zmq4.Option) zmq4.Socket, transport string, weBind, withPlain bool) meeting {
	t.Helper()
	const user, password = "ada", "engine"
	listen, dial := "tcp://127.0.0.1:*", "tcp://127.0.0.1:0"
	if transport == "ipc" {
		// The path of t.TempDir can be too long for a socket.
		dir, err := os.MkdirTemp("", "zmq")
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
		listen, dial = "ipc://"+dir+"/s", "ipc://"+dir+"/s"
	}
	zctx := zmqtest.NewContext(t)
	settings := []zmq.Setting{zmq.RecvTimeout.To(time.Minute), zmq.SendTimeout.To(time.Minute)}
	options := []zmq4.Option{zmq4.WithTimeout(time.Minute)}
	switch {
	case withPlain && weBind:
		auth, err := zap.Start(zctx, zap.Policy{Plain: func(_, u, p string) bool { return u == user && p == password }})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, auth.Close()) })
		settings = append(settings, zmq.AsPlainServer("interop"))
	case withPlain:
		settings = append(settings, zmq.AsPlainClient(user, password))
	}
	if withPlain {
		options = append(options, zmq4.WithSecurity(plain.Security(user, password)))
	}
	ours := zmqtest.NewSocket(t, zctx, kind, settings...)
	theirs := open(t.Context(), options...)
	t.Cleanup(func() { _ = theirs.Close() })
	if weBind {
		require.NoError(t, ours.Bind(listen))
		require.NoError(t, theirs.Dial(zmqtest.LastEndpoint(t, ours)))
		return meeting{ours, theirs}
	}
	require.NoError(t, theirs.Listen(dial))
	if transport == "tcp" {
		dial = "tcp://" + theirs.Addr().String()
	}
	require.NoError(t, ours.Connect(dial))
	return meeting{ours, theirs}
}

const exchanges = 200

// The delimiter of a request is its first empty part. The REP of go-zeromq 0.17.0 uses the
// last one, so these requests have no empty part.
func TestGoZeroMQRep(t *testing.T) {
	overMeetings(t, zmq.Req, zmq4.NewRep, func(t *testing.T, m meeting) {
		for i := range exchanges {
			request := append(frames(i), []byte("end"))
			request = slices.DeleteFunc(request, func(part []byte) bool { return len(part) == 0 })
			require.NoError(t, m.ours.SendMultipart(t.Context(), request))
			got, err := m.theirs.Recv()
			require.NoError(t, err)
			equal(t, request, got.Frames)
			m.theySend(t, i+1)
			m.expect(t, i+1)
		}
	})
}

func TestGoZeroMQReq(t *testing.T) {
	overMeetings(t, zmq.Rep, zmq4.NewReq, func(t *testing.T, m meeting) {
		for i := range exchanges {
			m.theySend(t, i)
			m.expect(t, i)
			m.send(t, i+1)
			m.theyExpect(t, i+1)
		}
	})
}

func TestGoZeroMQPull(t *testing.T) {
	overMeetings(t, zmq.Push, zmq4.NewPull, func(t *testing.T, m meeting) {
		for i := range exchanges {
			m.send(t, i)
			m.theyExpect(t, i)
		}
	})
}

func TestGoZeroMQPush(t *testing.T) {
	overMeetings(t, zmq.Pull, zmq4.NewPush, func(t *testing.T, m meeting) {
		for i := range exchanges {
			m.theySend(t, i)
			m.expect(t, i)
		}
	})
}

func TestGoZeroMQPair(t *testing.T) {
	overMeetings(t, zmq.Pair, zmq4.NewPair, func(t *testing.T, m meeting) {
		for i := range exchanges {
			m.send(t, i)
			m.theyExpect(t, i)
			m.theySend(t, i+1)
			m.expect(t, i+1)
		}
	})
}

// The ROUTER receives the routing id of their DEALER and replies to it.
func TestGoZeroMQDealer(t *testing.T) {
	open := func(ctx context.Context, options ...zmq4.Option) zmq4.Socket {
		return zmq4.NewDealer(ctx, append(options, zmq4.WithID(zmq4.SocketIdentity("pure go")))...)
	}
	overMeetings(t, zmq.Router, open, func(t *testing.T, m meeting) {
		for i := range exchanges {
			m.theySend(t, i)
			got, err := m.ours.RecvMultipart(t.Context())
			require.NoError(t, err)
			require.Equal(t, "pure go", string(got[0]))
			equal(t, frames(i), got[1:])
			require.NoError(t, m.ours.SendMultipart(t.Context(), append(got[:1:1], frames(i+1)...)))
			m.theyExpect(t, i+1)
		}
	})
}

// Their ROUTER addresses a peer by the routing id that the peer sent.
func TestGoZeroMQRouter(t *testing.T) {
	overMeetings(t, zmq.Dealer, zmq4.NewRouter, func(t *testing.T, m meeting) {
		for i := range exchanges {
			m.send(t, i)
			got, err := m.theirs.Recv()
			require.NoError(t, err)
			equal(t, frames(i), got.Frames[1:])
			require.NoError(t, m.theirs.SendMulti(zmq4.NewMsgFrom(append(got.Frames[:1:1], frames(i+1)...)...)))
			m.expect(t, i+1)
		}
	})
}

// The publisher does not know when the subscription has arrived, so it repeats a message
// until the subscriber receives one.
func TestGoZeroMQSub(t *testing.T) {
	overMeetings(t, zmq.Pub, zmq4.NewSub, func(t *testing.T, m meeting) {
		require.NoError(t, m.theirs.SetOption(zmq4.OptionSubscribe, "yes"))
		publishTo(t,
			func(parts ...[]byte) error { return m.ours.SendMultipart(t.Context(), parts) },
			func() ([][]byte, error) {
				got, err := m.theirs.Recv()
				return got.Frames, err
			})
	})
}

func TestGoZeroMQPub(t *testing.T) {
	overMeetings(t, zmq.Sub, zmq4.NewPub, func(t *testing.T, m meeting) {
		require.NoError(t, m.ours.Subscribe("yes"))
		publishTo(t,
			func(parts ...[]byte) error { return m.theirs.SendMulti(zmq4.NewMsgFrom(parts...)) },
			func() ([][]byte, error) { return m.ours.RecvMultipart(t.Context()) })
	})
}

func publishTo(t *testing.T, publish func(parts ...[]byte) error, recv func() ([][]byte, error)) {
	t.Helper()
	arrived, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		again := time.NewTicker(time.Millisecond)
		defer again.Stop()
		for {
			if err := publish([]byte("yes, sync")); err != nil {
				stopped <- err
				return
			}
			select {
			case <-arrived:
				stopped <- nil
				return
			case <-again.C:
			}
		}
	}()
	_, err := recv()
	close(arrived)
	require.NoError(t, err)
	require.NoError(t, <-stopped)
	for i := range exchanges {
		require.NoError(t, publish(append([][]byte{[]byte("no")}, frames(i)...)...))
		require.NoError(t, publish(append([][]byte{[]byte("yes")}, frames(i)...)...))
		got, err := recv()
		for err == nil && string(got[0]) == "yes, sync" {
			got, err = recv()
		}
		require.NoError(t, err)
		require.Equal(t, "yes", string(got[0]))
		equal(t, frames(i), got[1:])
	}
}
