package report

import (
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

// strategiesOfC compares every strategy with C's copying sends.
func strategiesOfC(d *series.Set, pattern string) (plot.Figure, error) {
	g := &graph{}
	for _, s := range d.Series {
		if s.Base != "Strategy" || s.Keys["pattern"] != pattern || s.Keys["transport"] != "tcp" ||
			!plain(s, "pattern", "transport", "size", "strategy", "impl") {
			continue
		}
		name := s.Keys["strategy"]
		if s.Keys["impl"] == "c" {
			name = "C " + name
		}
		if name != "C copy" {
			g.ofC(name, number(s, "size"), s, d.Sibling(s, map[string]string{"strategy": "copy", "impl": "c"}))
		}
	}
	return g.figure(d, plot.Figure{
		Title: sockets(pattern) + " over tcp: buffer strategies, in percent of C",
		X:     sizeAxis(g.lines), Y: plot.Axis{Label: "throughput, % of C's with copies"}, Level: 100,
	}, "100 %, dashed: C with zmq_send and zmq_recv, which copy.")
}

func pollerScaleFigure(d *series.Set) (plot.Figure, error) {
	g := &graph{}
	for _, ready := range []string{"one", "all"} {
		for _, s := range d.Series {
			if s.Base != "PollerScale" || s.Keys["ready"] != ready {
				continue
			}
			name := map[string]string{"go": "Poller", "c": "zmq_poll"}[s.Keys["impl"]] + ", " + ready + " ready"
			g.measured(name, false, number(s, "sockets"), s, "sec/op", 1e9)
		}
	}
	axis := plot.Axis{Label: "sockets", Log: true}
	for _, n := range []float64{1, 10, 100, 1000, 5000} {
		axis.Ticks = append(axis.Ticks, plot.Tick{Value: n, Label: plot.Short(n)})
	}
	return g.figure(d, plot.Figure{
		Title: "Polling many sockets: time of a poll",
		X:     axis, Y: timeAxis("time", g.lines),
	})
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
