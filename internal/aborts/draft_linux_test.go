package aborts

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

func tryClosing(t *testing.T, report func(error)) {
	warm(t)
	zctx := zmqtest.NewContext(t)
	list, ok := draftSockets(t, report, zctx, zmq.Server, zmq.Client, zmq.Radio, zmq.Dish, zmq.Gather, zmq.Scatter)
	if !ok {
		return
	}
	zmqtest.Connect(t, list[0], list[1], "tcp://127.0.0.1:*")
	give := leaveDescriptors(t, 0)
	for _, s := range list {
		require.NoError(t, s.Close())
	}
	done := make(chan error, 1)
	go func() { done <- zctx.Close() }()
	select {
	case err := <-done:
		give()
		report(err)
	case <-time.After(30 * time.Second):
		t.Fatal("the context does not close")
	}
}

func tryUDPDescriptors(t *testing.T, report func(error)) {
	warm(t)
	zctx := zmqtest.NewContext(t)
	list, ok := draftSockets(t, report, zctx, zmq.Dish, zmq.Dgram, zmq.Radio)
	if !ok {
		return
	}
	endpoint := "udp://" + zmqtest.UDPAddress(t).String()
	give := leaveDescriptors(t, 2)
	bindDish, bindDgram, connectRadio := list[0].Bind(endpoint), list[1].Bind(endpoint), list[2].Connect(endpoint)
	give()
	report(bindDish)
	report(bindDgram)
	report(connectRadio)
	zmqtest.Connect(t, list[0], list[2], endpoint)
	require.NoError(t, list[0].Join("g"))
	zmqtest.RequireJoined(t, list[2], list[0], "g")
	report(nil)
}

// tryPriority asks for what only the administrator of a network may have.
func tryPriority(t *testing.T, report func(error)) {
	warm(t)
	unprivileged(t)
	a, b := zmqtest.Pair(t, zmq.Pair, zmq.Pair, zmqtest.InprocName())
	report(a.Set(zmq.Priority.To(7)))
	err := a.Set(zmq.Priority.To(6))
	require.True(t, err == nil || errors.Is(err, zmq.ErrNotSupported))
	zmqtest.Connect(t, a, b, "tcp://127.0.0.1:*")
}

// tryStrayDatagrams sends a DISH what no RADIO sends.
func tryStrayDatagrams(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	list, ok := draftSockets(t, report, zctx, zmq.Dish, zmq.Radio)
	if !ok {
		return
	}
	dish, radio := list[0], list[1]
	to := zmqtest.UDPAddress(t)
	zmqtest.Connect(t, dish, radio, "udp://"+to.String())
	require.NoError(t, dish.Join("g"))
	zmqtest.RequireJoined(t, radio, dish, "g")
	conn, err := net.Dial("udp", to.String())
	require.NoError(t, err)
	for _, stray := range []string{"", "\x80", "\xff", "\xff group and body", "\x05cut", "\x7f", strings.Repeat("\x81", 8192), strings.Repeat("\xfe", 20000)} {
		for range 20 {
			_, err := conn.Write([]byte(stray))
			require.NoError(t, err)
		}
		zmqtest.RequireJoined(t, radio, dish, "g")
	}
	require.NoError(t, conn.Close())
	report(nil)
}
