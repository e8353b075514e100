package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// planned returns the session of a verb in which one measures the cells.
func planned(t *testing.T, verb string, one load.Measured, args ...string) (*session, *bytes.Buffer) {
	t.Helper()
	p := plan.New(verb)
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	p.Flags(flags)
	require.NoError(t, flags.Parse(args))
	p.Read()
	cells, err := p.Check(plan.Facts{Has: func(string) bool { return true }, Now: time.Now()})
	require.NoError(t, err)
	cmd, out := &cobra.Command{}, &bytes.Buffer{}
	cmd.SetContext(t.Context())
	return &session{cmd: cmd, plan: p, cells: cells, out: out, bar: newProgress(out), one: one}, out
}

// ofLatency returns a run of an offered load, all of whose messages took as long.
func ofLatency(t *testing.T, c record.Cell, m record.Method, took time.Duration) record.Run {
	t.Helper()
	h := record.NewHistogram()
	for range 1000 {
		record.Observe(h, took)
	}
	r := record.Run{Cell: c, Method: m, Start: time.Now(), Messages: 1000, Due: 1000, Elapsed: time.Second, Planned: time.Second, SendTime: time.Second}
	require.NoError(t, load.Keep(&r, record.Due, h))
	return r
}

// A rate that was good once and never again is not the result. A search without a result that
// was good again says so and ends with 3, and a rate that missed is not called good.
func TestCurveWithoutConfirmation(t *testing.T) {
	t.Parallel()
	tried := map[float64]int{}
	s, out := planned(t, plan.Curve, func(_ context.Context, c record.Cell, m record.Method, _ *load.Tally) (record.Run, error) {
		took := 100 * time.Microsecond
		if tried[c.Rate]++; tried[c.Rate] > 1 {
			took = time.Second
		}
		return ofLatency(t, c, m, took), nil
	}, "--slo", "p99<1ms", "-d", "60s")
	err := s.curve()
	require.Equal(t, record.Unfit, record.ExitCode(err), "%v", err)
	require.ErrorContains(t, err, "not confirmed; use a longer --duration")
	require.Contains(t, out.String(), "not confirmed, UNKNOWN")
	require.Regexp(t, `(?m)^ *32\.8 M .* 1\.00 s .* missed 1/2$`, out.String(), "what is shown is what decided")
	require.Contains(t, out.String(), "met 2/3: in 2 of 3 runs, which decide and are shown\n")
}

// The result is confirmed, also at the last rate, and its precision is claimed only if the
// repeats agree.
func TestCurveConfirms(t *testing.T) {
	t.Parallel()
	measure := func(limit float64) load.Measured {
		return func(_ context.Context, c record.Cell, m record.Method, _ *load.Tally) (record.Run, error) {
			if c.Rate > limit {
				return ofLatency(t, c, m, time.Second), nil
			}
			return ofLatency(t, c, m, time.Microsecond), nil
		}
	}
	for want, args := range map[string][]string{
		"3.13 k msg/s, to within 5 %, met":                          nil,
		"2.00 k msg/s or more, the last that was tried (--to), met": {"--to", "2k"},
	} {
		s, out := planned(t, plan.Curve, measure(3200), append(args, "--slo", "p99<1ms", "-d", "60s")...)
		require.NoError(t, s.curve())
		require.Contains(t, strings.Join(strings.Fields(out.String()), " "), want)
	}
	// Each rate from 2000 on is good and bad in turn, and bad at first.
	n := map[float64]int{}
	s, out := planned(t, plan.Curve, func(ctx context.Context, c record.Cell, m record.Method, _ *load.Tally) (record.Run, error) {
		n[c.Rate]++
		return measure(float64(2000*(n[c.Rate]%2)*map[bool]int{true: 10, false: 1}[c.Rate > 3000]+1000))(ctx, c, m, nil)
	}, "--slo", "p99<1ms", "-d", "60s")
	require.NoError(t, s.curve())
	require.Contains(t, out.String(), "; repeats place the limit")
	require.NotContains(t, out.String(), "5 %")
}
