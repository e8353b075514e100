package zmqtest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zmqtest"
)

// What the sender of a ready pair sends first arrives.
func TestPairIsReady(t *testing.T) {
	t.Parallel()
	for _, p := range [][2]zmq.SocketType{
		{zmq.Pair, zmq.Pair},
		{zmq.Push, zmq.Pull},
		{zmq.Pull, zmq.Push},
		{zmq.Req, zmq.Rep},
		{zmq.Dealer, zmq.Dealer},
		{zmq.Pub, zmq.Sub},
		{zmq.Sub, zmq.Pub},
		{zmq.XPub, zmq.Sub},
		{zmq.Sub, zmq.XPub},
	} {
		t.Run(p[0].String()+" "+p[1].String(), func(t *testing.T) {
			t.Parallel()
			a, b := zmqtest.Pair(t, p[0], p[1], zmq.SendHWM.To(7))
			if p[0] == zmq.Pull || p[0] == zmq.Sub {
				a, b = b, a
			}
			require.Equal(t, 7, must(zmq.SendHWM.Get(a)))
			require.NoError(t, a.SendString(zmqtest.Soon(t), "first", zmq.DontWait))
			text, err := b.RecvString(zmqtest.Soon(t))
			require.NoError(t, err)
			require.Equal(t, "first", text)
		})
	}
}

func TestConnectOverTransports(t *testing.T) {
	t.Parallel()
	for _, endpoint := range []string{"tcp://127.0.0.1:*", "ipc://*"} {
		if endpoint == "ipc://*" && !zmq.Has("ipc") {
			continue // libzmq before 4.3.5 on Windows
		}
		zctx := zmqtest.NewContext(t)
		pub := zmqtest.NewSocket(t, zctx, zmq.Pub, zmq.TrackSubscriptions.To(true))
		sub := zmqtest.NewSocket(t, zctx, zmq.Sub)
		require.NoError(t, sub.Subscribe("does"))
		zmqtest.Connect(t, pub, sub, endpoint)
		require.NoError(t, pub.WaitSubscribers(zmqtest.Soon(t), 1))
		require.NoError(t, pub.SendString(zmqtest.Soon(t), "another topic")) // Connect subscribes to nothing
		zmqtest.RequireWorks(t, pub, sub)
	}
}

func TestHelpersReportFailures(t *testing.T) {
	t.Parallel()
	for want, test := range map[string]func(t testing.TB){
		"bind": func(t testing.TB) {
			zmqtest.Bind(t, zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Pull), "tcp://nowhere:x")
		},
		"proxy to \"tcp\"": func(t testing.TB) { zmqtest.NewProxy(t, "tcp") },
		"monitor":          func(t testing.TB) { zmqtest.Monitor(t, zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Pull), 0) },
		"socket":           func(t testing.TB) { zmqtest.NewSocket(t, zmqtest.NewContext(t), -7) },
		"waiting for LISTENING": func(t testing.TB) {
			m := zmqtest.Monitor(t, zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Pull), zmq.EventAll)
			require.NoError(t, m.Close())
			zmqtest.Await(t, m, zmq.EventListening)
		},
	} {
		require.Contains(t, record(t, test), want)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
