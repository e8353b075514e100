package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/compare"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/page/browser"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// results writes n runs of each benchmark; values around a median, one percent apart.
func results(t *testing.T, head string, n int, medians map[string]float64, unit string) *series.Set {
	t.Helper()
	var b strings.Builder
	b.WriteString(head)
	for run := range n {
		for name, median := range medians {
			fmt.Fprintf(&b, "Benchmark%s-2\t10\t%g %s\n", name, median*(1+0.002*float64(run-n/2)), unit)
		}
	}
	s, err := series.Load([]string{"-"}, strings.NewReader(b.String()))
	require.NoError(t, err)
	return s
}

func gate(t *testing.T, text string) []compare.Gate {
	t.Helper()
	g, err := compare.ParseGate(text)
	require.NoError(t, err)
	return []compare.Gate{g}
}

// byName finds the change of a benchmark with one unit.
func byName(t *testing.T, r *compare.Result, name string) compare.Change {
	t.Helper()
	for _, c := range r.Changes {
		if c.Name == name {
			return c
		}
	}
	require.Fail(t, "no change of "+name)
	return compare.Change{}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		unit   string
		better int // of a value that grew
	}{
		{"msg/s", 1},
		{"GB/s", 1},
		{"MB/s", 1},
		{"sent-msg/s", 1},
		{"hit-%", 1},
		{"ns/op", -1},
		{"ns/msg", -1},
		{"p99-ns", -1},
		{"cpu-ns/msg", -1},
		{"allocs/op", -1},
		{"B/msg", -1},
		{"cgo/msg", -1},
		{"lost", -1},
		{"wonders", 0},
	} {
		old := results(t, "", 10, map[string]float64{"Same": 100, "More": 100, "Less": 100}, one.unit)
		now := results(t, "", 10, map[string]float64{"Same": 100, "More": 120, "Less": 80}, one.unit)
		r, err := compare.Compare(old, now, compare.Options{})
		require.NoError(t, err)
		more, less, same := byName(t, r, "More"), byName(t, r, "Less"), byName(t, r, "Same")
		require.True(t, more.Changed, one.unit)
		require.Equal(t, one.better, more.Better, one.unit)
		require.InDelta(t, 20, more.Percent, 1e-6)
		require.Equal(t, -one.better, less.Better, one.unit)
		require.False(t, same.Changed)
		require.Zero(t, same.Better)
		require.InDelta(t, 1, same.P, 1e-9)
	}
}

// Holm: the least probability counts as often as there are benchmarks.
func TestCorrection(t *testing.T) {
	t.Parallel()
	medians := map[string]float64{"Changed": 100}
	for i := range 9 {
		medians[fmt.Sprintf("Same%d", i)] = 100
	}
	old := results(t, "", 10, medians, "ns/op")
	alone, err := compare.Compare(
		results(t, "", 10, map[string]float64{"Changed": 100}, "ns/op"),
		results(t, "", 10, map[string]float64{"Changed": 120}, "ns/op"), compare.Options{})
	require.NoError(t, err)
	medians["Changed"] = 120
	among, err := compare.Compare(old, results(t, "", 10, medians, "ns/op"), compare.Options{})
	require.NoError(t, err)
	require.InEpsilon(t, 10*alone.Changes[0].P, byName(t, among, "Changed").P, 1e-6)
	require.True(t, byName(t, among, "Changed").Changed)

	// With four runs the least probability is 2 of 70, which ten benchmarks do not show.
	medians["Changed"] = 100
	old = results(t, "", 4, medians, "ns/op")
	medians["Changed"] = 200
	few, err := compare.Compare(old, results(t, "", 4, medians, "ns/op"), compare.Options{})
	require.NoError(t, err)
	require.True(t, few.NotPossible)
	require.Contains(t, few.Render("text", false), "4 and 4 runs are too few for a significant change among 10 benchmarks")
}

func TestGates(t *testing.T) {
	t.Parallel()
	old := results(t, "", 10, map[string]float64{"A": 100, "B": 100}, "msg/s")
	now := results(t, "", 10, map[string]float64{"A": 90, "B": 97}, "msg/s")
	for text, failed := range map[string]int{"msg/s:-5%": 1, "msg/s:5%": 1, "msg/s:-2%": 2, "msg/s:-15%": 0, "msg/s:-0": 2} {
		r, err := compare.Compare(old, now, compare.Options{Gates: gate(t, text)})
		require.NoError(t, err)
		require.Len(t, r.Failed(), failed, text)
		if failed > 0 {
			require.Contains(t, r.Render("text", false), "FAIL "+text)
			require.Contains(t, r.Render("md", false), "WORSE")
		}
	}
	// The unit as go test prints it, though seconds are counted.
	r, err := compare.Compare(results(t, "", 10, map[string]float64{"A": 100}, "ns/op"), results(t, "", 10, map[string]float64{"A": 110}, "ns/op"),
		compare.Options{Gates: gate(t, "ns/op:+5%")})
	require.NoError(t, err)
	require.Len(t, r.Failed(), 1)
}

func TestGatesAreChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"msg/s":         "use UNIT:±N%",
		":-5%":          "use UNIT:±N%",
		"msg/s:":        "is no limit",
		"msg/s:-x%":     "is no limit",
		"msg/s:--5%":    "is no limit",
		"msg/s:-NaN%":   "is no limit",
		"msg/s:-Inf%":   "is no limit",
		"msg/s:+5%":     "more msg/s is better; write msg/s:-5%",
		"allocs/op:-1%": "less allocs/op is better; write allocs/op:+1%",
		"wonders:5%":    "is not known; write wonders:+5% or wonders:-5%",
	} {
		_, err := compare.ParseGate(text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	ns := map[string]float64{"A": 100}
	here, there := "goos: linux\ncpu: Model T\n", "goos: linux\ncpu: Model A\n"
	_, err := compare.Compare(results(t, here, 10, ns, "ns/op"), results(t, there, 10, ns, "ns/op"), compare.Options{})
	require.ErrorContains(t, err, `the machines differ (cpu is "Model T" and "Model A")`)
	r, err := compare.Compare(results(t, here, 10, ns, "ns/op"), results(t, there, 10, map[string]float64{"A": 200}, "ns/op"), compare.Options{CrossMachine: true})
	require.NoError(t, err)
	require.False(t, r.Changes[0].Changed)
	require.Contains(t, r.Render("text", false), "no verdicts")
	require.Contains(t, r.Render("text", false), "+100.0 %")
	_, err = compare.Compare(results(t, here, 10, ns, "ns/op"), results(t, there, 10, ns, "ns/op"), compare.Options{CrossMachine: true, Gates: gate(t, "ns/op:5%")})
	require.ErrorContains(t, err, "--fail-on with --cross-machine")

	_, err = compare.Compare(results(t, "", 10, ns, "ns/op"), results(t, "", 10, map[string]float64{"B": 100}, "ns/op"), compare.Options{})
	require.ErrorContains(t, err, "no benchmark in common")
	_, err = compare.Compare(results(t, "", 3, ns, "ns/op"), results(t, "", 10, ns, "ns/op"), compare.Options{Gates: gate(t, "ns/op:5%")})
	require.ErrorContains(t, err, "A has 3 runs: 4 repeats are the least that can show p < 0.05")
	_, err = compare.Compare(results(t, "", 10, ns, "ns/op"), results(t, "", 10, ns, "ns/op"), compare.Options{Gates: gate(t, "msg/s:5%")})
	require.ErrorContains(t, err, "no benchmark has this unit in both results")

	broken := results(t, "", 10, ns, "ns/op")
	broken.Instrumented = []string{"x was built with -race"}
	broken.Partial = []string{"x is of a plan that was interrupted"}
	_, err = compare.Compare(broken, results(t, "", 10, ns, "ns/op"), compare.Options{})
	require.ErrorContains(t, err, "x was built with -race, which changes the times")
	require.ErrorContains(t, err, "x is of a plan that was interrupted: measure again", "all that is wrong, at once")
	broken.Instrumented = nil
	_, err = compare.Compare(broken, results(t, "", 10, ns, "ns/op"), compare.Options{AllowPartial: true})
	require.NoError(t, err)
}

// A result with runs of several machines is no basis for a verdict, either.
func TestMixedMachines(t *testing.T) {
	t.Parallel()
	here := results(t, "", 10, map[string]float64{"A": 100}, "msg/s")
	mixed := results(t, "", 10, map[string]float64{"A": 50}, "msg/s")
	mixed.Mixed = []string{`x has runs of two machines: cpu is "Model T" and "Model A"`}
	for _, sets := range [][2]*series.Set{{here, mixed}, {mixed, here}} {
		_, err := compare.Compare(sets[0], sets[1], compare.Options{})
		require.ErrorContains(t, err, "see both without verdicts with --cross-machine")
		_, err = compare.Compare(sets[0], sets[1], compare.Options{CrossMachine: true, Gates: gate(t, "msg/s:-5%")})
		require.ErrorContains(t, err, "--fail-on with --cross-machine: there are no verdicts between machines")

		r, err := compare.Compare(sets[0], sets[1], compare.Options{CrossMachine: true})
		require.NoError(t, err)
		require.False(t, r.Changes[0].Changed)
		text := r.Render("text", false)
		require.Contains(t, text, `different machines, so no verdicts: x has runs of two machines: cpu is "Model T" and "Model A"`)
		require.NotContains(t, text, "same machine")
		require.NotRegexp(t, "WORSE|better|<0.0001", text)
		page, err := r.HTML(sets[0], sets[1])
		require.NoError(t, err)
		require.Contains(t, string(page), "so there are no verdicts.")
		require.NotContains(t, string(page), "WORSE")
	}
}

// A benchmark of runs of another number of messages has other times per iteration,
// which are no change.
func TestIterationsOfAnotherLength(t *testing.T) {
	t.Parallel()
	text := func(messages, ns int) string {
		return strings.Repeat(fmt.Sprintf("BenchmarkA-2\t1\t%d ns/op\t%d ns/msg\t%d msg/op\t3 allocs/op\n", messages*ns, ns, messages), 6)
	}
	old, err := series.Load([]string{"-"}, strings.NewReader(text(10, 5)))
	require.NoError(t, err)
	now, err := series.Load([]string{"-"}, strings.NewReader(text(100, 5)))
	require.NoError(t, err)
	r, err := compare.Compare(old, now, compare.Options{})
	require.NoError(t, err)
	require.Len(t, r.Changes, 1)
	require.Equal(t, "sec/msg", r.Changes[0].Unit)
}

// The names of workloads are long, and long words do not break by themselves.
func TestHTMLInBrowser(t *testing.T) {
	t.Parallel()
	name := "Receive/pattern=routerrouter/transport=tcp/size=65536/mode=readahead/impl=go"
	old := results(t, "", 10, map[string]float64{name: 100, name + "-2": 100, "Same": 100}, "msg/s")
	now := results(t, "", 10, map[string]float64{name: 80, name + "-2": 120, "Same": 100, "New": 1}, "msg/s")
	r, err := compare.Compare(old, now, compare.Options{Gates: gate(t, "msg/s:-5%")})
	require.NoError(t, err)
	page, err := r.HTML(old, now)
	require.NoError(t, err)
	browser.Check(t, page, 0)
}
