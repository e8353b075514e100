package zmq_test

import (
	"context"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

func TestRadioDish(t *testing.T) {
	t.Parallel()
	networks(t, func(t *testing.T, endpoint string) {
		radio, dish, ok := draftPair(t, zmq.Radio, zmq.Dish, endpoint)
		if ok {
			testGroups(t, radio, dish)
		}
	})
	t.Run("udp", func(t *testing.T) {
		t.Parallel()
		dish, radio, ok := draftPair(t, zmq.Dish, zmq.Radio, "udp://"+udpAddress(t).String())
		if ok {
			testGroups(t, radio, dish)
		}
	})
}

func testGroups(t *testing.T, radio, dish *zmq.Socket) {
	ctx, buf := within(t), make([]byte, 100)
	require.NoError(t, dish.Join("weather"))
	joined(t, radio, dish, "weather")
	require.NoError(t, radio.SendGroup(context.Background(), "sports", []byte("not for it")))
	require.NoError(t, radio.SendGroup(ctx, "weather", []byte("rain")))
	n, group, err := dish.RecvGroup(ctx, buf)
	require.NoError(t, err)
	require.Equal(t, "rain", string(buf[:n]))
	require.Equal(t, "weather", group)
	require.False(t, dish.RecvMore())

	m := newMessage(t, "sun")
	require.NoError(t, m.SetGroup("fourteen-bytes"))
	require.NoError(t, m.SetGroup("weather"))
	require.NoError(t, radio.SendMessage(context.Background(), m))
	require.NoError(t, dish.RecvMessage(ctx, m))
	group = noErr(m.Group())(t)
	require.Equal(t, "weather", group)
	require.Equal(t, "sun", string(m.Bytes()))
	require.NoError(t, radio.SendMessage(context.Background(), m), "it keeps its group")
	require.NoError(t, dish.RecvMessage(ctx, m))
	require.NoError(t, m.Close())

	// The longest name, the empty one, and the end of both.
	for _, group := range []string{"fourteen-bytes", ""} {
		require.NoError(t, dish.Join(group))
		joined(t, radio, dish, group)
		if group == "" {
			require.NoError(t, radio.Send(context.Background(), []byte("without a group")))
			require.Equal(t, "without a group", noErr(dish.RecvString(ctx))(t))
		}
		require.NoError(t, dish.Leave(group))
		require.NoError(t, radio.SendGroup(context.Background(), group, []byte("not for it")))
	}

	b := newBatch(t, 3)
	require.NoError(t, b.AppendGroup("sports", []byte("not for it")))
	require.NoError(t, b.AppendGroup("weather", []byte("fog")))
	require.NoError(t, b.AppendGroup("weather", []byte("snow")))
	require.ErrorIs(t, b.AppendGroup("weather", nil), syscall.ENOBUFS)
	require.NoError(t, errOf(radio.SendBatch(context.Background(), b)))
	for _, want := range []string{"fog", "snow"} {
		n, group, err := dish.RecvGroup(ctx, buf)
		require.NoError(t, err)
		require.Equal(t, want, string(buf[:n]))
		require.Equal(t, "weather", group)
	}
	require.ErrorIs(t, dish.Send(context.Background(), nil), zmq.ErrNotSupported)
	require.ErrorIs(t, errOf(radio.RecvBytes(context.Background(), zmq.DontWait)), zmq.ErrNotSupported)
}

func TestBadInputGroup(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("g", 15)
	if !hasDrafts(t, zmq.Radio, zmq.Dish) {
		s := newSocket(t, newContext(t), zmq.Sub)
		require.ErrorIs(t, s.Join("g"), zmq.ErrNotSupported)
		require.ErrorIs(t, s.Leave("g"), zmq.ErrNotSupported)
		require.ErrorIs(t, s.SendGroup(context.Background(), "g", nil), zmq.ErrNotSupported)
		var m zmq.Message
		require.ErrorIs(t, m.SetGroup("g"), zmq.ErrNotSupported)
		require.ErrorIs(t, errOf(m.Group()), zmq.ErrNotSupported)
		return
	}
	radio, dish, _ := draftPair(t, zmq.Radio, zmq.Dish, "tcp://127.0.0.1:*")
	var m zmq.Message
	for _, bad := range []string{long, strings.Repeat("g", 255), "a\x00b"} {
		for _, err := range []error{dish.Join(bad), dish.Leave(bad), radio.SendGroup(context.Background(), bad, nil), m.SetGroup(bad), zmq.NewBatch(1).AppendGroup(bad, nil)} {
			require.ErrorIs(t, err, syscall.EINVAL, bad)
			require.ErrorContains(t, err, "the group")
		}
	}
	require.NoError(t, dish.Join("g"))
	require.ErrorIs(t, dish.Join("g"), syscall.EINVAL)
	require.ErrorIs(t, dish.Leave("h"), syscall.EINVAL)
	require.NoError(t, dish.Leave("g"))
	require.ErrorIs(t, radio.Join("g"), zmq.ErrNotSupported)
	require.ErrorIs(t, dish.SendGroup(context.Background(), "g", nil), zmq.ErrNotSupported)
	require.ErrorIs(t, radio.SendGroup(context.Background(), "g", nil, zmq.SendMore), syscall.EINVAL)
	require.NoError(t, dish.Close())
	require.ErrorIs(t, dish.Join("g"), zmq.ErrClosed)
	var none *zmq.Socket
	require.ErrorIs(t, none.Join("g"), zmq.ErrClosed)
	require.ErrorIs(t, none.SendGroup(context.Background(), "g", nil), zmq.ErrClosed)
}

func TestBadInputRadioDishOverUDP(t *testing.T) {
	t.Parallel()
	if !hasDrafts(t, zmq.Dish) {
		return
	}
	zctx := newContext(t)
	dish := newSocket(t, zctx, zmq.Dish)
	for _, endpoint := range []string{"udp://127.0.0.1:*", "udp://*:0"} {
		err := dish.Bind(endpoint)
		requireFails(t, err, syscall.EINVAL, "choose a port")
	}
	requireFails(t, newSocket(t, zctx, zmq.Radio, zmq.IPv6.To(true)).Connect("udp://[ff02::1]:5577"), syscall.EPROTONOSUPPORT, "IPv4 group")
}
