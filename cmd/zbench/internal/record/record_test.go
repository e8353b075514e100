package record_test

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

func latency(t require.TestingT, durations ...time.Duration) *record.Latency {
	h := record.NewHistogram()
	for _, d := range durations {
		record.Observe(h, d)
	}
	l, err := record.NewLatency(h)
	require.NoError(t, err)
	return l
}

func exampleRun(t require.TestingT) record.Run {
	return record.Run{
		Cell:   record.Cell{Verb: record.Lat, Pattern: "dealerrouter", Transport: "tcp", Size: 256, Impl: "go", Rate: 1000, Arrivals: "uniform"},
		Env:    "abc",
		Repeat: 2,
		Start:  time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC),
		Method: record.Method{Warmup: time.Second, Duration: 3 * time.Second, Pace: "sleep"},

		Messages: 3000, Bytes: 768_000, Elapsed: 3 * time.Second, Due: 3000, Planned: 3 * time.Second,
		CPU: 300 * time.Millisecond, Allocs: 6000, AllocBytes: 48_000, Crossings: 9000,
		Latency: map[string]*record.Latency{record.Due: latency(t, time.Microsecond, time.Millisecond), record.Sent: latency(t, time.Microsecond)},
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	env := record.NewEnv(machine.Info{CPU: "Model T", Cores: 2, GOMAXPROCS: 2})
	run := exampleRun(t)
	run.Env = env.ID
	failed := run
	failed.Invalid = "a socket failed"

	var b bytes.Buffer
	b.WriteString("a line of a log\n")
	w := record.NewWriter(&b)
	plan := record.Plan{ID: "p", Start: run.Start, Command: "lat", Args: []string{"--rate=1000"}, Repeat: 2}
	require.NoError(t, w.Write(plan))
	for _, r := range []record.Run{run, failed} {
		require.NoError(t, w.Write(env))
		require.NoError(t, w.Write(r))
		b.WriteString("{\"schema\":\"another\"}\n")
	}

	killed, err := record.Load(strings.NewReader(b.String()), "-")
	require.NoError(t, err)
	require.True(t, killed.Partial())
	end := record.End{Plan: "p", Complete: true}
	require.NoError(t, w.Write(end))

	data, err := record.Load(&b, "-")
	require.NoError(t, err)
	require.False(t, data.Partial())
	require.Equal(t, &record.Data{Plans: []record.Plan{plan}, Ends: []record.End{end}, Envs: []record.Env{env}, Runs: []record.Run{run, failed}}, data)
	require.Equal(t, []record.Cell{run.Cell}, data.Cells())
	require.Len(t, data.Of(run.Cell), 2)
	require.True(t, data.Runs[0].Valid())
	require.False(t, data.Runs[1].Valid())
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"schema":"zbench/9","kind":"run"}` + "\n":                `standard input:1: the record has the form "zbench/9", this zbench reads "zbench/1": use the version that wrote it`,
		"\n" + `{"schema":"zbench/1","kind":"run","cell":{"verb":`: "standard input:2: incomplete record",
		"nothing of ours\n":                        "no records in -; make some with zbench thr -o DIR",
		`{"schema":"zbench/1","kind":"later"}`:     "no records in -",
		`{"schema":"zbench/1","kind":"run"` + "\n": "standard input:1: incomplete record",
	} {
		_, err := record.Load(strings.NewReader(text), "-")
		require.ErrorContains(t, err, want)
	}
	_, err := record.Load(nil, t.TempDir())
	require.ErrorContains(t, err, "no results: ")
}

func TestFigures(t *testing.T) {
	t.Parallel()
	run := exampleRun(t)
	for unit, want := range map[string]float64{
		"msg/s": 1000, "cgo/msg": 3, "allocs/msg": 2, "B/msg": 16, "cpu-ns/msg": 100_000, "lost": 0,
		"p50-ns": 1000, "p99.9-ns": 1e6, "p75-ns": 1e6, "max-ns": 1e6, "min-ns": 1000, "mean-ns": 500_500,
	} {
		got, ok := run.Figure(unit)
		require.True(t, ok, unit)
		require.InEpsilon(t, want+1, got+1, 0.002, unit)
	}
	_, ok := run.Figure("p101-ns")
	require.False(t, ok)
	run.Saturated = true
	_, ok = run.Figure("p99-ns")
	require.False(t, ok, "the percentiles of a queue that grows mean nothing")
	require.InDelta(t, 1, run.Achieved(), 1e-9)

	// A sender that spins uses a processor whatever a message costs. A closed loop has no
	// such sender, whatever its plan says.
	run.Method.Pace = "spin"
	_, ok = run.Figure("cpu-ns/msg")
	require.False(t, ok)
	run.Cell.Rate = 0
	_, ok = run.Figure("cpu-ns/msg")
	require.True(t, ok)

	// Who counts messages that go by has not timed any.
	for _, counting := range []record.Cell{{Verb: "recv", Pattern: "pushpull"}, {Verb: "send", Pattern: "pubsub"}, {Verb: "echo", Pattern: "reqrep"}, {Verb: "send", Pattern: "radiodish"}} {
		role := record.Run{Cell: counting, Messages: 1000, Bytes: 64_000, Elapsed: time.Millisecond}
		_, ok := role.Figure("mean-ns")
		require.False(t, ok, "%s", counting)
		ns, ok := role.Figure("ns/msg")
		require.True(t, ok, "%s", counting)
		gigabytes, has := role.Figure("GB/s")
		require.Equal(t, ok, has, "%s", counting)
		if ok {
			require.InDelta(t, 1000, ns, 1e-9)
			require.InDelta(t, 0.064, gigabytes, 1e-9)
		}
	}

	thr := record.Run{Cell: record.Cell{Verb: record.Thr}, Messages: 1000, Bytes: 64_000, Elapsed: time.Millisecond}
	ns, ok := thr.Figure("ns/msg")
	require.True(t, ok)
	require.InDelta(t, 1000, ns, 1e-9)
}

// What a cell is said to have, its runs have.
func TestHas(t *testing.T) {
	t.Parallel()
	for _, pace := range []string{"spin", "sleep"} {
		for _, of := range []record.Cell{
			{Verb: record.Thr},
			{Verb: record.Lat},
			{Verb: record.Lat, Rate: 1000},
			{Verb: record.Lat, Pattern: "pushpull", Rate: 1000},
			{Verb: "recv", Pattern: "pushpull"},
			{Verb: "send", Pattern: "pushpull", Rate: 1000},
		} {
			run := exampleRun(t)
			run.Cell, run.Method.Pace = of, pace
			if of.Verb == record.Thr {
				run.Latency = nil
			}
			for _, unit := range []string{"msg/s", "GB/s", "ns/msg", "cpu-ns/msg", "cgo/msg", "B/msg", "allocs/msg", "lost", "p50-ns", "p99.5-ns", "max-ns", "mean-ns", "min-ns"} {
				_, ok := run.Figure(unit)
				require.Equal(t, ok, of.Has(unit, pace), "%s %s %s", of, pace, unit)
			}
		}
	}
}

// A name's last part must not look like a number of processors to benchstat.
func TestNames(t *testing.T) {
	t.Parallel()
	for want, cell := range map[string]record.Cell{
		"Thr/pattern=pushpull/transport=tcp/size=64/mode=batch/impl=go":                 {Verb: "thr", Pattern: "pushpull", Transport: "tcp", Size: 64, Mode: "batch", Impl: "go"},
		"Lat/pattern=reqrep/transport=tcp/size=1/impl=c":                                {Verb: "lat", Pattern: "reqrep", Transport: "tcp", Size: 1, Impl: "c"},
		"Lat/pattern=dealerrouter/transport=tcp/size=0/receivers=4/rate=100000/impl=go": {Verb: "lat", Pattern: "dealerrouter", Transport: "tcp", Impl: "go", Receivers: 4, Rate: 1e5, Arrivals: "uniform"},
	} {
		require.Equal(t, want, cell.Name())
	}
}

// Percentiles of several runs are those of all their values together.
func TestMergedIsTheUnion(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SliceOf(rapid.Int64Range(-5, math.MaxInt64)), 1, 5).Draw(t, "parts")
		union := record.NewHistogram()
		var runs []record.Run
		for _, part := range parts {
			h := record.NewHistogram()
			for _, v := range part {
				record.Observe(h, time.Duration(v))
				record.Observe(union, time.Duration(v))
			}
			l, err := record.NewLatency(h)
			require.NoError(t, err)
			if l != nil {
				runs = append(runs, record.Run{Latency: map[string]*record.Latency{record.Due: l}})
			}
		}
		merged, err := record.Merge(runs)
		require.NoError(t, err)
		want, err := record.NewLatency(union)
		require.NoError(t, err)
		require.Equal(t, want, merged[record.Due])
	})
}

func TestADamagedHistogramIsAnError(t *testing.T) {
	t.Parallel()
	l := latency(t, time.Second)
	l.HDR = l.HDR[:len(l.HDR)/2]
	_, err := l.Histogram()
	require.Error(t, err)
	_, err = record.Merge([]record.Run{{Latency: map[string]*record.Latency{"due": l}}})
	require.Error(t, err)
}
