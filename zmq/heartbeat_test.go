package zmq_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zmqtest"
)

func TestHeartbeatSetsWhatFitsTogether(t *testing.T) {
	t.Parallel()
	zctx := zmqtest.NewContext(t)
	s := zmqtest.NewSocket(t, zctx, zmq.Dealer)
	for interval, want := range map[time.Duration][3]time.Duration{
		200 * time.Millisecond: {150 * time.Millisecond, 300 * time.Millisecond, 5 * time.Second},
		250 * time.Millisecond: {188 * time.Millisecond, 300 * time.Millisecond, 5 * time.Second},
		5 * time.Second:        {3750 * time.Millisecond, 7500 * time.Millisecond, 10 * time.Second},
		time.Hour:              {45 * time.Minute, 90 * time.Minute, 30 * time.Second},
		0:                      {0, 0, 30 * time.Second},
	} {
		require.NoError(t, s.Set(zmq.Heartbeat(interval)))
		got, err := zmq.HeartbeatInterval.Get(s)
		require.NoError(t, err)
		require.Equal(t, interval, got)
		for i, o := range []zmq.Option[time.Duration]{zmq.HeartbeatTimeout, zmq.HeartbeatTTL, zmq.HandshakeInterval} {
			got, err := o.Get(s)
			require.NoError(t, err)
			require.Equal(t, want[i], got, "interval %v, value %d", interval, i)
		}
	}
}

func TestHeartbeatRefusesNonsense(t *testing.T) {
	t.Parallel()
	zctx := zmqtest.NewContext(t, zmq.SocketDefaults(zmq.Heartbeat(time.Second)))
	s := zmqtest.NewSocket(t, zctx, zmq.Dealer)
	for _, bad := range []time.Duration{-1, 1, 199 * time.Millisecond, time.Hour + 1} {
		err := s.Set(zmq.Heartbeat(bad))
		require.ErrorContains(t, err, "not an interval from 200ms to 1h0m0s, or 0 for none")
	}
	interval, err := zmq.HeartbeatInterval.Get(s)
	require.NoError(t, err)
	require.Equal(t, time.Second, interval, "nothing was set")
	stream := zmqtest.NewSocket(t, zctx, zmq.Stream) // the defaults leave it out
	require.ErrorContains(t, stream.Set(zmq.Heartbeat(time.Second)), "use TCPKeepalive")
}

// Both sides report a peer that vanishes without a word, whether messages flow or not. The times are in
// the log: within twice the interval on an idle machine.
func TestHeartbeatReportsVanishedPeer(t *testing.T) {
	t.Parallel()
	const interval = 400 * time.Millisecond
	for _, traffic := range []bool{false, true} {
		name := "idle"
		if traffic {
			name = "with traffic"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zctx := zmqtest.NewContext(t)
			server := zmqtest.NewSocket(t, zctx, zmq.Pair, zmq.Heartbeat(interval))
			client := zmqtest.NewSocket(t, zctx, zmq.Pair, zmq.Heartbeat(interval))
			network := zmqtest.NewProxy(t, zmqtest.Bind(t, server, "tcp://127.0.0.1:*"))
			ends := map[string]*zmq.Monitor{
				"the side that binds":    zmqtest.Monitor(t, server, zmq.EventDisconnected),
				"the side that connects": zmqtest.Monitor(t, client, zmq.EventDisconnected),
			}
			require.NoError(t, client.Connect(network.Endpoint()))
			zmqtest.RequireWorks(t, client, server)
			zmqtest.RequireWorks(t, server, client)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{}, 4)
			for _, s := range []*zmq.Socket{server, client} {
				go func() {
					defer func() { done <- struct{}{} }()
					for traffic && s.Send(ctx, make([]byte, 100)) == nil {
						time.Sleep(time.Millisecond) // so that the buffers on the way do not fill
					}
				}()
				go func() {
					defer func() { done <- struct{}{} }()
					for {
						if _, err := s.RecvBytes(ctx); err != nil {
							return
						}
					}
				}()
			}
			network.BlackHole()
			start := time.Now()
			for side, m := range ends {
				zmqtest.Await(t, m, zmq.EventDisconnected)
				t.Logf("%s: reported after %v (interval %v)", side, time.Since(start).Round(time.Millisecond), interval)
			}
			cancel()
			for range cap(done) {
				<-done
			}
		})
	}
}
