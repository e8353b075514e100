package series_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

const lines = "goos: linux\ncpu: Model T\nBenchmarkA/size=64/impl=go-2 10 100 ns/op 50 p99-ns 3 MB/s\nBenchmarkA/size=64/impl=go-2 10 120 ns/op 60 p99-ns 4 MB/s\nBenchmarkA/size=64/impl=c-2 10 90 ns/op\n"

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestLoadReadsWhatIsWritten(t *testing.T) {
	t.Parallel()
	s, err := series.Load([]string{write(t, "bench.txt", lines)}, nil)
	require.NoError(t, err)
	require.Len(t, s.Series, 2)
	one := s.Named("A/size=64/impl=go")
	require.NotNil(t, one)
	require.Equal(t, map[string]string{"size": "64", "impl": "go"}, one.Keys)
	require.Equal(t, []string{"sec/op", "p99-sec", "B/s"}, one.UnitsInOrder())
	require.InDeltaSlice(t, []float64{100e-9, 120e-9}, one.Values["sec/op"], 1e-15)
	require.Same(t, s.Named("A/size=64/impl=c"), s.Twin(one, "c"))
	require.Nil(t, s.Sibling(one, map[string]string{"impl": ""}))
	require.Equal(t, map[string]string{"goos": "linux", "cpu": "Model T", "GOMAXPROCS": "2"}, s.Machine)

	// What is written is read again, in the units that go test prints.
	var b strings.Builder
	require.NoError(t, s.WriteBench(&b))
	require.Contains(t, b.String(), "BenchmarkA/size=64/impl=go-2\t10\t100 ns/op\t50 p99-ns\t3 MB/s\n")
	again, err := series.Load([]string{"-"}, strings.NewReader(b.String()))
	require.NoError(t, err)
	require.Len(t, again.Series, 2)
	require.Equal(t, s.Machine, again.Machine)
}

// Several results of one machine are one, of two machines none.
func TestSeveral(t *testing.T) {
	t.Parallel()
	s, err := series.Load([]string{write(t, "a.txt", lines), write(t, "b.txt", lines+"BenchmarkB 1 1 ns/op\n")}, nil)
	require.NoError(t, err)
	require.Len(t, s.Series, 3)
	require.Len(t, s.Named("A/size=64/impl=go").Values["sec/op"], 4)
	require.Len(t, s.Named("A/size=64/impl=go").Iters, 4)
	_, err = series.Load([]string{write(t, "a.txt", lines), write(t, "b.txt", strings.Replace(lines, "Model T", "Model A", 1))}, nil)
	require.ErrorContains(t, err, `are of two machines: cpu is "Model T" and "Model A"`)
}

func TestEnv(t *testing.T) {
	t.Parallel()
	path := write(t, "bench.txt", lines)
	env := "cores: 2\nlibzmq: libzmq.so.5.2.4\ngo: go1.26.8 linux/amd64\nkernel: Linux 6.18.44-fc\ncommand: -bench . -race ., 10 interleaved runs\n"
	require.NoError(t, os.WriteFile(strings.TrimSuffix(path, ".txt")+".env", []byte(env), 0o600))
	s, err := series.Load([]string{filepath.Dir(path)}, nil)
	require.NoError(t, err)
	require.Equal(t, "go1.26", s.Machine["go"])
	require.Equal(t, "6.18", s.Machine["kernel"])
	require.Len(t, s.Instrumented, 1)
	require.Empty(t, s.Unfit)
}

// What make bench wrote down of the load is judged as what a record has.
func TestLoadOfEnv(t *testing.T) {
	t.Parallel()
	const unfit = "was measured with load average 2.4 before the start on 2 processors, from where zbench env says not to publish"
	for env, want := range map[string]string{
		"cores: 2\nload at start: 2.36, 2.62, 7.68\n": unfit,
		"load at start: 2,36, 2,62, 7,68\ncores: 2\n": unfit,
		"cores: 2\nload at start: 2.36 2.62 7.68\n":   unfit,
		"cores: 2\nload at start: 2.00, 9.62, 9.68\n": "",
		"cores: 4\nload at start: 2.36, 2.62, 7.68\n": "",
		"load at start: 2.36, 2.62, 7.68\n":           "", // on how many, nobody knows
		"cores: 2\nload at start: unknown\n":          "",
		"cores: 2\n":                                  "",
	} {
		path := write(t, "bench.txt", lines)
		require.NoError(t, os.WriteFile(strings.TrimSuffix(path, ".txt")+".env", []byte(env), 0o600))
		s, err := series.Load([]string{path}, nil)
		require.NoError(t, err)
		if want == "" {
			require.Empty(t, s.Unfit, env)
			continue
		}
		require.Len(t, s.Unfit, 1, env)
		require.Contains(t, s.Unfit[0], want)
	}
}

func TestRecordsAndTheirFaults(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	w := record.NewWriter(&b)
	info := machine.Info{CPU: "Model T", Cores: 2, GOMAXPROCS: 2, Go: "go1.26.8", System: "linux/amd64 6.18.1", Instrumented: "-race"}
	info.Turbo, info.Mitigations = "on", map[string]string{"mds": "Mitigation: none"}
	another := info
	another.CPU, another.Instrumented = "Model A", ""
	require.NoError(t, w.Plan(record.Plan{ID: "p"}))
	run := record.Run{Cell: record.Cell{Verb: record.Thr, Pattern: "pushpull", Transport: "tcp", Size: 64, Impl: "c"}, Messages: 10, Elapsed: time.Second}
	for _, i := range []machine.Info{info, another} {
		env := record.NewEnv(i)
		require.NoError(t, w.Env(env))
		run.Env = env.ID
		require.NoError(t, w.Run(run))
	}
	run.Cell.Impl = "go"
	require.NoError(t, w.Run(run))
	run.Warnings = []string{"a thread that slept woke up to 8ms late"}
	require.NoError(t, w.Run(run))
	run.Invalid = "a socket failed"
	require.NoError(t, w.Run(run))
	s, err := series.Load([]string{"-"}, strings.NewReader("a line of a log\n"+b.String()))
	require.NoError(t, err)
	require.Len(t, s.Series, 2)
	require.Equal(t, "go", s.Series[0].Keys["impl"], "before C, in whichever order they were measured")
	require.Len(t, s.Series[0].Iters, 2, "the failed run is left out")
	require.Equal(t, []string{"1 of 5 runs of standard input were disturbed (a thread that slept woke up to 8ms late)"}, s.Unfit)
	require.Equal(t, []string{"standard input was built with -race"}, s.Instrumented)
	require.Equal(t, []string{"1 of 5 runs of standard input are not valid (a socket failed)", "standard input is of a plan that was interrupted"}, s.Partial)
	require.Len(t, s.Mixed, 1, "what machines are like beside their names keeps none apart")
	require.Subset(t, s.Env, []string{"turbo: on", "mitigation: mds: Mitigation: none", "verdict: do not publish from here"})
	require.Equal(t, 1, s.Units.GetBetter("msg/s"))
	require.Equal(t, -1, s.Units.GetBetter("lost"))
}

// What a run has not measured leaves no gap that the next run's values move into.
func TestRunsOfWhichSomeAreSaturated(t *testing.T) {
	t.Parallel()
	h := record.NewHistogram()
	record.Observe(h, time.Millisecond)
	due, err := record.NewLatency(h)
	require.NoError(t, err)
	var b strings.Builder
	w := record.NewWriter(&b)
	env := record.NewEnv(machine.Info{CPU: "Model T", Cores: 2, GOMAXPROCS: 2})
	require.NoError(t, w.Env(env))
	for i := range 2 {
		require.NoError(t, w.Run(record.Run{
			Cell: record.Cell{Verb: record.Lat, Pattern: "dealerrouter", Transport: "tcp", Size: 64, Impl: "go", Rate: 1000, Arrivals: "uniform"},
			Env:  env.ID, Repeat: i + 1, Saturated: i == 0, Messages: 1000, Elapsed: time.Second, Latency: map[string]*record.Latency{record.Due: due},
		}))
	}
	first, err := series.Load([]string{"-"}, strings.NewReader(b.String()))
	require.NoError(t, err)
	b.Reset()
	require.NoError(t, first.WriteBench(&b))
	require.Contains(t, b.String(), "\nUnit p99-ns better=lower\n")
	again, err := series.Load([]string{"-"}, strings.NewReader(b.String()))
	require.NoError(t, err)
	other, err := series.Load([]string{write(t, "bench.txt", b.String()), write(t, "more.txt", b.String())}, nil)
	require.NoError(t, err)
	for _, set := range []*series.Set{first, again, other} {
		require.Equal(t, -1, set.Units.GetBetter("p99-sec"))
		require.Len(t, set.Series, 1)
		one := set.Series[0]
		for run := range one.Iters {
			_, ok := one.Of(run, "p99-sec")
			require.Equal(t, run%2 == 1, ok)
			_, ok = one.Of(run, "msg/s")
			require.True(t, ok)
		}
		require.Len(t, one.Values["p99-sec"], len(one.Iters)/2)
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	for want, path := range map[string]string{
		"no such file":                   "nowhere",
		"neither results.jsonl nor":      t.TempDir(),
		"has no benchmark results":       write(t, "empty.txt", "nothing\n"),
		"this zbench reads":              write(t, "new.jsonl", `{"schema":"zbench/9","kind":"run"}`+"\n"),
		"the line is no whole record":    write(t, "cut.jsonl", `{"schema":"zbench/1","kind":"ru`),
		"parsing iteration count":        write(t, "broken.txt", "BenchmarkA x 1 ns/op\n"),
		"no results: name a file or a d": "",
	} {
		paths := []string{path}
		if path == "" {
			paths = nil
		}
		_, err := series.Load(paths, nil)
		require.ErrorContains(t, err, want)
	}
}
