package role

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// long is more than a role waits for anybody when it is in a hurry, which it is only when
// the user wants to stop.
const long = hurried + 300*time.Millisecond

// scene is what slow peers need.
type scene struct {
	*testing.T
	ctx     context.Context
	zmq     *zmq.Context
	address string
}

func newScene(t *testing.T) *scene {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	zctx, err := zmq.NewContext(zmq.SocketDefaults(zmq.TrackSubscriptions.To(true)))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, zctx.Close()) })
	return &scene{t, ctx, zctx, "ipc://" + filepath.Join(t.TempDir(), "e")}
}

// start runs a role until it listens, if it does.
func (s *scene) start(r *plan.Plan, listens bool) (ended chan error) {
	listening, ended := make(chan struct{}, 2), make(chan error, 1)
	go func() {
		_, err := Run(s.ctx, r, load.NewTally(record.Cell{}), func(string, ...any) { listening <- struct{}{} })
		ended <- err
	}()
	if listens {
		<-listening
	}
	return ended
}

func (s *scene) role(verb, pattern string) *plan.Plan {
	r := NewPlan(verb)
	r.Patterns, r.Endpoint, r.Duration, r.Wait, r.Idle = []string{pattern}, s.address, 0, time.Minute, time.Minute
	return r
}

func (s *scene) socket(t zmq.SocketType, endpoint string) *zmq.Socket {
	s.Helper()
	socket, err := s.zmq.NewSocket(t, zmq.RecvHWM.To(1), zmq.SendHWM.To(1000), zmq.RecvTimeout.To(time.Minute), zmq.Linger.To(0))
	require.NoError(s, err)
	require.NoError(s, socket.Connect(endpoint))
	require.NoError(s, socket.WaitConnected(s.ctx, 1))
	return socket
}

// A receiver that is slow hears the end, too, though its queue was full when it was said.
func TestSlowReceivers(t *testing.T) {
	t.Parallel()
	for _, others := range []int{0, 1} {
		s := newScene(t)
		out := s.role(plan.Send, "pushpull")
		out.Attach, out.Waiting, out.Count, out.Sizes, out.Options = true, 1+others, 200, []int{100 << 10}, map[string]string{"HWM": "5"}
		sent := s.start(out, true)
		slow := s.socket(zmq.Pull, s.address)
		if others > 0 {
			in := s.role(plan.Recv, "pushpull")
			in.Attach = true
			require.NoError(t, <-s.start(in, false))
		} else {
			time.Sleep(long) // the stall
		}
		var h header
		for !h.end {
			m, err := slow.RecvBytes(context.Background())
			require.NoError(t, err)
			require.True(t, h.read(m))
		}
		require.NoError(t, slow.Close())
		require.NoError(t, <-sent)
	}
}

// The last requests are answered.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	const messages = 200
	body := make([]byte, 64<<10)
	t.Run("echo", func(t *testing.T) {
		t.Parallel()
		s := newScene(t)
		r := s.role(plan.Echo, "dealerrouter")
		r.Count = messages
		ended := s.start(r, true)
		client := s.socket(zmq.Dealer, s.address)
		for range messages {
			require.NoError(t, client.Send(context.Background(), body))
		}
		time.Sleep(long) // the stall
		for range messages {
			_, err := client.RecvBytes(context.Background())
			require.NoError(t, err)
		}
		require.NoError(t, client.Close())
		require.NoError(t, <-ended)
	})
}

// An echo answers as many messages as it was asked for, however many have arrived.
func TestEchoCounts(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	r := s.role(plan.Echo, "dealerrouter")
	r.Count = batch + 10
	client, err := s.zmq.NewSocket(zmq.Dealer, zmq.Linger.To(0))
	require.NoError(t, err)
	require.NoError(t, client.Connect(s.address))
	for range 2 * batch {
		require.NoError(t, client.Send(s.ctx, []byte("x")))
	}
	live := load.NewTally(record.Cell{})
	ended := make(chan error, 1)
	go func() {
		_, err := Run(s.ctx, r, live, func(string, ...any) {})
		ended <- err
	}()
	for range r.Count {
		_, err := client.RecvBytes(s.ctx)
		require.NoError(t, err)
	}
	require.NoError(t, client.Close())
	require.NoError(t, <-ended)
	require.EqualValues(t, r.Count, live.Count())
}

// An echo whose duration ends before its count names the duration, not an idle time.
func TestEchoWithTooFewMessages(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	r := s.role(plan.Echo, "dealerrouter")
	r.Count, r.Duration, r.Idle = 2, 50*time.Millisecond, 0
	ended := s.start(r, true)
	client := s.socket(zmq.Dealer, s.address)
	require.NoError(t, client.Send(s.ctx, []byte("x")))
	_, err := client.RecvBytes(s.ctx)
	require.NoError(t, err)
	require.NoError(t, client.Close())
	require.EqualError(t, <-ended, "1 of 2 messages came in 50ms")
}

// A sender whose peers take nothing says so, both of its end mark and of the messages.
func TestPeersThatTakeNothing(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	p := s.role(plan.Send, "pushpull")
	p.Options = map[string]string{"HWM": "1"}
	side, err := open(p, nil, zmq.Linger.To(-1))
	require.NoError(t, err)
	require.NoError(t, side.attach())
	require.NoError(t, side.socket.Send(s.ctx, []byte("in the queue")))
	v := &sender{Plan: p, socket: side.socket, head: newSender(false), tally: load.NewTally(record.Cell{})}
	require.ErrorContains(t, v.end(true), "the receivers cannot be told that this was the end: ")
	require.ErrorContains(t, side.close(true), "peers have not taken everything 1s after the end: ")
}
