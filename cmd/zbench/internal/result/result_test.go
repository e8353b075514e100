package result_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/result"
)

var env = record.NewEnv(machine.Info{CPU: "Model T", Cores: 8, GOMAXPROCS: 8, Go: "go1.26.8", Libzmq: "4.3.5", Zbench: "v1"})

func thrCell(transport string, size int) record.Cell {
	return record.Cell{Verb: record.Thr, Pattern: "pushpull", Transport: transport, Size: size, Mode: "batch", Impl: "go"}
}

// thr are runs of a throughput cell that take so many ns per message.
func thr(c record.Cell, ns ...float64) (runs []record.Run) {
	for i, v := range ns {
		runs = append(runs, record.Run{
			Plan: "p", Env: env.ID, Cell: c, Repeat: i + 1, Start: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
			Messages: 1000, Bytes: int64(1000 * c.Size), Elapsed: time.Duration(1000 * v),
		})
	}
	return runs
}

// open are runs of an offered load whose latencies go up to most.
func open(t *testing.T, transport string, rate float64, saturated bool, most ...time.Duration) (runs []record.Run) {
	t.Helper()
	c := record.Cell{Verb: record.Lat, Pattern: "dealerrouter", Transport: transport, Size: 64, Impl: "go", Rate: rate, Arrivals: "uniform"}
	for i, m := range most {
		h := record.NewHistogram()
		for n := range 1000 {
			record.Observe(h, m*time.Duration(n+1)/1000)
		}
		l, err := record.NewLatency(h)
		require.NoError(t, err)
		r := record.Run{
			Plan: "p", Env: env.ID, Cell: c, Repeat: i + 1, Start: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Saturated: saturated,
			Messages: 1000, Bytes: 64_000, Elapsed: time.Second, Due: 1000, Planned: time.Second, SendTime: time.Second,
			Latency:  map[string]*record.Latency{record.Due: l, record.Sent: l, record.Machine: l},
			Timeline: []record.Moment{{At: time.Second / 2, P50: 1000, P99: 2000, Max: 3000}, {At: time.Second, P50: 2000, P99: 3000, Max: 4000}},
		}
		if saturated {
			r.Due, r.Unsent = 2000, 900
		}
		runs = append(runs, r)
	}
	return runs
}

func data(runs ...[]record.Run) *record.Data {
	d := &record.Data{
		Plans: []record.Plan{{ID: "p", Command: "lat", Args: []string{"--slo=p99<1ms"}, Repeat: 1}},
		Envs:  []record.Env{env}, Ends: []record.End{{Plan: "p", Complete: true}},
	}
	for _, r := range runs {
		d.Runs = append(d.Runs, r...)
	}
	return d
}

func text(t *testing.T, d *record.Data, wide bool) string {
	t.Helper()
	all, err := d.Summaries()
	require.NoError(t, err)
	var b strings.Builder
	for _, table := range result.Tables(d, all, wide) {
		b.WriteString(table.In("text") + "\n")
	}
	return b.String()
}

func TestThroughputTable(t *testing.T) {
	t.Parallel()
	got := text(t, data(thr(thrCell("tcp", 64), 490, 500, 500, 500, 510, 700), thr(thrCell("ipc", 64), 250)), false)
	require.Equal(t, `Throughput, one way at full speed: median of 1 run

TRANSPORT  SIZE  API     MSG/S     ±     BYTES  NS/MSG  CPU NS/MSG  ALLOCS/MSG
ipc        64    batch  4.00 M        256 MB/s     250           0        0.00
tcp        64    batch  2.00 M  29 %  128 MB/s     500           0        0.00

pattern pushpull

`, got)
	for line := range strings.Lines(got) {
		require.LessOrEqual(t, len([]rune(line)), 80+len("\n"), line)
	}
	require.Contains(t, text(t, data(thr(thrCell("tcp", 64), 500)), true), "CGO/MSG")
}

// Offered, sent and completed are always shown, also if percentiles are not.
func TestLoadTables(t *testing.T) {
	t.Parallel()
	one := text(t, data(open(t, "tcp", 1000, false, time.Millisecond)), false)
	require.Contains(t, one, "Latency under load: dealerrouter over tcp, 64 B, uniform arrivals")
	require.Regexp(t, `(?m)^latency, from the due time +500 µs +900 µs +99\d µs`, one)
	require.Contains(t, one, "offered 1.00 k, sent 1.00 k, completed 1.00 k msg/s, 100.0 % in time\npercentiles of 1 run merged")

	saturated := text(t, data(open(t, "tcp", 2000, true, time.Millisecond)), false)
	require.Contains(t, saturated, "SATURATED")
	require.Contains(t, saturated, "offered 2.00 k, sent 1.10 k, completed 1.00 k msg/s, 50.0 % in time")
	require.NotContains(t, saturated, "µs", "percentiles of a growing queue mean nothing")

	d := data(open(t, "tcp", 2000, true, time.Millisecond), open(t, "tcp", 1000, false, time.Millisecond))
	d.Verdicts = []record.Verdict{{Plan: "p", Cell: d.Runs[1].Cell.String(), Objective: "p99<1µs", Result: "1 ms"}}
	curve := text(t, d, false)
	require.Regexp(t, `(?m)^ *1\.00 k +1\.00 k +1\.00 k +500 µs .* missed$`, curve)
	require.Regexp(t, `(?m)^ *2\.00 k +1\.10 k +1\.00 k +SATURATED$`, curve)
	d.Runs = append(d.Runs, open(t, "tcp", 2000, false, time.Millisecond)...)
	again := text(t, d, false)
	require.Regexp(t, `(?m)^ *2\.00 k .* 1/2 SATURATED$`, again)
	for line := range strings.Lines(one + saturated + curve + again) {
		require.LessOrEqual(t, len([]rune(line)), 80+len("\n"), line)
	}
}

// A merged percentile is that of all values, and lies between those of the runs.
func TestPercentilesAreMerged(t *testing.T) {
	t.Parallel()
	got := text(t, data(open(t, "tcp", 1000, false, time.Millisecond, 3*time.Millisecond)), false)
	require.Contains(t, got, "2 runs merged")
	require.Regexp(t, `(?m)^latency, from the due time .* 2\.9\d ms +2\.99 ms +3\.00 ms`, got)
}

func TestNoise(t *testing.T) {
	t.Parallel()
	summaries := func(d *record.Data) []record.Summary {
		all, err := d.Summaries()
		require.NoError(t, err)
		return all
	}
	quiet := summaries(data(thr(thrCell("tcp", 64), 500, 501, 502, 503, 504, 505)))
	require.Equal(t, "noise: low (±0 %); changes below 1 % are invisible", result.Noise(quiet))
	noisy := data(thr(thrCell("tcp", 64), 300, 400, 500, 600, 700, 900))
	noisy.Runs[2].Warnings = []string{"the host took 3.0 % of the processor time"}
	require.Regexp(t, `^noise: high \(±\d+ %\), 1 of 6 runs disturbed; changes below \d{2,3} % are invisible$`, result.Noise(summaries(noisy)))
	require.Equal(t, []string{"thr pushpull tcp 64 batch: 1 of 6 runs disturbed: the host took 3.0 % of the processor time"}, result.Disturbances(summaries(noisy)))
	// Runs that the machine disturbed agree only by chance.
	for disturbed, want := range []string{"low", "moderate", "moderate", "high"} {
		quiet := data(thr(thrCell("tcp", 64), 500, 501, 502, 503, 504, 505))
		for i := range disturbed {
			quiet.Runs[i].Warnings = []string{"a sleeping thread woke up 6ms late"}
		}
		require.Contains(t, result.Noise(summaries(quiet)), "noise: "+want+" (±0 %)", "%d of 6", disturbed)
	}
	require.Equal(t, "noise: low (±0 %); too few runs to show any change, use --repeat 6 or more", result.Noise(summaries(data(thr(thrCell("tcp", 64), 500, 500, 500)))))
	require.Equal(t, "noise: unknown; use --repeat 3 or more", result.Noise(summaries(data(thr(thrCell("tcp", 64), 500)))))
}

// The smallest visible change is one: a larger one is significant, a smaller one is not.
func TestVisible(t *testing.T) {
	t.Parallel()
	_, ok := result.Visible([]float64{1, 2, 3}, 1)
	require.False(t, ok, "three values show no change")
	share, ok := result.Visible([]float64{100, 101, 102, 103, 104, 105}, 1)
	require.True(t, ok)
	require.InDelta(t, 0.04, share, 0.02)
	wide, ok := result.Visible([]float64{50, 80, 100, 120, 150, 190}, 1)
	require.True(t, ok)
	require.Greater(t, wide, 0.5)
}

func mustGate(t *testing.T, text string) result.Gate {
	t.Helper()
	g, err := result.ParseGate(text)
	require.NoError(t, err)
	return g
}

// The libraries of benchstat read the lines of benchmarks.
func TestBench(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, result.Bench(&out, data(thr(thrCell("tcp", 64), 1000), open(t, "tcp", 1000, false, time.Millisecond))))
	reader := benchfmt.NewReader(&out, "bench.txt")
	found := map[string]float64{}
	for reader.Scan() {
		switch r := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			require.Fail(t, r.Error())
		case *benchfmt.Result:
			require.Len(t, r.Config, 1, "benchstat keeps tables apart by configuration")
			for _, unit := range []string{"msg/s", "sec/msg", "p99-sec"} {
				if v, ok := r.Value(unit); ok {
					found[r.Name.String()+" "+unit] = v
				}
			}
		}
	}
	require.NoError(t, reader.Err())
	require.InEpsilon(t, 1e6, found["Thr/pattern=pushpull/transport=tcp/size=64/mode=batch/impl=go-8 msg/s"], 1e-9)
	require.InEpsilon(t, 1e-6, found["Thr/pattern=pushpull/transport=tcp/size=64/mode=batch/impl=go-8 sec/msg"], 1e-9)
	require.InEpsilon(t, 1e-3, found["Lat/pattern=dealerrouter/transport=tcp/size=64/rate=1000/impl=go-8 p99-sec"], 0.02)
}

func TestCSV(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	failed := thr(thrCell("tcp", 64), 1000, 1)
	failed[1].Invalid = "interrupted"
	require.NoError(t, result.CSV(&out, data(failed, open(t, "tcp", 1000, false, time.Millisecond))))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 3)
	at := func(row int, head string) string {
		for i, h := range rows[0] {
			if h == head {
				return rows[row][i]
			}
		}
		return "no column " + head
	}
	require.Equal(t, "1000000", at(1, "msg/s"))
	require.Equal(t, "", at(1, "p99-ns"))
	require.Equal(t, "1", at(1, "invalid"))
	require.Equal(t, "1000", at(2, "rate"))
}

// A directory has everything that can be made from the records, a file only these, and
// neither is written over.
func TestStore(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"dir", "file.jsonl"} {
		path := filepath.Join(t.TempDir(), name)
		s, err := result.Open(path)
		require.NoError(t, err)
		require.NoError(t, s.Write(record.Plan{ID: "p"}))
		require.NoError(t, s.Write(env))
		for _, r := range thr(thrCell("tcp", 64), 500) {
			require.NoError(t, s.Write(r))
		}
		d, err := record.Load(nil, path)
		require.NoError(t, err)
		require.True(t, d.Partial(), "until its end is there")
		require.NoError(t, s.Write(record.End{Plan: "p", Complete: true}))
		require.NoError(t, s.Close([]byte("verb: thr\n")))
		d, err = record.Load(nil, path)
		require.NoError(t, err)
		require.False(t, d.Partial())
		if name == "dir" {
			for _, made := range []string{"bench.txt", "summary.csv", "summary.md", "report.html", "plan.yaml"} {
				require.FileExists(t, filepath.Join(path, made))
			}
		}
		_, err = result.Open(path)
		require.ErrorIs(t, err, os.ErrExist)
	}
}

// The first screen has the date, the verdict, the objectives and the headline; then come
// charts, one for each transport; environment and noise are folded.
func TestPage(t *testing.T) {
	t.Parallel()
	d := data(thr(thrCell("tcp", 64), 500), thr(thrCell("tcp", 1024), 900), thr(thrCell("ipc", 64), 250), thr(thrCell("ipc", 1024), 400),
		open(t, "tcp", 1000, false, time.Millisecond), open(t, "ipc", 1000, false, time.Millisecond), open(t, "ipc", 2000, false, 2*time.Millisecond))
	d.Verdicts = []record.Verdict{{Plan: "p", Cell: "lat", Objective: "p99<1µs", Result: "1 ms"}, {Plan: "p", Cell: "lat", Objective: "max<1h", Result: "1 ms", Met: true}}
	d.Runs[0].Warnings = []string{"<the> host"}
	var page bytes.Buffer
	require.NoError(t, result.HTML(&page, d))
	got := page.String()
	last := 0
	for _, want := range []string{
		"<h1>zbench lat: <span class=\"bad\">1 of 2 objectives missed</span></h1>", "Fri, 02 Jan 2026 03:04:05 UTC", "<b>4.00 M msg/s</b>", "p99&lt;1µs", "MISSED",
		"noise: ", "Throughput over ipc, msg/s", "Latency over ipc", "Latency against load over ipc", "Throughput over tcp, msg/s", "Latency over tcp",
		"Latency over time", "<h2>Throughput", "<details><summary>Noise: disturbed runs", "&lt;the&gt; host", "<details><summary>Environment", "zbench lat --slo=",
	} {
		at := strings.Index(got[last:], want)
		require.GreaterOrEqual(t, at, 0, "%s, after %d", want, last)
		last += at
	}
	require.NotRegexp(t, `(src|href)=`, got, "nothing of a network")
	require.NotContains(t, got, "NaN")
	first := []string{"1 of 2 objectives missed", "Fri, 02 Jan 2026 03:04:05 UTC", "2.00 M msg/s", "p99<1µs", "MISSED", "noise: "}
	checkPage(t, page.Bytes(), strings.Count(got, "<svg"), first...)
	checkPrint(t, page.Bytes(), "zbench lat: 1 of 2 objectives missed", first...)
}

// A flag in a text is not broken after its hyphens.
func TestPageFlags(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	require.NoError(t, result.HTML(&page, data(thr(thrCell("tcp", 64), 500))))
	require.Contains(t, page.String(), `use <span class="flag">--repeat</span> 3 or more</p>`)
}

// The best cell of each transport is a headline, and what a search found.
func TestHeadlines(t *testing.T) {
	t.Parallel()
	page := func(d *record.Data) string {
		var page bytes.Buffer
		require.NoError(t, result.HTML(&page, d))
		head, _, _ := strings.Cut(page.String(), `class="noise"`)
		return head
	}
	got := page(data(thr(thrCell("tcp", 64), 500), thr(thrCell("tcp", 1024), 900), thr(thrCell("ipc", 1024), 400), thr(thrCell("ipc", 64), 250),
		open(t, "tcp", 1000, false, time.Millisecond), open(t, "tcp", 2000, false, 2*time.Millisecond), open(t, "tcp", 4000, true, time.Second)))
	for _, want := range []string{"<b>2.00 M msg/s</b><span>tcp, pushpull 64 B", "<b>4.00 M msg/s</b><span>ipc, pushpull 64 B", "<span>tcp, dealerrouter 64 B at 2000/s"} {
		require.Contains(t, got, want)
	}
	require.Equal(t, 3, strings.Count(got, "<b>"))
	d := data(open(t, "tcp", 1000, false, time.Millisecond))
	d.Plans[0].Command = "curve"
	d.Verdicts = []record.Verdict{{Cell: "lat tcp", Objective: "highest rate with p99<1s", Result: "12.0 k msg/s, to within 5 %", Met: true}}
	require.Contains(t, page(d), "<b>12.0 k msg/s</b><span>highest rate with p99&lt;1s, lat tcp</span>")
}

// The verdict counts what failed and what was missed, and says if the end is missing.
func TestHeading(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*record.Data){
		"2 runs, all valid":                    func(*record.Data) {},
		"1 of 2 runs failed":                   func(d *record.Data) { d.Runs[0].Invalid = "a socket failed" },
		"INTERRUPTED, 1 run, all valid":        func(d *record.Data) { d.Runs[1].Invalid, d.Ends = record.Interrupted, nil },
		"INTERRUPTED, no run was finished":     func(d *record.Data) { d.Runs, d.Ends = d.Runs[:1], nil; d.Runs[0].Invalid = record.Interrupted },
		"INTERRUPTED, 1 of 1 objective missed": func(d *record.Data) { d.Verdicts, d.Ends = []record.Verdict{{}}, nil },
		"all objectives met":                   func(d *record.Data) { d.Verdicts = []record.Verdict{{Met: true}} },
	} {
		d := data(thr(thrCell("tcp", 64), 500, 501))
		change(d)
		require.True(t, strings.HasSuffix(result.Heading(d), ", Fri, 02 Jan 2026 03:04:05 UTC: "+want), "%s, not %s", result.Heading(d), want)
	}
}

// Values that are equal or tiny can be drawn.
func TestCharts(t *testing.T) {
	t.Parallel()
	line := func(values ...float64) result.Line {
		l := result.Line{Name: "a & b"}
		for i, v := range values {
			l.Points = append(l.Points, result.Point{X: float64(i + 1), Y: v})
		}
		return l
	}
	for _, lines := range [][]result.Line{{line(1, 20, 300)}, {line(5, 5, 5)}, {line(1e-9, 1e-8)}, {line(7)}, {line(7), line(8)}, make12(line)} {
		for _, log := range []bool{true, false} {
			c := result.Chart{Title: "t < 1", XLog: log, YLog: log, Lines: lines, XName: func(v float64) string { return fmt.Sprint(v) }, YName: func(v float64) string { return fmt.Sprint(v) }}
			svg := c.SVG()
			require.NotRegexp(t, "NaN|Inf", svg)
			require.Contains(t, svg, "t &lt; 1")
			require.Contains(t, svg, "a &amp; b")
			require.Equal(t, len(lines) > 8, strings.Contains(svg, "t &lt; 1 (the first 8 of 12)"))
		}
	}
}

func make12(line func(...float64) result.Line) (all []result.Line) {
	for i := range 12 {
		all = append(all, line(float64(i+1), 5))
	}
	return all
}
