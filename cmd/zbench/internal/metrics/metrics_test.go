package metrics

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

// A cell's rate is that since it began, however long others were measured before, and
// then that since the scrape before.
func TestRateOfACellThatBeginsLate(t *testing.T) {
	t.Parallel()
	s := Sample{Cell: "late", Pattern: "pair"}
	c := newCollector(Run{Each: func() []Sample { return []Sample{s} }})
	achieved := func() float64 {
		t.Helper()
		registry := prometheus.NewRegistry()
		require.NoError(t, registry.Register(c))
		families, err := registry.Gather()
		require.NoError(t, err)
		for _, f := range families {
			if f.GetName() == "zbench_achieved_rate" {
				return f.GetMetric()[0].GetGauge().GetValue()
			}
		}
		require.Fail(t, "there is no rate")
		return 0
	}
	c.start = time.Now().Add(-100 * time.Second)
	require.Zero(t, achieved(), "it warms up")
	c.rates["late"].then = time.Now().Add(-50 * time.Second) // when that was

	s.Began = time.Now().Add(-10 * time.Second)
	s.Messages = 10_000_000
	require.InEpsilon(t, 1e6, achieved(), 0.5)

	c.rates["late"].then = time.Now().Add(-10 * time.Second)
	s.Messages += 20_000_000
	require.InEpsilon(t, 2e6, achieved(), 0.5)

	// One that no scrape saw before.
	s = Sample{Cell: "later", Pattern: "pair", Began: time.Now().Add(-10 * time.Second), Messages: 10_000_000}
	require.InEpsilon(t, 1e6, achieved(), 0.5)
}
