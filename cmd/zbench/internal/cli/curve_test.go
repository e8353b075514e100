package cli

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/result"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/slo"
)

// searched is a curve on a system that takes so much, and becomes slow before.
func searched(t *testing.T, from, takes, slow float64, objective string, rates ...float64) (m *measurement, shown string) {
	t.Helper()
	var out bytes.Buffer
	p, cmd := plan.New(plan.Curve), &cobra.Command{}
	p.Flags(cmd.Flags())
	p.From, p.To, p.Repeat, p.NoBar, p.Quiet, p.Rates = from, 10_000, 1, true, true, rates
	if objective != "" {
		o, err := slo.Parse(objective)
		require.NoError(t, err)
		p.SLO = []slo.Objective{o}
	}
	cell := record.Cell{Verb: record.Lat, Pattern: "dealerrouter", Transport: "inproc", Size: 64, Impl: "go", Senders: 1, Receivers: 1, Rate: from}
	m = &measurement{cmd: cmd, plan: p, cells: []record.Cell{cell}, out: &out}
	var err error
	m.dir, err = result.Open(t.TempDir(), false)
	require.NoError(t, err)
	for i, rate := range rates {
		m.cells = append(m.cells[:i], cell)
		m.cells[i].Rate = rate
	}
	m.measure = func(_ context.Context, c record.Cell, method record.Method) (record.Run, record.Env, error) {
		latency := time.Microsecond
		if c.Rate > slow {
			latency = time.Second
		}
		h := record.NewHistogram()
		record.Observe(h, latency)
		l, err := record.NewLatency(h)
		return record.Run{
			Cell: c, Method: method, Messages: 100, Due: 100, Elapsed: time.Second, Planned: time.Second,
			Saturated: c.Rate > takes, Latency: map[string]*record.Latency{record.Due: l},
		}, record.Env{}, err
	}
	require.NoError(t, m.curve(t.Context()))
	require.NoError(t, m.dir.Close())
	return m, out.String()
}

// A search ends at the highest rate that is good: that goes through, and meets the
// objectives.
func TestCurveSearch(t *testing.T) {
	t.Parallel()
	_, shown := searched(t, 50, 1e9, 120, "p50<1ms")
	require.Contains(t, shown, "highest rate meeting p50<1ms: 119 msg/s (lat dealerrouter inproc 64; to within 5 %)\n")
	_, shown = searched(t, 50, 300, 1e9, "")
	require.Contains(t, shown, "highest rate going through: 300 msg/s (lat dealerrouter inproc 64; to within 5 %)\n")

	_, shown = searched(t, 3000, 1e9, 1e9, "")
	require.Contains(t, shown, "highest rate going through: 10.0 k msg/s or more (lat dealerrouter inproc 64; the search ended there, with --to)\n")

	m, shown := searched(t, 50, 1e9, 10, "p50<1ms")
	require.NotContains(t, shown, "highest rate")
	require.Equal(t, exitMissed, exitCode(m.outcome.err()))
	require.ErrorContains(t, m.outcome.err(), "no rate is good, not even 50.0 msg/s; begin with a lower --from, or ask for less")
}

// What is kept as the plan of a search are the rates that it came to.
func TestCurvePlan(t *testing.T) {
	t.Parallel()
	m, _ := searched(t, 50, 1e9, 120, "p50<1ms")
	p, flags := plan.New(plan.Matrix), pflag.NewFlagSet("", pflag.ContinueOnError)
	p.Flags(flags)
	require.NoError(t, flags.Parse([]string{"-f", m.dir.Path("plan.yaml")}))
	require.NoError(t, p.Read(flags, func(string) (string, bool) { return "", false }))
	require.Equal(t, []float64{50, 100, 113, 119, 122, 125, 150, 200}, p.Rates)
	require.Equal(t, []string{"dealerrouter"}, p.Patterns)
}

// Rates that were given are judged, too, if there are objectives: the highest that is good
// is named, and none is a failure.
func TestCurveOfGivenRates(t *testing.T) {
	t.Parallel()
	m, shown := searched(t, 0, 250, 120, "p50<1ms", 100, 50, 200)
	require.Contains(t, shown, "highest of these rates meeting p50<1ms: 100 msg/s (lat dealerrouter inproc 64)\n")
	require.NoError(t, m.outcome.err())

	m, shown = searched(t, 0, 250, 10, "p50<1ms", 100, 50)
	require.NotContains(t, shown, "highest")
	require.Equal(t, exitMissed, exitCode(m.outcome.err()))
	require.ErrorContains(t, m.outcome.err(), "lat dealerrouter inproc 64: none of --rates meets p50<1ms; offer less load, or ask for less")

	m, shown = searched(t, 0, 10, 10, "", 100, 50)
	require.NotContains(t, shown, "highest")
	require.NoError(t, m.outcome.err(), "it is to be seen which are too much")
}
