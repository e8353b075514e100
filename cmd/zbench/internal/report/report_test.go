package report_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plot"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/report"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// bench writes results of go test -bench: six runs of each name, around ns.
func bench(cells map[string]float64, order ...string) string {
	var b strings.Builder
	b.WriteString("goos: linux\ngoarch: amd64\ncpu: Model T\n")
	for run := range 6 {
		for _, name := range order {
			ns := cells[name] * (1 + 0.01*float64(run))
			fmt.Fprintf(&b, "Benchmark%s-2\t10\t%g ns/op\t%g ns/msg\t%g msg/s\t%g cpu-ns/msg\t2 cgo/msg\t0 allocs/op\n", name, ns*1000, ns, 1e9/ns, 2*ns)
		}
	}
	return b.String()
}

func load(t *testing.T, text string) *series.Set {
	t.Helper()
	d, err := series.Load([]string{"-"}, strings.NewReader(text))
	require.NoError(t, err)
	return d
}

// named returns the Markdown of one table.
func named(t *testing.T, d *series.Set, name string) string {
	t.Helper()
	for _, table := range report.All(d) {
		if table.Name == name {
			return table.Markdown()
		}
	}
	require.Fail(t, "no table "+name)
	return ""
}

// matrix is a result with something for every plot of throughput.
func matrix() string {
	cells := map[string]float64{}
	var order []string
	for _, size := range []int{64, 1024, 65536} {
		for _, of := range []struct {
			name  string
			times float64
		}{{"tcp", 1}, {"ipc", 0.8}, {"inproc", 0.5}} {
			for _, impl := range []string{"go", "c"} {
				name := fmt.Sprintf("Receive/pattern=pushpull/transport=%s/size=%d/mode=blocking/impl=%s", of.name, size, impl)
				cells[name] = (200 + float64(size)/4) * of.times
				order = append(order, name)
			}
		}
	}
	return bench(cells, order...)
}

// What there is for a plot, and no more, and the same bytes each time.
func TestFigures(t *testing.T) {
	t.Parallel()
	d := load(t, matrix())
	figures, err := report.Figures(d)
	require.NoError(t, err)
	var names []string
	for _, f := range figures {
		names = append(names, f.Name)
		first, err := f.SVG()
		require.NoError(t, err)
		wellFormed(t, first)
		again, err := f.SVG()
		require.NoError(t, err)
		require.Equal(t, string(first), string(again))
	}
	require.Equal(t, []string{"throughput-pushpull", "modes-pushpull", "transports"}, names)
}

// Plots are of the mode and the transports that were measured: zbench thr's are batches,
// and not over tcp.
func TestFiguresOfOtherModes(t *testing.T) {
	t.Parallel()
	of := func(name string, cells ...string) plot.Figure {
		values := map[string]float64{}
		var order []string
		for _, cell := range cells {
			for i, size := range []int{64, 1024} {
				full := fmt.Sprintf("Receive/pattern=pushpull/transport=%s", strings.Replace(cell, "/", fmt.Sprintf("/size=%d/", size), 1))
				values[full] = float64(100 * (i + 1))
				order = append(order, full)
			}
		}
		figures, err := report.Figures(load(t, bench(values, order...)))
		require.NoError(t, err)
		for _, f := range figures {
			if f.Name == name {
				return f
			}
		}
		return plot.Figure{}
	}
	const inC = "C: the same loop on the same libzmq."

	f := of("throughput-pushpull", "inproc/mode=batch/impl=go")
	require.Equal(t, "PUSH to PULL over inproc: messages a second", f.Title)
	require.Equal(t, []string{"go-zmq, batch"}, lineNames(f.Lines))
	require.NotContains(t, strings.Join(f.Caption, " "), "C:", "C was not measured")

	f = of("throughput-pushpull", "inproc/mode=batch/impl=go", "tcp/mode=batch/impl=go", "tcp/mode=batch/impl=c", "tcp/mode=poll/impl=c")
	require.Equal(t, "PUSH to PULL over tcp: messages a second", f.Title)
	require.Equal(t, []string{"go-zmq, batch", "C, batch"}, lineNames(f.Lines))
	require.Contains(t, f.Caption, inC)

	f = of("throughput-pushpull", "ipc/mode=poll/impl=go", "ipc/mode=poll/impl=c")
	require.Equal(t, []string{"go-zmq, poll", "C, poll"}, lineNames(f.Lines))
	require.Contains(t, f.Caption, inC)

	f = of("throughput-pushpull", "tcp/mode=batch/impl=go", "tcp/mode=batch/impl=c", "tcp/mode=blocking/impl=c")
	require.Equal(t, []string{"go-zmq, batch", "C"}, lineNames(f.Lines))
	require.Contains(t, f.Caption, "C: zmq_send and a zmq_recv that waits, on the same libzmq.")

	f = of("modes-pushpull", "inproc/mode=batch/impl=go", "inproc/mode=batch/impl=c")
	require.Equal(t, "PUSH to PULL over inproc: modes, in percent of C", f.Title)

	f = of("transports", "inproc/mode=batch/impl=go", "ipc/mode=batch/impl=go", "tcp/mode=batch/impl=go", "tcp/mode=blocking/impl=go")
	require.Equal(t, "PUSH to PULL, batch: messages a second over each transport", f.Title)
	require.Equal(t, []string{"inproc", "ipc", "tcp"}, lineNames(f.Lines))
	f = of("transports", "ipc/mode=batch/impl=go", "tcp/mode=batch/impl=go", "ipc/mode=blocking/impl=go", "tcp/mode=blocking/impl=go")
	require.Equal(t, "PUSH to PULL: messages a second over each transport", f.Title)
	require.Empty(t, of("transports", "tcp/mode=batch/impl=go", "ipc/mode=poll/impl=go").Lines)
}

func lineNames(lines []plot.Line) []string {
	var names []string
	for _, l := range lines {
		names = append(names, l.Name)
	}
	return names
}

func wellFormed(t *testing.T, text []byte) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(string(text)))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

// records is a result of zbench's: throughput beside C, and an open loop.
func records(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	w := record.NewWriter(&b)
	env := record.NewEnv(machine.Info{
		Zbench: "v0.1.0", Go: "go1.26.8", Libzmq: "4.3.4", CPU: "Model <T>", Cores: 2, GOMAXPROCS: 2, System: "linux/amd64 6.1.9", Virtual: true,
	})
	require.NoError(t, w.Plan(record.Plan{ID: "p", Command: "matrix", Flags: map[string]string{"transport": "tcp", "size": "64"}, Repeat: 6}))
	require.NoError(t, w.Env(env))
	for repeat := range 6 {
		for _, impl := range []string{"go", "c"} {
			require.NoError(t, w.Run(record.Run{
				Cell: record.Cell{Verb: record.Thr, Pattern: "pushpull", Transport: "tcp", Size: 64, Mode: "batch", Impl: impl},
				Env:  env.ID, Repeat: repeat + 1, Messages: 1_000_000, Bytes: 64_000_000,
				Elapsed: time.Second + time.Duration(repeat)*time.Millisecond, CPU: time.Second, Crossings: 20_000,
			}))
		}
		for _, rate := range []float64{1e4, 1e5} {
			h, hiccup := record.NewHistogram(), record.NewHistogram()
			for i := range 2000 {
				x := float64(i+1) / 2001
				record.Observe(h, time.Duration(50_000/(1-x)*(1+rate/1e5)))
				record.Observe(hiccup, time.Duration(200/(1-x)))
			}
			due, err := record.NewLatency(h)
			require.NoError(t, err)
			machine, err := record.NewLatency(hiccup)
			require.NoError(t, err)
			run := record.Run{
				Cell: record.Cell{Verb: record.Lat, Pattern: "dealerrouter", Transport: "tcp", Size: 256, Impl: "go", Rate: rate, Arrivals: "uniform"},
				Env:  env.ID, Repeat: repeat + 1, Messages: 20_000, Due: 20_000, Elapsed: time.Second,
				Latency: map[string]*record.Latency{record.Due: due, record.Machine: machine},
			}
			if repeat == 0 {
				run.Warnings = []string{"steal 3 %"}
			}
			require.NoError(t, w.Run(run))
		}
	}
	require.NoError(t, w.End(record.End{Plan: "p", Complete: true}))
	return "a line of a log\n" + b.String()
}

func TestRecords(t *testing.T) {
	t.Parallel()
	d := load(t, records(t))
	require.Empty(t, d.Partial)
	require.Regexp(t, `\| receive \| go \| 997\.5 k \| .* \| 1000 \| 0\.00 \| 0\.02 \| 0 \| 100 % \|`, strings.Join(strings.Fields(named(t, d, "throughput")), " "))
	latency := named(t, d, "latency")
	require.Regexp(t, `lat dealerrouter tcp 256 at 10000/s \| from the due time \| 55\S* µs \| 110 µs \|`, latency)
	require.Contains(t, latency, "the machine's hiccups")

	dir := t.TempDir()
	require.NoError(t, report.WriteDir(dir, d))
	again, err := series.Load([]string{dir}, nil)
	require.NoError(t, err)
	require.Equal(t, report.Render(d, "md"), strings.ReplaceAll(report.Render(again, "md"), again.From, d.From))
	lines, err := series.Load([]string{filepath.Join(dir, "bench.txt")}, nil)
	require.NoError(t, err)
	require.Len(t, lines.Series, len(d.Series))
	for _, name := range []string{"latency", "load"} {
		svg, err := os.ReadFile(filepath.Join(dir, "plots", name+".svg"))
		require.NoError(t, err)
		wellFormed(t, svg)
	}
}

// Records beside lines of go test -bench are not all that there is.
func TestRecordsAndLines(t *testing.T) {
	t.Parallel()
	lines := filepath.Join(t.TempDir(), "bench.txt")
	require.NoError(t, os.WriteFile(lines, []byte("BenchmarkCall/api=send/size=64-2 10 100 ns/op\n"), 0o600))
	both, err := series.Load([]string{"-", lines}, strings.NewReader(records(t)))
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, report.WriteDir(dir, both))
	again, err := series.Load([]string{filepath.Join(dir, "bench.txt")}, nil)
	require.NoError(t, err)
	require.Len(t, again.Series, len(both.Series))
}

// The percentiles that were asked for are those of the report: of several results those
// of all.
func TestRecordsWithOtherPercentiles(t *testing.T) {
	t.Parallel()
	write := func(shown ...float64) string {
		data := load(t, records(t)).Records
		var b strings.Builder
		w := record.NewWriter(&b)
		for _, env := range data.Envs {
			require.NoError(t, w.Env(env))
		}
		for _, run := range data.Runs {
			run.Method.Percentiles = shown
			require.NoError(t, w.Run(run))
		}
		return b.String()
	}
	other := write(50, 99.5, 25)
	d := load(t, other)
	latency := named(t, d, "latency")
	require.Contains(t, latency, "| workload | latency | min | p25 | p50 | p99.5 | max | mean | count |")
	require.Regexp(t, `from the due time \| \S+ µs \| 73\.\d+ µs \| 110 µs \| 10\.\d+ ms \|`, latency)
	page, err := report.HTML(d)
	require.NoError(t, err)
	require.Contains(t, string(page), "p99.5")
	require.NotContains(t, string(page), "p99.9")

	figures, err := report.Figures(d)
	require.NoError(t, err)
	for _, f := range figures {
		switch f.Name {
		case "latency":
			require.Equal(t, []plot.Tick{{Value: 100. / 75, Label: "p25"}, {Value: 2, Label: "p50"}, {Value: 200, Label: "p99.5"}}, f.X.Ticks)
		case "load":
			require.Equal(t, []string{"p25", "p50", "p99.5"}, lineNames(f.Lines))
		}
	}

	require.Contains(t, named(t, load(t, other+write()), "latency"), "| min | p25 | p50 | p90 | p99 | p99.5 | p99.9 | p99.99 | max |")
}
