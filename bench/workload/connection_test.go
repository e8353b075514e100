package workload_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/bench/workload"
	"github.com/go-zmq/go-zmq/zmq"
)

func TestEncryptedWorkloads(t *testing.T) {
	t.Parallel()
	for _, pattern := range workload.Patterns() {
		for _, transport := range []workload.Transport{workload.TCP, workload.IPC} {
			for _, impl := range workload.Impls() {
				spec := workload.Spec{
					Pattern: pattern, Transport: transport, Mode: workload.Blocking, Impl: impl, Size: 100, Messages: 300, Curve: true,
				}
				t.Run(spec.String(), func(t *testing.T) {
					t.Parallel()
					if !zmq.Has("curve") {
						_, err := workload.Open(t.Context(), spec)
						require.ErrorIs(t, err, zmq.ErrNotSupported)
						return
					}
					_, err := open(t, spec).Run()
					require.NoError(t, err)
				})
			}
		}
	}
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(i + 1)
	}
	for percent, want := range map[float64]time.Duration{0: 1, 0.5: 1, 1: 1, 50: 50, 50.1: 51, 99: 99, 99.9: 100, 100: 100, -1: 1, 101: 100} {
		require.Equal(t, want, workload.Percentile(hundred, percent), percent)
	}
	require.Equal(t, time.Duration(7), workload.Percentile([]time.Duration{7}, 50))
	require.Zero(t, workload.Percentile(nil, 50))
}
