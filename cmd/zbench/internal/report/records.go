package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plot"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// throughputs has a row for everything of a result of zbench's that went as fast as it
// could, for what each role counted, and for everything of another result that no other
// table knows.
func throughputs(d *series.Set) *Table {
	var all []*series.Series
	for _, s := range d.Series {
		if (len(percentiles(s)) == 0 || has(s, "verb")) && timeUnit(s) != "" {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return nil
	}
	keys := columns(all, "verb")
	head := table.Row{"benchmark"}
	for _, key := range keys {
		head = append(head, key)
	}
	words := len(head)
	head = append(head, "msg/s", "±", "GB/s", "cpu ns/msg", "allocs/msg", "crossings/msg", "lost", "% of C")
	var rows []table.Row
	runs := math.MaxInt
	for _, s := range all {
		unit := timeUnit(s)
		name := strings.ToLower(s.Base)
		if verb := s.Keys["verb"]; verb != "" { // of a role
			name = verb
		}
		row := table.Row{name}
		for _, key := range keys {
			row = append(row, s.Keys[key])
		}
		center, percent := s.Median(unit)
		rate := ""
		if center > 0 { // else there was one message, and no time between two
			rate = si(1 / center)
		}
		row = append(row, rate, percent, figureOf(s, "GB/s", 1, "%.3g"), figureOf(s, cpuUnit(unit), 1e9, "%.0f"),
			figureOf(s, "allocs/msg", 1, "%.2f"), crossings(s), figureOf(s, "lost", 1, "%.0f"))
		ofC := ""
		if floor := d.Twin(s, "c"); floor != nil && floor != s && floor.Has(unit) {
			of, _ := floor.Median(unit)
			ofC = fmt.Sprintf("%.0f %%", 100*of/center)
		}
		rows = append(rows, append(row, ofC))
		runs = min(runs, len(s.Values[unit]))
	}
	t := newTable(words, head, rows)
	n := fmt.Sprintf("Medians of %d runs, ± 95 %% confidence interval", runs)
	if runs < 6 {
		n += ", which fewer than 6 runs do not give (∞)"
	}
	if slices.ContainsFunc(all, func(s *series.Series) bool { return s.Keys["transport"] == "inproc" && s.Has("GB/s") }) {
		t.say(record.Nominal)
	}
	return t.say("%s.", n).sayCommon(all)
}

// figureOf shows the median of a unit, nothing where it was not measured.
func figureOf(s *series.Series, unit string, factor float64, format string) string {
	if !s.Has(unit) {
		return ""
	}
	center, _ := s.Median(unit)
	return fmt.Sprintf(format, factor*center)
}

// latencyNames are those of a record, in the order in which they are shown, with what
// they are.
var latencyNames = []struct{ name, is string }{
	{record.RTT, "round trip"},
	{record.Due, "from the due time"},
	{record.Sent, "from the sending"},
	{record.Pacer, "late to send"},
	{record.Machine, "the machine's hiccups"},
}

// recordedLatencies has the percentiles of all runs of a cell together: those of the
// merged histograms, since a mean of percentiles means nothing.
func recordedLatencies(d *series.Set) (*Table, error) {
	all, err := d.Records.Summaries()
	if err != nil {
		return nil, err
	}
	shown := shownOf(all)
	head := table.Row{"workload", "latency", "min"}
	for _, p := range shown {
		head = append(head, record.PercentileName(p))
	}
	head = append(head, "max", "mean", "count")
	var rows []table.Row
	saturated := 0
	for _, s := range all {
		workload := s.Cell.String()
		if s.Saturated() {
			saturated++
			rows = append(rows, table.Row{workload, "SATURATED"})
			continue
		}
		for _, l := range latencyNames {
			have := s.Latency[l.name]
			if have == nil {
				continue
			}
			row := table.Row{workload, l.is, plot.Nanoseconds(float64(have.Min))}
			for _, p := range shown {
				row = append(row, plot.Nanoseconds(have.Percentile(p)))
			}
			rows = append(rows, append(row, plot.Nanoseconds(float64(have.Max)), plot.Nanoseconds(have.Mean), have.Count))
			workload = ""
		}
	}
	t := newTable(2, head, rows)
	if t == nil {
		return nil, nil
	}
	t.say("Percentiles of all valid runs together.")
	if slices.ContainsFunc(all, func(s record.Summary) bool { return s.Latency[record.Due] != nil }) {
		t.say("From the due time: what a user sees, coordinated omission included. Where the pacer or the machine carries the tail, the library did not.")
	}
	if saturated > 0 {
		t.say("SATURATED: less went through than was offered, so that latencies are those of a queue that grows.")
	}
	return t, nil
}

// recordedSpectrum is the plot of the same: every percentile from the histograms, and
// the machine's hiccups beside them.
func recordedSpectrum(d *series.Set) (plot.Figure, error) {
	all, err := d.Records.Summaries()
	if err != nil {
		return plot.Figure{}, err
	}
	all = slices.DeleteFunc(all, func(s record.Summary) bool { return s.Main() == nil || s.Saturated() })
	g := &graph{}
	var machine *record.Latency
	for _, s := range all {
		if len(g.lines) >= mostLines-1 {
			break
		}
		if err := g.spectrum(s.Cell.String(), false, s.Main(), len(s.Runs)); err != nil {
			return plot.Figure{}, err
		}
		if l := s.Latency[record.Machine]; l != nil && (machine == nil || l.Percentile(99.9) > machine.Percentile(99.9)) {
			machine = l
		}
	}
	if machine != nil {
		if err := g.spectrum("the machine's hiccups", true, machine, g.runs); err != nil {
			return plot.Figure{}, err
		}
	}
	axis := plot.Axis{Label: "percentile", Log: true}
	for _, p := range shownOf(all) {
		if p < 100 {
			axis.Ticks = append(axis.Ticks, plot.Tick{Value: nines(p), Label: record.PercentileName(p)})
		}
	}
	f, err := g.figure(d, plot.Figure{Title: "Latency: percentiles", X: axis, Y: timeAxis("latency", g.lines)})
	if err == nil {
		f.Caption[0] = fmt.Sprintf("All of %d runs together.", g.runs)
		if left := len(all) - (mostLines - 1); left > 0 {
			f.Caption[0] += fmt.Sprintf(" %d more workloads are in the table.", left)
		}
	}
	return f, err
}

// shownOf returns the percentiles that --percentiles asked for of any of the workloads,
// in their order.
func shownOf(all []record.Summary) (shown []float64) {
	for _, s := range all {
		for i := range s.Runs {
			shown = append(shown, s.Runs[i].Method.Shown()...)
		}
	}
	if len(shown) == 0 {
		return record.Percentiles
	}
	slices.Sort(shown)
	return slices.Compact(shown)
}

// nines is where a percentile stands on its axis. It is a whole number where that is
// meant: 10 for p90.
func nines(p float64) float64 {
	x := 100 / (100 - p)
	if whole := math.Round(x); math.Abs(x-whole) < 1e-6*x {
		return whole
	}
	return x
}

// spectrum adds a line of percentiles; those that so few values cannot have are left
// out.
func (g *graph) spectrum(name string, floor bool, l *record.Latency, runs int) error {
	h, err := l.Histogram()
	if err != nil {
		return err
	}
	for _, x := range []float64{1.25, 1.6, 2, 3, 4, 5, 7, 10, 20, 40, 70, 100, 200, 400, 700, 1000, 2000, 4000, 7000, 10000} {
		if x > float64(l.Count) {
			break
		}
		if v := float64(h.ValueAtPercentile(100 * (1 - 1/x))); v > 0 {
			g.add(name, floor, plot.Point{X: x, Y: v, Low: v, High: v}, runs)
		}
	}
	return nil
}
