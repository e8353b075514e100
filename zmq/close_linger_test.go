package zmq_test

import (
	"context"
	"maps"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// absent is an endpoint at which nothing listens.
const absent = "tcp://127.0.0.1:1"

// Pending subscriptions do not delay Close unless Linger is set. Sockets of other types linger for
// a second by default.
func TestCloseWithUnsentSubscriptions(t *testing.T) {
	t.Parallel()
	ends := maps.Clone(ends)
	delete(ends, "context close") // which follows in any case
	ends["nothing"], ends["disconnect"] = ends["close"], ends["close"]
	for _, typ := range []zmq.SocketType{zmq.Sub, zmq.XSub, zmq.Dish} {
		for name, e := range ends {
			t.Run(typ.String()+"/"+name, func(t *testing.T) {
				if typ == zmq.Dish && !hasDrafts(t, typ) {
					return
				}
				requireNoLinger(t, func() time.Duration {
					zctx := newContext(t)
					s := noErr(zctx.NewSocket(typ))(t)
					require.NoError(t, s.Connect(deadEndpoint(t)))
					if typ == zmq.Dish {
						require.NoError(t, s.Join("weather"))
					} else {
						subscribe(t, s, "weather")
					}
					begin := time.Now()
					switch name {
					case "nothing":
					case "disconnect":
						require.NoError(t, s.Disconnect(last(t, s)))
					default:
						require.NoError(t, e.end(zctx, s))
					}
					require.NoError(t, zctx.Close())
					return time.Since(begin)
				})
			})
		}
	}
	t.Run("with Linger", func(t *testing.T) {
		const period = 100 * time.Millisecond
		zctx := newContext(t)
		s := noErr(zctx.NewSocket(zmq.XSub, zmq.Linger.To(period)))(t)
		require.NoError(t, s.Connect(deadEndpoint(t)))
		subscribe(t, s, "weather")
		begin := time.Now()
		require.NoError(t, zctx.Close())
		require.GreaterOrEqual(t, time.Since(begin), period*9/10)
	})
}

// requireNoLinger distinguishes a close of some milliseconds from one that lingers for a second. A
// lingering close always takes that long, a stalled machine only sometimes.
func requireNoLinger(t *testing.T, closing func() time.Duration) {
	t.Helper()
	var took time.Duration
	for range 5 {
		if took = closing(); took < 900*time.Millisecond {
			return
		}
	}
	require.Fail(t, "closing lingers", "%v", took)
}

// Messages for which a peer of the same context had no room any more are unsent
// messages like others: Close waits for as long as they linger.
func TestCloseWithUnsentMessagesToItself(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	pull := noErr(zctx.NewSocket(zmq.Pull, zmq.RecvHWM.To(2)))(t)
	require.NoError(t, pull.Bind("tcp://127.0.0.1:*"))
	endpoint := last(t, pull)
	push, err := zctx.NewSocket(zmq.Push, zmq.Linger.To(time.Minute), zmq.SendHWM.To(2), zmq.SendTimeout.To(time.Second))
	require.NoError(t, err)
	require.NoError(t, push.Connect(endpoint))
	require.NoError(t, push.WaitConnected(within(t), 1))
	part := make([]byte, 1<<20)
	for err == nil { // until the connection is full as well
		err = push.Send(context.Background(), part)
	}
	require.ErrorIs(t, err, zmq.ErrAgain)
	ctx := timeout(t, 50*time.Millisecond)
	requireFails(t, zctx.CloseContext(ctx), context.DeadlineExceeded, "PUSH "+endpoint)
	require.NoError(t, zctx.Close(), "the bound shortened the minute")
}

// The connections that Disconnect and Unbind end do not outlive the default linger period
// either, whatever else libzmq would do with them.
func TestCloseAfterEndingConnections(t *testing.T) {
	t.Parallel()
	for _, typ := range []zmq.SocketType{zmq.Push, zmq.Dealer} {
		t.Run(typ.String()+"/Disconnect", func(t *testing.T) {
			t.Parallel()
			zctx := newContext(t)
			s := noErr(zctx.NewSocket(typ))(t)
			dead := deadEndpoint(t)
			require.NoError(t, s.Connect(dead))
			require.NoError(t, s.SendString(context.Background(), "never"))
			require.NoError(t, s.Disconnect(dead))
			require.Negative(t, zmqtest.Get(t, zmq.Linger, s), "what libzmq says is not changed")
			require.NoError(t, zctx.CloseContext(within(t)))
		})
		t.Run(typ.String()+"/Unbind", func(t *testing.T) {
			t.Parallel()
			zctx := newContext(t)
			s, err := zctx.NewSocket(typ, zmq.SendHWM.To(2), zmq.SendTimeout.To(time.Second))
			require.NoError(t, err)
			require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
			endpoint := last(t, s)
			deaf := newSocket(t, newContext(t), zmq.Pull, zmq.RecvHWM.To(2))
			if typ == zmq.Dealer {
				deaf = newSocket(t, newContext(t), zmq.Dealer, zmq.RecvHWM.To(2))
			}
			require.NoError(t, deaf.Connect(endpoint))
			part := make([]byte, 1<<20)
			for err == nil { // until the connection is full as well
				err = s.Send(context.Background(), part)
			}
			require.ErrorIs(t, err, zmq.ErrAgain)
			require.NoError(t, s.Unbind(endpoint))
			require.NoError(t, zctx.CloseContext(within(t)))
		})
	}
}

// What Disconnect left behind with a negative Linger waits for as long as it takes, and
// CloseContext for as long as it may.
func TestCloseAfterDisconnectForEver(t *testing.T) {
	t.Parallel()
	zmqtest.NeedIPC(t)
	zctx := newContext(t)
	push := noErr(zctx.NewSocket(zmq.Push, zmq.Linger.To(-1)))(t)
	endpoint := "ipc://" + filepath.Join(t.TempDir(), "s")
	require.NoError(t, push.Connect(endpoint))
	require.NoError(t, push.SendString(context.Background(), "kept"))
	require.NoError(t, push.Disconnect(endpoint))
	ctx := timeout(t, 10*time.Millisecond)
	requireFails(t, zctx.CloseContext(ctx), context.DeadlineExceeded, "PUSH "+endpoint)

	pull := newSocket(t, newContext(t), zmq.Pull)
	require.NoError(t, pull.Bind(endpoint))
	require.Equal(t, "kept", recvString(t, pull))
	require.NoError(t, zctx.Close())
}

// With Blocky false a socket whose Linger was not set does not linger, whether the socket or
// its context is closed; a Linger that is set counts.
func TestBlockyFalseDoesNotLinger(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before   bool // the socket was there before the option
		settings []zmq.Setting
		end      func(zctx *zmq.Context, push *zmq.Socket) error
		lingers  bool
	}{
		"context":            {end: func(*zmq.Context, *zmq.Socket) error { return nil }},
		"shutdown":           {end: ends["shutdown"].end},
		"socket":             {end: ends["close"].end},
		"Linger":             {lingers: true, settings: []zmq.Setting{zmq.Linger.To(-1)}},
		"socket made before": {lingers: true, before: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			closing := func() time.Duration {
				zctx := newContext(t, zmq.Blocky.To(test.before))
				push := noErr(zctx.NewSocket(zmq.Push, test.settings...))(t)
				require.NoError(t, zctx.Set(zmq.Blocky.To(false)))
				require.Equal(t, test.lingers, zmqtest.Get(t, zmq.Linger, push) < 0)
				require.NoError(t, push.Connect(absent))
				require.NoError(t, push.SendString(context.Background(), "unsent"))
				begin := time.Now()
				if test.lingers {
					require.ErrorIs(t, zctx.CloseContext(timeout(t, 100*time.Millisecond)), context.DeadlineExceeded)
				} else {
					require.NoError(t, test.end(zctx, push))
				}
				require.NoError(t, zctx.Close())
				return time.Since(begin)
			}
			if test.lingers {
				closing()
				return
			}
			requireNoLinger(t, closing)
		})
	}
}
