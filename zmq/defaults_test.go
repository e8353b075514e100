package zmq_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

func TestSocketDefaults(t *testing.T) {
	t.Parallel()
	zctx := newContext(t, zmq.SocketDefaults(zmq.SendTimeout.To(time.Second), zmq.Subscribe.To("a"), zmq.HWM(7)))
	push := newSocket(t, zctx, zmq.Push) // Subscribe is not for it
	timeout := zmqtest.Get(t, zmq.SendTimeout, push)
	require.Equal(t, time.Second, timeout)
	own := newSocket(t, zctx, zmq.Push, zmq.SendTimeout.To(time.Minute))
	timeout = zmqtest.Get(t, zmq.SendTimeout, own)
	require.Equal(t, time.Minute, timeout, "what NewSocket names comes last")

	pub, sub := newSocket(t, zctx, zmq.XPub), newSocket(t, zctx, zmq.Sub)
	connect(t, pub, sub, inprocName())
	require.Equal(t, "\x01a", recvString(t, pub))

	require.NoError(t, zctx.Set(zmq.SocketDefaults()))
	timeout = zmqtest.Get(t, zmq.SendTimeout, newSocket(t, zctx, zmq.Push))
	require.Negative(t, timeout)

	require.NoError(t, zctx.Set(zmq.SocketDefaults(zmq.SendHWM.To(-1))))
	_, err := zctx.NewSocket(zmq.Push)
	requireFails(t, err, syscall.EINVAL, "SNDHWM")
	require.NoError(t, zctx.Set(zmq.SocketDefaults(zmq.Setting{})))
	require.ErrorIs(t, errOf(zctx.NewSocket(zmq.Push)), syscall.EINVAL)
	require.ErrorIs(t, (*zmq.Context)(nil).Set(zmq.SocketDefaults()), zmq.ErrClosed)
}

func TestHWM(t *testing.T) {
	t.Parallel()
	s := newSocket(t, newContext(t), zmq.Dealer, zmq.HWM(3))
	for _, o := range []zmq.Option[int]{zmq.SendHWM, zmq.RecvHWM} {
		require.Equal(t, 3, noErr(o.Get(s))(t))
	}
	require.ErrorIs(t, s.Set(zmq.HWM(-1)), syscall.EINVAL)
	require.NoError(t, s.Bind(inprocName()))
	require.ErrorIs(t, s.Set(zmq.HWM(5)), syscall.EINVAL, "libzmq can crash when they change while connected")
}
