package workload_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/bench/cfloor"
	"github.com/go-zmq/go-zmq/bench/workload"
	"github.com/go-zmq/go-zmq/zmq"
)

// runTwice runs a workload, which checks its messages.
func runTwice(t *testing.T, spec workload.Spec) {
	t.Helper()
	spec.Messages = 300
	w := open(t, spec)
	for range 2 {
		r, err := w.Run()
		require.NoError(t, err)
		require.Equal(t, spec.Received(), r.Messages)
		require.EqualValues(t, spec.Received()*spec.Size, r.Bytes)
	}
}

// The patterns of the draft API, in all modes.
func TestDraftPatterns(t *testing.T) {
	t.Parallel()
	for _, pattern := range workload.DraftPatterns() {
		for _, impl := range workload.Impls() {
			for _, mode := range workload.Modes() {
				for _, peers := range []int{1, 3} {
					spec := workload.Spec{
						Pattern: pattern, Transport: workload.TCP, Mode: mode, Impl: impl, Size: 100, Receivers: peers,
					}
					t.Run(spec.String(), func(t *testing.T) {
						t.Parallel()
						if !zmq.Has("draft") {
							_, err := workload.Open(t.Context(), spec)
							require.ErrorIs(t, err, zmq.ErrNotSupported)
							return
						}
						runTwice(t, spec)
					})
				}
			}
		}
	}
}

// A run pins the threads of both ends and of libzmq, and undoes it.
func TestPin(t *testing.T) {
	t.Parallel()
	allowed := cfloor.Affinity()
	if len(allowed) == 0 {
		t.Skip("the system does not say on which processors a thread runs")
	}
	first, last := allowed[0], allowed[len(allowed)-1]
	pin := fmt.Sprintf("%d/%d/%d", first, last, last)
	for _, pattern := range []workload.Pattern{workload.PushPull, workload.ReqRep} {
		for _, impl := range workload.Impls() {
			t.Run(fmt.Sprint(pattern, impl), func(t *testing.T) {
				t.Parallel()
				runTwice(t, workload.Spec{
					Pattern: pattern, Transport: workload.TCP, Mode: workload.Blocking, Impl: impl, Size: 100, Pin: pin,
				})
			})
		}
	}
	// A run on a processor that does not exist fails.
	none := -1
	for cpu := range 1024 {
		if !slices.Contains(allowed, cpu) {
			none = cpu
		}
	}
	for _, impl := range workload.Impls() {
		w := open(t, workload.Spec{
			Pattern: workload.PushPull, Transport: workload.TCP, Mode: workload.Blocking, Impl: impl, Size: 100, Messages: 10,
			Pin: fmt.Sprintf("%d/%d", none, first),
		})
		_, err := w.Run()
		require.ErrorContains(t, err, "invalid argument", "the error of the system")
	}
}
