package result_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
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

// A gate that could not see what it is to catch does not pass: a drop of 17 % in noise, and
// one in too few runs.
func TestGateWithoutPower(t *testing.T) {
	t.Parallel()
	gate, err := result.ParseGate("msg/s:-5%")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		old, now []float64
		want     string
	}{
		"noise": {[]float64{300, 400, 500, 600, 700, 900}, []float64{350, 470, 590, 700, 820, 1050}, "the smallest change that could be seen is "},
		"few":   {[]float64{500, 501, 502}, []float64{500, 501, 502}, "too few runs (3 and 3) show no change; use --repeat 6 or more"},
	} {
		comparison, err := result.Compare(data(thr(thrCell("tcp", 64), c.old...)), data(thr(thrCell("tcp", 64), c.now...)), []result.Gate{gate})
		require.NoError(t, err)
		err = comparison.Check([]result.Gate{gate})
		require.Equal(t, record.NoPower, record.ExitCode(err), name)
		require.ErrorContains(t, err, c.want, name)
	}
	losses, err := result.ParseGate("lost:+0")
	require.NoError(t, err)
	comparison, err := result.Compare(data(thr(thrCell("tcp", 64), 1, 2, 3)), data(thr(thrCell("tcp", 64), 1, 2, 3)), []result.Gate{losses})
	require.NoError(t, err)
	require.NoError(t, comparison.Check([]result.Gate{losses}), "both have none")
}

func TestParseGate(t *testing.T) {
	t.Parallel()
	require.Equal(t, "p99.9-ns", mustGate(t, "p99.9:+5%").Unit)
	require.Equal(t, "max-ns", mustGate(t, "max:5%").Unit)
	require.Equal(t, 5.0, mustGate(t, "msg/s:-5%").Percent)
	for text, want := range map[string]string{
		"msg/s": "use FIGURE:±N%", "msg/s:fast": "is not a limit", "msg/s:+5%": "more msg/s is better; write msg/s:-5%",
		"allocs/msg:-1": "less allocs/msg is better", "speed:5%": "unknown figure", "msg/s:--5%": "is not a limit",
	} {
		_, err := result.ParseGate(text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestCompareRefuses(t *testing.T) {
	t.Parallel()
	good := func() *record.Data { return data(thr(thrCell("tcp", 64), 500, 501, 502, 503)) }
	for want, change := range map[string]func(now *record.Data, gates *[]result.Gate){
		"the results have no cell in common":           func(now *record.Data, _ *[]result.Gate) { now.Runs = thr(thrCell("ipc", 64), 5) },
		"runs of the new result failed or are missing": func(now *record.Data, _ *[]result.Gate) { now.Ends = nil },
		`the machines differ (cpu is "Model T" and "Model A")`: func(now *record.Data, _ *[]result.Gate) {
			now.Envs = []record.Env{record.NewEnv(machine.Info{CPU: "Model A", Cores: 8, GOMAXPROCS: 8, Go: "go1.26.8", Libzmq: "4.3.5"})}
		},
		"the new result was built with -race": func(now *record.Data, _ *[]result.Gate) {
			e := env
			e.Instrumented = "-race"
			now.Envs = []record.Env{e}
		},
		"--fail-on p99:+1%: no cell has this figure": func(_ *record.Data, gates *[]result.Gate) { *gates = []result.Gate{mustGate(t, "p99:+1%")} },
	} {
		var gates []result.Gate
		now := good()
		change(now, &gates)
		_, err := result.Compare(good(), now, gates)
		require.Equal(t, record.Usage, record.ExitCode(err), want)
		require.ErrorContains(t, err, want)
	}
}
