package role

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
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
func (s *scene) start(r *plan.Role, listens bool) (ended chan error) {
	listening, ended := make(chan struct{}, 2), make(chan error, 1)
	go func() {
		_, err := Run(s.ctx, r, &Tally{}, func(string, ...any) { listening <- struct{}{} })
		ended <- err
	}()
	if listens {
		<-listening
	}
	return ended
}

func (s *scene) role(verb, pattern string) *plan.Role {
	r := plan.NewRole(verb)
	r.Pattern, r.Endpoint, r.Duration, r.Wait, r.Idle = pattern, s.address, 0, time.Minute, time.Minute
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
		out.Bind, out.Peers, out.Count, out.Size, out.Options = true, 1+others, 200, 100<<10, map[string]string{"hwm": "5"}
		sent := s.start(out, true)
		slow := s.socket(zmq.Pull, s.address)
		if others > 0 {
			in := s.role(plan.Recv, "pushpull")
			in.Connect = true
			require.NoError(t, <-s.start(in, false))
		} else {
			time.Sleep(long) // what it stands still for
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

// What was asked for last is answered, and what came last is forwarded.
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
		time.Sleep(long) // what it stands still for
		for range messages {
			_, err := client.RecvBytes(context.Background())
			require.NoError(t, err)
		}
		require.NoError(t, client.Close())
		require.NoError(t, <-ended)
	})
	t.Run("proxy", func(t *testing.T) {
		t.Parallel()
		s := newScene(t)
		r := s.role(plan.Proxy, "pushpull")
		r.Frontend, r.Backend, r.Count = s.address, s.address+"2", messages
		ended := s.start(r, true)
		slow, push := s.socket(zmq.Pull, r.Backend), s.socket(zmq.Push, r.Frontend)
		for range messages + 1 {
			require.NoError(t, push.Send(context.Background(), body))
		}
		time.Sleep(long) // what it stands still for
		for range messages + 1 {
			_, err := slow.RecvBytes(context.Background())
			require.NoError(t, err)
		}
		require.NoError(t, <-ended)
	})
}

// Who is never answered gives up, also when no more can be under way.
func TestNeverAnswered(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	router, err := s.zmq.NewSocket(zmq.Router)
	require.NoError(t, err)
	require.NoError(t, router.Bind(s.address))
	swallowed := make(chan struct{})
	go func() {
		defer close(swallowed)
		for b := zmq.NewBatch(batch); ; {
			if _, err := router.RecvBatch(context.Background(), b); err != nil {
				_ = b.Close()
				return
			}
		}
	}()
	out := s.role(plan.Send, "dealerrouter")
	out.Rate, out.Pace, out.Duration, out.Idle = 1e6, load.Sleep, time.Hour, 200*time.Millisecond
	require.ErrorContains(t, <-s.start(out, false), "no reply came for 200ms (--idle)")
	require.NoError(t, router.Close())
	<-swallowed
}
