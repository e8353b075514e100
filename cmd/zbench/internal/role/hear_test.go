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

// A receiver that has its number of messages takes the senders' end marks, for which they
// would otherwise wait, unless they have more to send or leave.
func TestHear(t *testing.T) {
	t.Parallel()
	const patience = time.Minute
	for _, x := range []struct {
		name    string
		senders int
		then    func(t *testing.T, i int, s *zmq.Socket, send func(number int, end bool))
	}{
		{"end", 1, func(_ *testing.T, _ int, _ *zmq.Socket, send func(int, bool)) { send(3, true) }},
		{"ends", 2, func(_ *testing.T, _ int, _ *zmq.Socket, send func(int, bool)) { send(3, true) }},
		{"more", 2, func(_ *testing.T, i int, _ *zmq.Socket, send func(int, bool)) { send(3, i == 0) }},
		{"gone", 1, func(t *testing.T, _ int, s *zmq.Socket, _ func(int, bool)) { require.NoError(t, s.Close()) }},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			in := NewPlan(plan.Recv)
			in.Endpoint, in.Waiting, in.Idle = "ipc://"+filepath.Join(t.TempDir(), "e"), x.senders, patience
			in.Count = 3 * x.senders
			listening, left := make(chan struct{}), make(chan error, 1)
			live := load.NewTally(record.Cell{})
			var res *Result
			go func() {
				var err error
				res, err = Run(ctx, in, live, func(string, ...any) { close(listening) })
				left <- err
			}()
			<-listening
			zctx, err := zmq.NewContext(zmq.SocketDefaults(zmq.TrackSubscriptions.To(true)))
			require.NoError(t, err)
			defer zctx.Close()
			sockets, sends := make([]*zmq.Socket, x.senders), make([]func(int, bool), x.senders)
			for i := range sockets {
				s, err := zctx.NewSocket(zmq.Push, zmq.Linger.To(-1))
				require.NoError(t, err)
				require.NoError(t, s.Connect(in.Endpoint))
				require.NoError(t, s.WaitConnected(ctx, 1))
				head := newSender(false)
				sockets[i], sends[i] = s, func(number int, end bool) {
					head.number, head.end = uint64(number), end
					out := make([]byte, plan.HeaderSize)
					head.put(out)
					require.NoError(t, s.Send(context.Background(), out))
				}
				for number := range 3 {
					sends[i](number, false)
				}
			}
			require.Eventually(t, func() bool { return live.Count() == int64(in.Count) }, patience, time.Millisecond)
			select {
			case err := <-left:
				t.Fatalf("it left with senders that wait: %v", err)
			case <-time.After(100 * time.Millisecond): // time to do the wrong thing
			}
			for i, s := range sockets {
				x.then(t, i, s, sends[i])
			}
			require.NoError(t, <-left)
			require.EqualValues(t, in.Count, res.Messages)
			require.Zero(t, res.Lost)
			if x.name != "more" {
				require.NoError(t, zctx.CloseContext(ctx), "the end was not taken")
			} else {
				for _, s := range sockets {
					require.NoError(t, s.Set(zmq.Linger.To(0)))
				}
			}
		})
	}
}
