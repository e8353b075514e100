package cli

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/role"
)

// An objective that no result says anything about is missed: exit code 99.
func TestObjectiveWithoutAFigure(t *testing.T) {
	t.Parallel()
	act := func(m *measurement, ctx context.Context) error {
		m.measure = func(_ context.Context, c record.Cell, method record.Method) (record.Run, record.Env, error) {
			return record.Run{Cell: c, Method: method, Messages: 1000, Elapsed: time.Second}, record.NewEnv(m.info), nil
		}
		return m.all(ctx)
	}
	// The runs have no latencies.
	out, code, err := quiet().doVerb(t, plan.Lat, act, "-s", "64", "-r", "1", "--rate", "1k", "--slo", "p99<1ms", "--slo", "lost=0", "-q")
	require.Equal(t, exitMissed, code)
	require.EqualError(t, err, "p99<1ms: no result has this figure")
	require.Contains(t, out, "\nSLO p99<1ms  -  MISSED  no result has this figure\n")
	require.Contains(t, out, "\nSLO lost=0  0  ok    lat dealerrouter inproc 64 at 1000/s\n")
}

// More than goes through: exit code 3, and no percentiles. That the load does not go
// through is only said here, since a machine that stands still is forgiven.
func TestSaturated(t *testing.T) {
	t.Parallel()
	half := record.Run{Cell: record.Cell{Rate: 1000}, Messages: 500, Due: 1000, Elapsed: time.Second, Planned: time.Second, Saturated: true}
	act := func(m *measurement, ctx context.Context) error {
		m.measure = func(_ context.Context, c record.Cell, method record.Method) (record.Run, record.Env, error) {
			r := half
			r.Cell, r.Method = c, method
			return r, record.NewEnv(m.info), nil
		}
		return m.all(ctx)
	}
	out, code, err := quiet().doVerb(t, plan.Lat, act, "-p", "reqrep", "-t", "tcp", "-s", "64", "--rate", "1k")
	require.Equal(t, exitUnfit, code)
	require.Contains(t, out, "\nSATURATED: 50.0 % of the load went through in time")
	require.NotContains(t, out, "\n due ")
	require.EqualError(t, err, "saturated, less than the offered load went through: lat reqrep tcp 64 at 1000/s; offer less, or look for the limit with zbench curve")

	p := &part{role: plan.NewRole(plan.Send)}
	err = p.judge(&role.Result{Run: half})
	require.Equal(t, exitUnfit, exitCode(err))
	require.EqualError(t, err, "saturated: 50.0 % of the offered load went through; offer less")
}
