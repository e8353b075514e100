package workload_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/bench/workload"
)

// A run sends more messages than the high-water mark (HWM), so the sender has to wait.
func TestMarksInAMode(t *testing.T) {
	t.Parallel()
	for _, pattern := range []workload.Pattern{workload.RouterRouter, workload.PushPull, workload.PubSub} {
		for _, mode := range workload.Modes() {
			for _, impl := range workload.Impls() {
				spec := workload.Spec{
					Pattern: pattern, Transport: workload.InProc, Mode: mode, Impl: impl, Size: 64, Marks: true,
					Messages: 5 * workload.HighWater(64),
				}
				t.Run(spec.String(), func(t *testing.T) {
					t.Parallel()
					require.Contains(t, spec.String(), "/mode="+string(mode)+"/marks=on/impl=")
					w, err := workload.Open(t.Context(), spec)
					require.NoError(t, err)
					r, err := w.Run()
					require.NoError(t, err)
					require.Equal(t, spec.Messages, r.Messages)
					require.NoError(t, w.Close())
				})
			}
		}
	}
}
