//go:build !race && !asan

package zmq_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A receive makes one call into C, and another one reads the peer or the group of the
// message. With ReadAhead only the second one is left. Not parallel, because the count is
// the process's.
func TestDraftCrossings(t *testing.T) {
	if !hasDrafts(t, zmq.Server, zmq.Client, zmq.Radio, zmq.Dish) {
		return
	}
	const messages = 2000
	cases := []struct {
		name                  string
		bindType, connectType zmq.SocketType
		ahead                 int
		bound                 float64
		recv                  func(s *zmq.Socket, buf []byte) error
	}{
		{"RecvFrom", zmq.Server, zmq.Client, 0, 2.1, recvFromPeer},
		{"RecvFrom with ReadAhead", zmq.Server, zmq.Client, 256, 1.5, recvFromPeer},
		{"RecvGroup", zmq.Dish, zmq.Radio, 0, 2.1, recvFromGroup},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b, d := pair(t, c.bindType, c.connectType, "tcp://127.0.0.1:*", zmq.SendHWM.To(0), zmq.RecvHWM.To(0))
			require.NoError(t, b.Set(zmq.ReadAhead.To(c.ahead)))
			send := d.Send
			if c.bindType == zmq.Dish {
				require.NoError(t, b.Join("weather"))
				joined(t, d, b, "weather")
				send = func(ctx context.Context, part []byte, _ ...zmq.Flag) error { return d.SendGroup(ctx, "weather", part) }
			}
			for range messages {
				require.NoError(t, send(context.Background(), payload(64)))
			}
			buf, crossings := make([]byte, 64), int64(0)
			for got := 0; got < messages; {
				before := runtime.NumCgoCall()
				err := c.recv(b, buf)
				if errors.Is(err, zmq.ErrAgain) {
					require.NoError(t, b.WaitReadable(within(t)))
					continue
				}
				require.NoError(t, err)
				crossings += runtime.NumCgoCall() - before
				got++
			}
			perMessage := float64(crossings) / messages
			t.Logf("%.3f crossings a message", perMessage)
			require.Less(t, perMessage, c.bound)
		})
	}
}

func recvFromPeer(s *zmq.Socket, buf []byte) error {
	_, id, err := s.RecvFrom(context.Background(), buf, zmq.DontWait)
	if err == nil && id == 0 {
		return errors.New("the message has no routing id")
	}
	return err
}

func recvFromGroup(s *zmq.Socket, buf []byte) error {
	_, group, err := s.RecvGroup(context.Background(), buf, zmq.DontWait)
	if err == nil && group != "weather" {
		return errors.New("the message went to " + group)
	}
	return err
}
