//go:build unix

package aborts

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// tryMonitors binds, connects and closes sockets while two monitors have more events than their
// queues hold, and are not read.
func tryMonitors(t *testing.T) {
	for _, last := range []string{"monitor", "socket", "context", "none"} {
		zctx, err := zmq.NewContext()
		require.NoError(t, err)
		s, pull, push := zmqtest.NewSocket(t, zctx, zmq.Pull), zmqtest.NewSocket(t, zctx, zmq.Pull), zmqtest.NewSocket(t, zctx, zmq.Push)
		unread, other := zmqtest.Monitor(t, s, zmq.EventAll), zmqtest.Monitor(t, s, zmq.EventAll)
		zmqtest.Connect(t, pull, push, "tcp://127.0.0.1:*")
		require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
		address := zmqtest.LastEndpoint(t, s)
		for range 700 { // events each: accepted, failed, disconnected
			conn, err := net.Dial("tcp", strings.TrimPrefix(address, "tcp://"))
			require.NoError(t, err)
			require.NoError(t, conn.(*net.TCPConn).SetLinger(0))
			require.NoError(t, conn.Close())
		}
		// The same thread of libzmq serves these.
		zmqtest.RequireWorks(t, push, pull)
		require.NoError(t, s.Bind(zmqtest.InprocName()))
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		switch last {
		case "monitor":
			err = errors.Join(s.Close(), zctx.CloseContext(ctx), unread.Close(), other.Close())
		case "socket":
			err = errors.Join(zctx.CloseContext(ctx), unread.Close(), s.Close())
		case "context":
			err = errors.Join(unread.Close(), s.Close(), zctx.CloseContext(ctx))
		case "none":
			err = zctx.CloseContext(ctx)
		}
		cancel()
		require.NoError(t, err)
	}
}

// tryConflate uses sockets with Conflate as they may be used, which is with messages
// of one part, and closes them while some are under way.
func tryConflate(t *testing.T) {
	for _, types := range [][2]zmq.SocketType{{zmq.Pull, zmq.Push}, {zmq.Dealer, zmq.Dealer}, {zmq.Sub, zmq.Pub}} {
		for _, endpoint := range zmqtest.ConflateEndpoints() {
			zctx := zmqtest.NewContext(t)
			from, to := zmqtest.NewSocket(t, zctx, types[1]), zmqtest.NewSocket(t, zctx, types[0], zmq.Conflate.To(true))
			if types[0] == zmq.Sub {
				require.NoError(t, to.Subscribe(""))
			}
			zmqtest.Connect(t, from, to, endpoint)
			stop := make(chan struct{})
			var sender sync.WaitGroup
			sender.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-stop:
						return
					default:
						_ = from.Send(context.Background(), []byte(fmt.Sprint(i)), zmq.DontWait)
					}
				}
			})
			for range 20 {
				_, err := to.RecvBytes(zmqtest.Within(t))
				require.NoError(t, err)
			}
			require.NoError(t, to.Close())
			close(stop)
			sender.Wait()
		}
	}
}

// tryManyItems waits for more sockets than the process may have descriptors.
func tryManyItems(t *testing.T) {
	zctx := zmqtest.NewContext(t)
	p, err := poller.New()
	require.NoError(t, err)
	push := zmqtest.NewSocket(t, zctx, zmq.Push)
	var last *zmq.Socket
	for range 100 {
		last = zmqtest.NewSocket(t, zctx, zmq.Pull)
		require.NoError(t, p.Add(last, poller.In))
	}
	zmqtest.Connect(t, last, push, zmqtest.InprocName())
	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 50, Max: before.Max}))
	_, err = p.Poll(0)
	require.NoError(t, err)
	require.NoError(t, push.Send(context.Background(), []byte("x")))
	events, err := p.Poll(30 * time.Second)
	require.NoError(t, err)
	require.Len(t, events, 1)
	require.Equal(t, last, events[0].Socket)
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before))
	require.NoError(t, p.Close())
}

// The greetings and first messages of peers that speak ZMTP 1.0 and 2.0: an empty
// routing id, then what each type may take, in two parts.
func oldGreetings() []string {
	const empty, more, end = "\x01\x00", "\x03\x01ab", "\x03\x00cd"
	v2 := func(typ byte) string {
		return "\xff\x00\x00\x00\x00\x00\x00\x00\x01\x7f\x01" + string([]byte{typ}) + "\x00\x00" + "\x01\x02ab" + "\x00\x02cd"
	}
	return []string{
		empty + more + end, empty + "\x03\x00\x01t", empty,
		v2(byte(zmq.Dealer)), v2(byte(zmq.Push)), v2(byte(zmq.Sub)), v2(byte(zmq.Req)),
		"\xff\x00\x00\x00\x00\x00\x00\x00\x01\x7f\x00\x00" + "\x02\x00ab",
	}
}

// tryOldPeers lets such peers connect and send, and ends the connection or the
// socket while they do.
func tryOldPeers(t *testing.T) {
	for _, typ := range []zmq.SocketType{zmq.Router, zmq.Dealer, zmq.Pull, zmq.XPub, zmq.Rep} {
		zctx := zmqtest.NewContext(t)
		for round := range 10 {
			s := zmqtest.NewSocket(t, zctx, typ, zmq.RecvHWM.To(1+round%3))
			require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
			endpoint := zmqtest.LastEndpoint(t, s)
			var peers sync.WaitGroup
			for _, greeting := range oldGreetings() {
				peers.Go(func() {
					for range 4 {
						conn, err := net.Dial("tcp", strings.TrimPrefix(endpoint, "tcp://"))
						if err != nil {
							return // closed already
						}
						_ = conn.SetDeadline(time.Now().Add(time.Duration(round) * time.Millisecond))
						_, _ = conn.Write([]byte(greeting))
						_, _ = conn.Read(make([]byte, 20))
						_ = conn.Close()
					}
				})
			}
			for range 10 * round {
				if parts, err := s.RecvMultipart(context.Background(), zmq.DontWait); err == nil {
					_ = s.SendMultipart(context.Background(), parts, zmq.DontWait)
				}
				time.Sleep(50 * time.Microsecond) // the peers' turn
			}
			if round%2 == 1 {
				_ = s.Unbind(endpoint)
			}
			require.NoError(t, s.Close())
			peers.Wait()
		}
		require.NoError(t, zctx.Close())
	}
}

// tryCurveContexts makes encrypted connections while other contexts, which have such
// connections too, begin and end: before 4.3.5 the source of random numbers is opened
// and closed with each.
func tryCurveContexts(t *testing.T) {
	keys, err := zmq.NewCurveKeys()
	needs(t, err, zmq.Has("curve"), "curve", "libsodium")
	var all sync.WaitGroup
	errs := make(chan error, 4)
	for range cap(errs) {
		all.Go(func() { errs <- curveContexts(t.Context(), keys, 15) })
	}
	all.Wait()
	close(errs)
	for e := range errs {
		require.NoError(t, e)
	}
}

// curveContexts makes n contexts, one after the other, with an encrypted connection.
func curveContexts(ctx context.Context, keys zmq.CurveKeys, n int) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for range n {
		zctx, err := zmq.NewContext()
		if err != nil {
			return err
		}
		pull, err := zctx.NewSocket(zmq.Pull, zmq.AsCurveServer(keys.Secret, zmq.AllowAnyClient()))
		if err != nil {
			return errors.Join(err, zctx.Close())
		}
		push, err := zctx.NewSocket(zmq.Push, zmq.AsCurveClient(keys.Public))
		if err != nil {
			return errors.Join(err, zctx.Close())
		}
		err = pull.Bind("tcp://127.0.0.1:*")
		endpoint, lastErr := pull.LastEndpoint()
		err = errors.Join(err, lastErr, push.Connect(endpoint), push.Send(ctx, []byte("x")))
		_, recvErr := pull.RecvBytes(ctx)
		if err = errors.Join(err, recvErr, zctx.Close()); err != nil {
			return err
		}
	}
	return nil
}
