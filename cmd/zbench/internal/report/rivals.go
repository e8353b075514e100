package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plot"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// The implementations, in the order of the columns.
var impls = []struct{ key, name string }{
	{"go", "go-zmq"}, {"c", "C"}, {"pebbe", "pebbe/zmq4"}, {"goczmq", "goczmq"}, {"go-zeromq", "go-zeromq/zmq4"},
}

// implOf is the implementation that a name says. A name cannot have "go-zeromq" at
// its end where digits follow, and some write it in one word.
func implOf(s *series.Series) string {
	impl := s.Keys["impl"]
	if impl == "gozeromq" || impl == "go_zeromq" {
		return "go-zeromq"
	}
	return impl
}

func implName(key string) string {
	if key == "gozeromq" || key == "go_zeromq" {
		key = "go-zeromq"
	}
	for _, i := range impls {
		if i.key == key {
			return i.name
		}
	}
	return key
}

// by returns the same benchmark of another implementation, or nil.
func by(d *series.Set, s *series.Series, impl string) *series.Series {
	for _, other := range d.Series {
		if other.Base != s.Base || implOf(other) != impl || len(other.Keys) != len(s.Keys) {
			continue
		}
		if len(columns([]*series.Series{s, other}, "impl")) == 0 {
			return other
		}
	}
	return nil
}

// rivals has a row for each workload that another binding did too, and columns for each
// binding: its time, how many times ours that is, and the same of its processor time.
func rivals(d *series.Set) *Table {
	var all []*series.Series
	there := map[string]bool{}
	for _, s := range ours(d, func(s *series.Series) bool { return s.Base != "Parked" }) {
		met := false
		for _, i := range impls[2:] {
			if by(d, s, i.key) != nil {
				there[i.key], met = true, true
			}
		}
		if met {
			all = append(all, s)
			there["c"] = there["c"] || by(d, s, "c") != nil
		}
	}
	odd := oddRivals(d)
	if len(all)+len(odd) == 0 {
		return nil
	}
	for _, s := range odd {
		there[implOf(s)] = true
	}
	keys := columns(slices.Concat(all, odd), "impl")
	head := table.Row{"benchmark"}
	for _, key := range keys {
		head = append(head, key)
	}
	words := len(head)
	head = append(head, "go-zmq ns")
	for _, i := range impls[1:] {
		if there[i.key] {
			head = append(head, i.name+" ns", "/ go-zmq", "cpu")
		}
	}
	var rows []table.Row
	runs := math.MaxInt
	for _, s := range all {
		unit := timeUnit(s)
		row := table.Row{strings.ToLower(s.Base)}
		for _, key := range keys {
			row = append(row, s.Keys[key])
		}
		row = append(row, nanoseconds(s, unit))
		runs = min(runs, len(s.Values[unit]))
		for _, i := range impls[1:] {
			if !there[i.key] {
				continue
			}
			if other := by(d, s, i.key); other != nil && other.Has(unit) {
				row = append(row, nanoseconds(other, unit), times(other, s, unit), times(other, s, cpuUnit(unit)))
				runs = min(runs, len(other.Values[unit]))
			} else {
				row = append(row, "", "", "")
			}
		}
		rows = append(rows, row)
	}
	for _, s := range odd {
		like := d.Sibling(s, map[string]string{"impl": "go", "mode": likeModes[s.Keys["mode"]]})
		unit := timeUnit(like)
		row := table.Row{strings.ToLower(s.Base)}
		for _, key := range keys {
			row = append(row, s.Keys[key])
		}
		row = append(row, nanoseconds(like, unit))
		for _, i := range impls[1:] {
			switch {
			case !there[i.key]:
			case i.key == implOf(s):
				row = append(row, nanoseconds(s, unit), times(s, like, unit), times(s, like, cpuUnit(unit)))
			default:
				row = append(row, "", "", "")
			}
		}
		rows = append(rows, row)
	}
	t := newTable(words, head, rows).note(runs)
	if len(odd) > 0 {
		t.say("The modes reactor and message are of others alone: beside them stands what comes next to them in go-zmq, poll and blocking.")
	}
	if slices.ContainsFunc(all, func(s *series.Series) bool { return s.Keys["mode"] == "poll" }) || len(odd) > 0 {
		t.say("In poll, go-zmq sends and receives in batches; C and the others send and receive message by message.")
	}
	return t.say("A ratio above 1: so many times the time of go-zmq; cpu: the same of the processor time. Empty: it does not have this, or does it wrongly.").sayCommon(slices.Concat(all, odd))
}

// likeModes are what comes next in this binding to a mode that only others have.
var likeModes = map[string]string{"reactor": "poll", "message": "blocking"}

// oddRivals are the series of others in such modes.
func oddRivals(d *series.Set) []*series.Series {
	var odd []*series.Series
	for _, s := range d.Series {
		mode := likeModes[s.Keys["mode"]]
		if mode == "" || timeUnit(s) == "" || slices.Contains([]string{"go", "c"}, s.Keys["impl"]) {
			continue
		}
		if like := d.Sibling(s, map[string]string{"impl": "go", "mode": mode}); like != nil && like.Has(timeUnit(s)) {
			odd = append(odd, s)
		}
	}
	return odd
}

// parkedRivals says what receivers that wait hold, in each binding.
func parkedRivals(d *series.Set) *Table {
	var rows []table.Row
	runs := math.MaxInt
	for _, i := range impls {
		for _, s := range d.Series {
			if s.Base != "Parked" || implOf(s) != i.key || !s.Has("pinned") {
				continue
			}
			pinned, _ := s.Median("pinned")
			threads, _ := s.Median("threads")
			rows = append(rows, table.Row{i.name, s.Keys["sockets"], fmt.Sprintf("%.0f", pinned), fmt.Sprintf("%.0f", threads)})
			runs = min(runs, len(s.Iters))
		}
	}
	t := newTable(1, table.Row{"", "sockets", "threads held by receivers", "threads of the process"}, rows)
	if t == nil {
		return nil
	}
	return t.say("Medians of %d runs.", runs)
}

// rivalsBySize shows the plain receive of each binding.
func rivalsBySize(d *series.Set, pattern string) (plot.Figure, error) {
	var all []*series.Series
	rival := false
	measured, transport := receives(d, pattern)
	for _, i := range impls {
		for _, s := range measured {
			if implOf(s) == i.key && s.Keys["mode"] == "blocking" {
				all = append(all, s)
				rival = rival || !slices.Contains([]string{"go", "c"}, i.key)
			}
		}
	}
	if !rival {
		return plot.Figure{}, errNothing
	}
	return bySize(d, all, sockets(pattern)+" over "+transport+": Go's ZeroMQ bindings",
		func(s *series.Series) (string, bool) { return implName(s.Keys["impl"]), s.Keys["impl"] == "c" },
		"Every receive waits for its message; each as its documentation shows.")
}

// peersFigure shows the rates over the number of peers.
func peersFigure(d *series.Set) (plot.Figure, error) {
	g := &graph{}
	least := math.Inf(1)
	fan := fanSeries(d)
	for _, s := range fan {
		least = min(least, number(s, "size"))
	}
	for _, s := range fan {
		if number(s, "size") != least {
			continue
		}
		kind, n := peerCount(s)
		if n == 1 {
			continue // of both sides, below
		}
		label := s.Keys["pattern"] + kind
		if mode := s.Keys["mode"]; mode != "" && mode != "blocking" {
			label += ", " + mode
		}
		if !slices.ContainsFunc(g.lines, func(l *plot.Line) bool { return l.Name == label }) {
			if len(g.lines) == mostLines {
				continue
			}
			for _, alone := range fan {
				if _, n := peerCount(alone); n == 1 && fanGroup(alone) == fanGroup(s) {
					g.rate(label, false, 1, alone)
				}
			}
		}
		g.rate(label, false, n, s)
	}
	axis := plot.Axis{Label: "peers", Log: true}
	for _, l := range g.lines {
		for _, p := range l.Points {
			if !slices.ContainsFunc(axis.Ticks, func(t plot.Tick) bool { return t.Value == p.X }) {
				axis.Ticks = append(axis.Ticks, plot.Tick{Value: p.X, Label: plot.Short(p.X)})
			}
		}
	}
	return g.figure(d, plot.Figure{
		Title: "Fan-in and fan-out: messages a second", X: axis, Y: plot.Axis{Label: "messages a second", Log: true},
	})
}

// peerCount says on which side many peers are, and how many: "16x1" are 16 senders.
func peerCount(s *series.Series) (side string, n float64) {
	for _, one := range []struct{ key, side string }{{"senders", ", in"}, {"receivers", ", out"}, {"subs", ", out"}} {
		if n := number(s, one.key); n > 1 {
			return one.side, n
		}
	}
	senders, receivers, _ := strings.Cut(s.Keys["peers"], "x")
	if n, err := strconv.ParseFloat(senders, 64); err == nil && n > 1 {
		return ", in", n
	}
	if n, err := strconv.ParseFloat(receivers, 64); err == nil && n > 1 {
		return ", out", n
	}
	return "", 1
}
