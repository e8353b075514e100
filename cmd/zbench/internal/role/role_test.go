package role_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/role"
	"github.com/go-zmq/go-zmq/test/testutil"
)

func TestMain(m *testing.M) { testutil.Main(m) }

const patience = time.Minute

type done struct {
	*role.Result
	err error
}

// start runs a role and returns what it says, and what it comes to.
func start(ctx context.Context, r *plan.Plan, live *load.Tally) (said chan string, result chan done) {
	said, result = make(chan string, 10), make(chan done, 1)
	go func() {
		res, err := role.Run(ctx, r, live, func(format string, args ...any) { said <- fmt.Sprintf(format, args...) })
		result <- done{res, err}
	}()
	return said, result
}

func newRole(verb, pattern, endpoint string) *plan.Plan {
	r := role.NewPlan(verb)
	r.Patterns, r.Endpoint, r.Duration = []string{pattern}, endpoint, 0
	r.Wait, r.Idle = patience, patience
	return r
}

// endpointOf takes the endpoint out of what a role says that it is bound to.
func endpointOf(t *testing.T, line string) string {
	var endpoint string
	_, err := fmt.Sscanf(line, "listening on %s", &endpoint)
	require.NoError(t, err, line)
	return endpoint
}

// CURVE, over a port that was chosen: what the one says is all that the other needs.
func TestRolesOverCurve(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	in := newRole(plan.Recv, "pushpull", "tcp://127.0.0.1:*")
	in.Security = "curve"
	in.Idle = 0
	said, received := start(ctx, in, load.NewTally(record.Cell{}))
	out := newRole(plan.Send, "pushpull", "")
	var key string
	out.Count = 1000
	_, err := fmt.Sscanf(<-said, "server key %s", &key)
	require.NoError(t, err)
	out.Security = "curve=" + key
	out.Endpoint = endpointOf(t, <-said)
	_, sent := start(ctx, out, load.NewTally(record.Cell{}))
	require.NoError(t, (<-sent).err)
	got := <-received
	require.NoError(t, got.err)
	require.EqualValues(t, 1000, got.Messages)
	require.Zero(t, got.Lost)
}

// A sender that is stopped tells the receiver, who then knows that all is there.
func TestStoppedSender(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	endpoint := "ipc://" + filepath.Join(shortDir(t), "s")
	in := newRole(plan.Recv, "pushpull", endpoint)
	_, received := start(ctx, in, load.NewTally(record.Cell{}))
	out := newRole(plan.Send, "pushpull", endpoint)
	out.Duration = time.Hour
	stopping, stop := context.WithCancelCause(ctx)
	live := load.NewTally(record.Cell{})
	_, sent := start(stopping, out, live)
	require.Eventually(t, func() bool { return live.Count() > 1000 }, patience, time.Millisecond)
	because := errors.New("enough")
	stop(because)
	s := <-sent
	require.ErrorIs(t, s.err, because)
	got := <-received
	require.NoError(t, got.err)
	require.Equal(t, s.Messages, got.Messages)
	require.Zero(t, got.Lost)
}

// A sender that is stopped has sent for as long as it ran, and what was due.
func TestStoppedSenderKeepsItsRate(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	endpoint := "ipc://" + filepath.Join(shortDir(t), "s")
	_, received := start(ctx, newRole(plan.Recv, "pushpull", endpoint), load.NewTally(record.Cell{}))
	out := newRole(plan.Send, "pushpull", endpoint)
	out.Duration, out.Rates, out.Arrivals, out.Pace = time.Hour, []float64{0.1}, "uniform", load.Sleep
	stopping, stop := context.WithCancel(ctx)
	live := load.NewTally(record.Cell{})
	_, sent := start(stopping, out, live)
	require.Eventually(t, func() bool { return live.Count() == 1 }, patience, time.Millisecond)
	stop()
	s := <-sent
	require.Less(t, s.Elapsed, 2*patience)
	require.Less(t, s.Planned, 2*patience)
	require.Zero(t, s.Unsent, "the next one was not due yet")
	require.NoError(t, (<-received).err)
}

// A sender starts when its peers are there, so that report can name one that starts late.
func TestSenderStartsWithItsPeers(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out := newRole(plan.Send, "pushpull", "tcp://127.0.0.1:*")
	out.Attach, out.Count = true, 1
	said, sent := start(ctx, out, load.NewTally(record.Cell{}))
	in := newRole(plan.Recv, "pushpull", endpointOf(t, <-said))
	in.Attach = true
	before := time.Now()
	_, received := start(ctx, in, load.NewTally(record.Cell{}))
	s := <-sent
	require.NoError(t, s.err)
	require.False(t, s.Start.Before(before), "%v is before %v", s.Start, before)
	require.NoError(t, (<-received).err)
}

// Each role ends when it is told to, whatever it waits for, and leaves nothing behind.
func TestStop(t *testing.T) {
	t.Parallel()
	for _, r := range []*plan.Plan{
		newRole(plan.Send, "pushpull", "tcp://127.0.0.1:1"),
		newRole(plan.Send, "pubsub", "tcp://127.0.0.1:1"),
		newRole(plan.Recv, "pushpull", "tcp://127.0.0.1:*"),
		newRole(plan.Recv, "pubsub", "tcp://127.0.0.1:*"),
		newRole(plan.Echo, "dealerrouter", "tcp://127.0.0.1:*"),
	} {
		t.Run(r.Verb+"_"+r.Patterns[0], func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			because := errors.New("enough")
			said, result := start(ctx, r, load.NewTally(record.Cell{}))
			if r.Verb != plan.Send {
				<-said
			}
			cancel(because)
			require.ErrorIs(t, (<-result).err, because)
		})
	}
}

// shortDir returns a directory whose path is short enough for a socket's.
func shortDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "zmq")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}
