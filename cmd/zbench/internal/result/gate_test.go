package result_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/result"
)

// check compares and returns what the gate says.
func check(t *testing.T, old, now *record.Data, text string) error {
	t.Helper()
	gates := []result.Gate{mustGate(t, text)}
	c, err := result.Compare(old, now, gates)
	require.NoError(t, err)
	return c.Check(gates)
}

// A gate has no power if the correction for the number of cells hides every change: here all
// cells became half as fast.
func TestGateOfManyCells(t *testing.T) {
	t.Parallel()
	var old, now [][]record.Run
	for size := range 10 {
		old = append(old, thr(thrCell("tcp", size), 500, 501, 502, 503))
		now = append(now, thr(thrCell("tcp", size), 1000, 1001, 1002, 1003))
	}
	require.Equal(t, record.NoPower, record.ExitCode(check(t, data(old...), data(now...), "msg/s:-5%")))
}

// A figure that fell to 0 has become better, whatever could have been seen.
func TestGateOfFigureThatFellToZero(t *testing.T) {
	t.Parallel()
	old := thr(thrCell("tcp", 64), 500, 500, 500, 500, 500, 500)
	for i := range old {
		old[i].Allocs = 2000
	}
	now := thr(thrCell("tcp", 64), 500, 500, 500, 500, 500, 500)
	require.NoError(t, check(t, data(old), data(now), "allocs/msg:+0"))
}

// A load that is saturated has no percentiles: a gate on them does not pass.
func TestGateOfSaturatedLoad(t *testing.T) {
	t.Parallel()
	ms := time.Millisecond
	good := open(t, "ipc", 1000, false, ms, ms, ms, ms, ms, ms)
	old := data(good, open(t, "tcp", 1000, false, ms, ms, ms, ms, ms, ms))
	now := data(good, open(t, "tcp", 1000, true, ms, ms, ms, ms, ms, ms))
	require.Equal(t, record.NoPower, record.ExitCode(check(t, old, now, "p99:+10%")))
}

// A gate may name any percentile.
func TestGateOfAnyPercentile(t *testing.T) {
	t.Parallel()
	ms := time.Millisecond
	d := data(open(t, "tcp", 1000, false, ms, ms, ms, ms, ms, ms))
	require.NoError(t, check(t, d, d, "p95:+10%"))
}
