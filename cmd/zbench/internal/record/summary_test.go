package record_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	first, second, failed := exampleRun(t), exampleRun(t), exampleRun(t)
	first.Latency = map[string]*record.Latency{record.Due: latency(t, time.Microsecond)}
	second.Latency = map[string]*record.Latency{record.Due: latency(t, time.Millisecond)}
	second.Elapsed *= 2
	second.Lost = 4
	failed.Invalid = "interrupted"
	data := record.Data{Runs: []record.Run{first, failed, second}}

	all, err := data.Summaries()
	require.NoError(t, err)
	require.Len(t, all, 1)
	s := all[0]
	require.Len(t, s.Runs, 2)
	require.Len(t, s.Invalid, 1)
	require.EqualValues(t, 2, s.Main().Count)
	for unit, want := range map[string]float64{"msg/s": 750, "lost": 4, "max-ns": 1e6, "min-ns": 1000, "p50-ns": 1000, "p99-ns": 1e6} {
		got, ok := s.Figure(unit)
		require.True(t, ok, unit)
		require.InEpsilon(t, want, got, 0.002, unit)
	}
	_, ok := s.Figure("furlongs")
	require.False(t, ok)

	require.False(t, s.Saturated())
	s.Runs[0].Saturated = true
	require.True(t, s.Saturated())
	for _, unit := range []string{"p99-ns", "max-ns"} {
		_, ok = s.Figure(unit)
		require.False(t, ok, unit)
	}
}
