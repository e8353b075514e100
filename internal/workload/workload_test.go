package workload_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/leak"
	"github.com/go-zmq/go-zmq/internal/workload"
)

func TestMain(m *testing.M) { leak.Main(m) }

// everySpec calls f as a subtest for each combination that is valid.
func everySpec(t *testing.T, f func(*testing.T, workload.Spec)) {
	for _, pattern := range []workload.Pattern{workload.RouterRouter, workload.PushPull, workload.DealerDealer} {
		for _, transport := range []workload.Transport{workload.TCP, workload.IPC, workload.InProc} {
			for _, mode := range workload.Modes() {
				for _, impl := range workload.Impls() {
					spec := workload.Spec{Pattern: pattern, Transport: transport, Mode: mode, Impl: impl, Size: 100, Messages: 300}
					if pattern == workload.DealerDealer && mode != workload.Blocking {
						continue
					}
					t.Run(spec.String(), func(t *testing.T) {
						t.Parallel()
						f(t, spec)
					})
				}
			}
		}
	}
}

func open(t *testing.T, spec workload.Spec) *workload.Workload {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	w, err := workload.Open(ctx, spec)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	return w
}

func TestEveryWorkloadRunsAndCounts(t *testing.T) {
	t.Parallel()
	everySpec(t, func(t *testing.T, spec workload.Spec) {
		w := open(t, spec)
		var sum workload.Result
		for range 3 {
			r, err := w.Run()
			require.NoError(t, err)
			sum.Add(r)
		}
		require.Equal(t, 900, sum.Messages)
		require.EqualValues(t, 90_000, sum.Bytes)
		require.Positive(t, sum.Elapsed)
		require.Positive(t, sum.MessagesPerSecond())
		require.InDelta(t, 100*sum.MessagesPerSecond()/1e9, sum.GBPerSecond(), 1e-6)
		require.InDelta(t, 1e9, sum.NsPerMessage()*sum.MessagesPerSecond(), 1e3)
	})
}

// Both ends together: one crossing for each message sent and for each received,
// and few more for waiting. Not parallel, since the counts are the process's.
func TestCostsOfAMessage(t *testing.T) {
	spec := workload.Spec{
		Pattern: workload.RouterRouter, Transport: workload.TCP, Mode: workload.Batch, Impl: workload.Go,
		Size: 64, Messages: 20_000,
	}
	run := func(spec workload.Spec) workload.Result {
		w := open(t, spec)
		_, err := w.Run() // grows what is kept
		require.NoError(t, err)
		r, err := w.Run()
		require.NoError(t, err)
		return r
	}
	r := run(spec)
	require.Less(t, r.AllocsPerMessage(), 0.01)
	require.GreaterOrEqual(t, r.CrossingsPerMessage(), 2.0)
	spec.Impl = workload.C
	r = run(spec)
	require.Less(t, r.AllocsPerMessage(), 0.01)
	require.Less(t, r.CrossingsPerMessage(), 0.01, "the floor crosses for a whole run, not for a message")
}

func TestEndingTheContextEndsARun(t *testing.T) {
	t.Parallel()
	for _, impl := range workload.Impls() {
		t.Run(string(impl), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			spec := workload.Spec{
				Pattern: workload.DealerDealer, Transport: workload.InProc, Mode: workload.Blocking, Impl: impl,
				Size: 8, Messages: 1 << 40,
			}
			w, err := workload.Open(ctx, spec)
			require.NoError(t, err)
			reason := errors.New("enough")
			time.AfterFunc(time.Millisecond, func() { cancel(reason) })
			_, err = w.Run()
			require.ErrorIs(t, err, reason)
			require.ErrorContains(t, err, spec.String())
			require.NoError(t, w.Close())
			require.NoError(t, w.Close())
		})
	}
}

func TestOpenWithAContextThatEnded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, impl := range workload.Impls() {
		w, err := workload.Open(ctx, workload.Spec{
			Pattern: workload.RouterRouter, Transport: workload.TCP, Mode: workload.Blocking, Impl: impl, Size: 8,
		})
		// It may have got ready before it noticed.
		for err == nil {
			_, err = w.Run()
		}
		require.ErrorIs(t, err, context.Canceled)
		if w != nil {
			require.NoError(t, w.Close())
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	good := workload.Spec{Pattern: workload.PushPull, Transport: workload.TCP, Mode: workload.Poll, Impl: workload.Go, Size: 8}
	require.NoError(t, good.Validate())
	cases := map[string]struct {
		change func(*workload.Spec)
		want   string
	}{
		"pattern":   {func(s *workload.Spec) { s.Pattern = "pubsub" }, `unknown pattern "pubsub"; use one of ["routerrouter" "pushpull" "dealerdealer"]`},
		"transport": {func(s *workload.Spec) { s.Transport = "udp" }, `unknown transport "udp"`},
		"mode":      {func(s *workload.Spec) { s.Mode = "" }, `unknown mode ""`},
		"impl":      {func(s *workload.Spec) { s.Impl = "rust" }, `unknown impl "rust"`},
		"size":      {func(s *workload.Spec) { s.Size = 7 }, "size 7"},
		"messages":  {func(s *workload.Spec) { s.Messages = -1 }, "messages -1"},
		"roundtrip": {func(s *workload.Spec) { s.Pattern = workload.DealerDealer }, `mode "poll" with pattern "dealerdealer"`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := good
			c.change(&spec)
			require.ErrorContains(t, spec.Validate(), c.want)
			_, err := workload.Open(t.Context(), spec)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestCombineTakesTheMedianTime(t *testing.T) {
	t.Parallel()
	run := func(d time.Duration) workload.Result {
		return workload.Result{Messages: 10, Bytes: 100, Elapsed: d, Allocs: 1}
	}
	odd := []workload.Result{run(200 * time.Millisecond), run(3 * time.Millisecond), run(1 * time.Millisecond)}
	sum := workload.Combine(odd)
	require.Equal(t, 30, sum.Messages)
	require.EqualValues(t, 300, sum.Bytes)
	require.EqualValues(t, 3, sum.Allocs)
	require.Equal(t, 9*time.Millisecond, sum.Elapsed)
	require.Equal(t, 1, workload.Stalls(odd))
	even := []workload.Result{run(4), run(1), run(2), run(9)}
	require.Equal(t, 4*3*time.Nanosecond, workload.Combine(even).Elapsed)
	require.Zero(t, workload.Stalls(even))
	require.Zero(t, workload.Combine(nil))
}

func TestResultOfNothing(t *testing.T) {
	t.Parallel()
	var r workload.Result
	require.Zero(t, r.NsPerMessage())
	require.Zero(t, r.MessagesPerSecond())
	require.Zero(t, r.GBPerSecond())
}
