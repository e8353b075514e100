package report

import (
	"cmp"
	"slices"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plot"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// usual are the keys of a workload that differs from the usual in nothing else.
var usual = []string{"pattern", "transport", "size", "mode", "impl"}

// receives are the series of one pattern that differ in size and mode, over tcp or, where
// that was not measured, over the transport that comes first.
func receives(d *series.Set, pattern string) (found []*series.Series, transport string) {
	for _, s := range d.Series {
		if s.Base != "Receive" || s.Keys["pattern"] != pattern || !plain(s, usual...) {
			continue
		}
		if transport == "" || s.Keys["transport"] == "tcp" {
			transport = s.Keys["transport"]
		}
		found = append(found, s)
	}
	return slices.DeleteFunc(found, func(s *series.Series) bool { return s.Keys["transport"] != transport }), transport
}

// shownModes are the modes of this binding that a plot of throughput has: the plain way
// and the fastest ones or, where none of them was measured, what was.
func shownModes(all []*series.Series) []string {
	shown := []string{"blocking", "batch", "readahead"}
	var measured []string
	for _, s := range all {
		if s.Keys["impl"] == "go" {
			measured = append(measured, s.Keys["mode"])
		}
	}
	if slices.ContainsFunc(shown, func(mode string) bool { return slices.Contains(measured, mode) }) {
		return shown
	}
	return measured
}

// throughput shows the plain way and the fastest ones beside the plain loop in C or, where
// that was not measured, each beside the same loop in C.
func throughput(d *series.Set, pattern string) (plot.Figure, error) {
	all, transport := receives(d, pattern)
	shown := shownModes(all)
	inC := func(s *series.Series) bool { return s.Keys["impl"] == "c" && slices.Contains(shown, s.Keys["mode"]) }
	plainC := func(s *series.Series) bool { return s.Keys["impl"] == "c" && s.Keys["mode"] == "blocking" }
	var caption []string
	switch {
	case slices.ContainsFunc(all, plainC):
		inC, caption = plainC, []string{"C: zmq_send and a zmq_recv that waits, on the same libzmq."}
	case slices.ContainsFunc(all, inC):
		caption = []string{"C: the same loop on the same libzmq."}
	}
	g := &graph{}
	for _, s := range all {
		mode := s.Keys["mode"]
		switch {
		case plainC(s):
			g.measured("C", true, number(s, "size"), s, "msg/s", 1)
		case inC(s):
			g.measured("C, "+mode, true, number(s, "size"), s, "msg/s", 1)
		case s.Keys["impl"] == "go" && slices.Contains(shown, mode):
			g.measured("go-zmq, "+mode, false, number(s, "size"), s, "msg/s", 1)
		}
	}
	return g.figure(d, plot.Figure{
		Title: sockets(pattern) + " over " + transport + ": messages a second",
		X:     sizeAxis(g.lines), Y: plot.Axis{Label: "messages a second", Log: true},
	}, caption...)
}

// modesOfC compares every mode with its own loop in C.
func modesOfC(d *series.Set, pattern string) (plot.Figure, error) {
	all, transport := receives(d, pattern)
	g := &graph{}
	for _, s := range all {
		if s.Keys["impl"] == "go" {
			g.ofC(s.Keys["mode"], number(s, "size"), s, d.Twin(s, "c"))
		}
	}
	return g.figure(d, plot.Figure{
		Title: sockets(pattern) + " over " + transport + ": modes, in percent of C",
		X:     sizeAxis(g.lines), Y: plot.Axis{Label: "throughput, % of C's"}, Level: 100,
	}, "100 %, dashed: the same loop in C on the same libzmq.")
}

// timeAxis is logarithmic, with ticks at the powers of ten nanoseconds, and between
// them when there are few.
func timeAxis(label string, lines []*plot.Line) plot.Axis {
	low, high := 0.0, 0.0
	for _, l := range lines {
		for _, p := range l.Points {
			if low == 0 || p.Low < low {
				low = p.Low
			}
			high = max(high, p.High)
		}
	}
	within := []float64{1, 2, 5}
	if low > 0 && high/low > 200 {
		within = within[:1]
	}
	axis := plot.Axis{Label: label, Log: true}
	for power := 1.0; power < 1e12; power *= 10 {
		for _, times := range within {
			axis.Ticks = append(axis.Ticks, plot.Tick{Value: times * power, Label: plot.Nanoseconds(times * power)})
		}
	}
	return axis
}

// bySize is a plot of the rates over the size, a line for each name.
func bySize(d *series.Set, all []*series.Series, title string, name func(*series.Series) (name string, floor bool), caption ...string) (plot.Figure, error) {
	g := &graph{}
	for _, s := range all {
		if label, floor := name(s); label != "" {
			g.rate(label, floor, number(s, "size"), s)
		}
	}
	return g.figure(d, plot.Figure{
		Title: title, X: sizeAxis(g.lines), Y: plot.Axis{Label: "messages a second", Log: true},
	}, caption...)
}

// rate adds messages a second: the reciprocal of the time.
func (g *graph) rate(name string, floor bool, x float64, s *series.Series) {
	unit := timeUnit(s)
	if unit == "" || x <= 0 {
		return
	}
	low, center, high := s.Range(unit)
	if low > 0 {
		g.add(name, floor, plot.Point{X: x, Y: 1 / center, Low: 1 / high, High: 1 / low}, len(s.Values[unit]))
	}
}

// transportsBySize is of the plainest workload that has several transports: with the mode
// that waits or, where that was not measured, with the one that comes first.
func transportsBySize(d *series.Set) (plot.Figure, error) {
	for _, base := range []string{"Transport", "Receive"} {
		var all []*series.Series
		for _, s := range d.Series {
			if s.Base == base && s.Keys["impl"] == "go" && plain(s, usual...) {
				all = append(all, s)
			}
		}
		slices.SortStableFunc(all, func(a, b *series.Series) int { return cmp.Compare(waits(a), waits(b)) })
		for _, first := range all {
			pattern, mode := first.Keys["pattern"], first.Keys["mode"]
			of, over := sameMode(all, first)
			if over < 2 {
				continue
			}
			title := sockets(pattern)
			if mode != "blocking" {
				title += ", " + mode
			}
			return bySize(d, of, title+": messages a second over each transport",
				func(s *series.Series) (string, bool) { return s.Keys["transport"], false })
		}
	}
	return plot.Figure{}, errNothing
}

// waits is 0 for the mode that waits, which comes before others.
func waits(s *series.Series) int {
	if s.Keys["mode"] == "blocking" {
		return 0
	}
	return 1
}

// sameMode returns the series with the pattern and the mode of one, and over how many
// transports they are.
func sameMode(all []*series.Series, one *series.Series) (of []*series.Series, over int) {
	transports := map[string]bool{}
	for _, s := range all {
		if s.Keys["pattern"] == one.Keys["pattern"] && s.Keys["mode"] == one.Keys["mode"] {
			transports[s.Keys["transport"]] = true
			of = append(of, s)
		}
	}
	return of, len(transports)
}
