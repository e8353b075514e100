package zmq_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// joined sends probes to a group until the DISH receives one, and then takes those
// that are left: what a RADIO sends before it knows of a Join is dropped.
func joined(t *testing.T, radio, dish *zmq.Socket, group string) {
	t.Helper()
	require.NoError(t, dish.Set(zmq.RecvTimeout.To(10*time.Millisecond)))
	ctx := within(t)
	for got := false; !got; {
		require.NoError(t, ctx.Err())
		require.NoError(t, radio.SendGroup(group, []byte("probe")))
		_, err := dish.RecvBytes()
		if got = err == nil; !got {
			require.ErrorIs(t, err, zmq.ErrAgain)
		}
	}
	require.NoError(t, radio.SendGroup(group, []byte("last probe")))
	for got := ""; got != "last probe"; {
		var err error
		got, err = dish.RecvStringContext(ctx)
		if err != nil {
			require.ErrorIs(t, err, zmq.ErrAgain)
		}
	}
	require.NoError(t, dish.Set(zmq.RecvTimeout.To(-1)))
}

func TestRadioDish(t *testing.T) {
	t.Parallel()
	draftTransports(t, func(t *testing.T, endpoint string) {
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
	require.NoError(t, radio.SendGroup("sports", []byte("not for it")))
	require.NoError(t, radio.SendGroupContext(ctx, "weather", []byte("rain")))
	n, group, err := dish.RecvGroupContext(ctx, buf)
	require.NoError(t, err)
	require.Equal(t, "rain", string(buf[:n]))
	require.Equal(t, "weather", group)
	require.False(t, dish.RecvMore())

	m, err := zmq.NewMessageBytes([]byte("sun"))
	require.NoError(t, err)
	require.NoError(t, m.SetGroup("fourteen-bytes"))
	require.NoError(t, m.SetGroup("weather"))
	require.NoError(t, radio.SendMessage(m))
	require.NoError(t, dish.RecvMessageContext(ctx, m))
	group, err = m.Group()
	require.NoError(t, err)
	require.Equal(t, "weather", group)
	require.Equal(t, "sun", string(m.Bytes()))
	require.NoError(t, radio.SendMessage(m), "it keeps its group")
	require.NoError(t, dish.RecvMessageContext(ctx, m))
	require.NoError(t, m.Close())

	// The longest name, the empty one, and the end of both.
	for _, group := range []string{"fourteen-bytes", ""} {
		require.NoError(t, dish.Join(group))
		joined(t, radio, dish, group)
		if group == "" {
			require.NoError(t, radio.Send([]byte("without a group")))
			got, err := dish.RecvStringContext(ctx)
			require.NoError(t, err)
			require.Equal(t, "without a group", got)
		}
		require.NoError(t, dish.Leave(group))
		require.NoError(t, radio.SendGroup(group, []byte("not for it")))
	}

	b := zmq.NewBatch(3)
	defer b.Close()
	require.NoError(t, b.AppendGroup("sports", []byte("not for it")))
	require.NoError(t, b.AppendGroup("weather", []byte("fog")))
	require.NoError(t, b.AppendGroup("weather", []byte("snow")))
	require.ErrorIs(t, b.AppendGroup("weather", nil), syscall.ENOBUFS)
	_, err = radio.SendBatch(b)
	require.NoError(t, err)
	for _, want := range []string{"fog", "snow"} {
		n, group, err := dish.RecvGroupContext(ctx, buf)
		require.NoError(t, err)
		require.Equal(t, want, string(buf[:n]))
		require.Equal(t, "weather", group)
	}
	require.ErrorIs(t, dish.Send(nil), zmq.ErrNotSupported)
	_, err = radio.RecvBytes(zmq.DontWait)
	require.ErrorIs(t, err, zmq.ErrNotSupported)
}

// One message goes to several receivers, with each group that is allowed.
func TestRadioSeveralDishes(t *testing.T) {
	t.Parallel()
	draftTransports(t, func(t *testing.T, endpoint string) {
		if !hasDrafts(t, zmq.Radio, zmq.Dish) {
			return
		}
		c, ctx := newContext(t), within(t)
		radio := newSocket(t, c, zmq.Radio)
		require.NoError(t, radio.Bind(endpoint))
		endpoint, err := radio.LastEndpoint()
		require.NoError(t, err)
		var dishes []*zmq.Socket
		for range 3 {
			dish := newSocket(t, c, zmq.Dish)
			require.NoError(t, dish.Connect(endpoint))
			require.NoError(t, dish.Join("fourteen-bytes"))
			joined(t, radio, dish, "fourteen-bytes")
			dishes = append(dishes, dish)
		}
		for i := range 20 {
			require.NoError(t, radio.SendGroup("fourteen-bytes", []byte(fmt.Sprint("message ", i, strings.Repeat(".", i*100)))))
		}
		for _, dish := range dishes {
			next := 0
			for p, err := range dish.Messages(ctx) {
				require.NoError(t, err)
				if !strings.HasPrefix(string(p[0].Bytes()), fmt.Sprint("message ", next)) {
					require.Contains(t, string(p[0].Bytes()), "probe")
					continue
				}
				if next++; next == 20 {
					break
				}
			}
		}
	})
}

// With XPubNoDrop a RADIO waits for members that are slow.
func TestRadioNoDrop(t *testing.T) {
	t.Parallel()
	radio, dish, ok := draftPair(t, zmq.Radio, zmq.Dish, "tcp://127.0.0.1:*", zmq.SendHWM.To(2), zmq.RecvHWM.To(2))
	if !ok {
		return
	}
	require.NoError(t, radio.Set(zmq.XPubNoDrop.To(true)))
	require.NoError(t, dish.Join("g"))
	joined(t, radio, dish, "g")
	sent := 0
	for ; ; sent++ {
		if err := radio.SendGroup("g", []byte{byte(sent)}, zmq.DontWait); err != nil {
			require.ErrorIs(t, err, zmq.ErrAgain)
			break
		}
		require.Less(t, sent, 1000)
	}
	done := make(chan error, 1)
	go func() { done <- radio.SendGroup("g", []byte{byte(sent)}) }()
	for i := range sent + 1 {
		got, err := dish.RecvBytesContext(within(t))
		require.NoError(t, err)
		require.Equal(t, []byte{byte(i)}, got)
	}
	require.NoError(t, <-done)
}

func TestBadInputGroup(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("g", 15)
	if !hasDrafts(t, zmq.Radio, zmq.Dish) {
		s := newSocket(t, newContext(t), zmq.Sub)
		require.ErrorIs(t, s.Join("g"), zmq.ErrNotSupported)
		require.ErrorIs(t, s.Leave("g"), zmq.ErrNotSupported)
		require.ErrorIs(t, s.SendGroup("g", nil), zmq.ErrNotSupported)
		var m zmq.Message
		require.ErrorIs(t, m.SetGroup("g"), zmq.ErrNotSupported)
		_, err := m.Group()
		require.ErrorIs(t, err, zmq.ErrNotSupported)
		return
	}
	radio, dish, _ := draftPair(t, zmq.Radio, zmq.Dish, "tcp://127.0.0.1:*")
	var m zmq.Message
	for _, bad := range []string{long, strings.Repeat("g", 255), "a\x00b"} {
		for _, err := range []error{dish.Join(bad), dish.Leave(bad), radio.SendGroup(bad, nil), m.SetGroup(bad), zmq.NewBatch(1).AppendGroup(bad, nil)} {
			require.ErrorIs(t, err, syscall.EINVAL, bad)
			require.ErrorContains(t, err, "the group")
		}
	}
	require.NoError(t, dish.Join("g"))
	require.ErrorIs(t, dish.Join("g"), syscall.EINVAL)
	require.ErrorIs(t, dish.Leave("h"), syscall.EINVAL)
	require.NoError(t, dish.Leave("g"))
	require.ErrorIs(t, radio.Join("g"), zmq.ErrNotSupported)
	require.ErrorIs(t, dish.SendGroup("g", nil), zmq.ErrNotSupported)
	require.ErrorIs(t, radio.SendGroup("g", nil, zmq.SendMore), syscall.EINVAL)
	require.NoError(t, dish.Close())
	require.ErrorIs(t, dish.Join("g"), zmq.ErrClosed)
	var none *zmq.Socket
	require.ErrorIs(t, none.Join("g"), zmq.ErrClosed)
	require.ErrorIs(t, none.SendGroup("g", nil), zmq.ErrClosed)
}
