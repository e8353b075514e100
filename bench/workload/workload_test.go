package workload_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/bench/workload"
	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/intercept"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
)

func TestMain(m *testing.M) { testutil.Main(m, intercept.CheckMessages, zmqtest.OpenReleasePipe) }

// ways returns a Spec for each mode and strategy of an implementation.
func ways(pattern workload.Pattern, impl workload.Impl) (specs []workload.Spec) {
	modes := workload.Modes()
	switch pattern {
	case workload.DealerDealer, workload.ReqRep:
		modes = []workload.Mode{workload.Blocking}
	case workload.DealerRouter:
		modes = []workload.Mode{workload.Blocking, workload.Batch, workload.ReadAhead}
	default:
		for _, strategy := range workload.Strategies(impl) {
			specs = append(specs, workload.Spec{Strategy: strategy})
			if impl == workload.Go || strategy == workload.Copy {
				specs = append(specs, workload.Spec{Strategy: strategy, Mode: workload.Poll})
			}
		}
	}
	for _, mode := range modes {
		specs = append(specs, workload.Spec{Mode: mode})
	}
	return specs
}

// peers returns how with each number of senders and receivers that a pattern supports.
func peers(pattern workload.Pattern, how workload.Spec) []workload.Spec {
	many := func(senders, receivers, window int) workload.Spec {
		how.Senders, how.Receivers, how.Window = senders, receivers, window
		return how
	}
	specs := []workload.Spec{how}
	switch pattern {
	case workload.PushPull:
		specs = append(specs, many(3, 1, 0))
		if how.Strategy == "" {
			specs = append(specs, many(0, 3, 0))
		}
	case workload.PubSub:
		specs = append(specs, many(0, 3, 0))
	case workload.DealerRouter:
		specs = append(specs, many(0, 0, 20), many(3, 0, 7), many(1, 1, 1000))
	case workload.ReqRep:
		specs = append(specs, many(3, 0, 0))
	}
	return specs
}

// everySpec runs f as a subtest for each valid combination.
func everySpec(t *testing.T, f func(*testing.T, workload.Spec)) {
	for _, pattern := range workload.Patterns() {
		for _, transport := range workload.Transports() {
			for _, impl := range workload.Impls() {
				for _, how := range ways(pattern, impl) {
					for _, spec := range peers(pattern, how) {
						spec.Pattern, spec.Transport, spec.Impl, spec.Size, spec.Messages = pattern, transport, impl, 100, 300
						t.Run(spec.String(), func(t *testing.T) {
							t.Parallel()
							f(t, spec)
						})
					}
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
		received := 900
		if spec.Pattern == workload.PubSub {
			received *= max(spec.Receivers, 1)
		}
		require.Equal(t, received, sum.Messages)
		require.EqualValues(t, 100*received, sum.Bytes)
		require.Positive(t, sum.Elapsed)
		require.Positive(t, sum.MessagesPerSecond())
		require.InDelta(t, 100*sum.MessagesPerSecond()/1e9, sum.GBPerSecond(), 1e-6)
		require.InDelta(t, 1e9, sum.NsPerMessage()*sum.MessagesPerSecond(), 1e3)
		if spec.Strategy == workload.Pooled {
			require.EqualValues(t, 900, sum.PoolGets)
			require.Positive(t, sum.HitRate())
			require.LessOrEqual(t, sum.PoolHits, sum.PoolGets)
		} else {
			require.Zero(t, sum.PoolGets)
		}
	})
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
