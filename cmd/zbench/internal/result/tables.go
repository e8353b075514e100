package result

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Tables returns the tables of results, whose summaries are all, in the order of the cells.
func Tables(d *record.Data, all []record.Summary, wide bool) (list []Table) {
	pick := func(of func(c record.Cell) bool) (some []*record.Summary) {
		for i, s := range all {
			if len(s.Runs) > 0 && of(s.Cell) {
				some = append(some, &all[i])
			}
		}
		return some
	}
	if some := pick(func(c record.Cell) bool { return c.Verb == record.Thr }); len(some) > 0 {
		t := newTable(fmt.Sprintf("Throughput, one way at full speed: median of %s", counted(some)), "transport size api", []column{
			figure("msg/s", "msg/s", false, record.Number), plusMinus("msg/s"), figure("bytes", "GB/s", false, megabytes),
			figure("ns/msg", "ns/msg", false, fixed(0)), figure("cpu ns/msg", "cpu-ns/msg", false, fixed(0)), figure("allocs/msg", "allocs/msg", false, fixed(2)),
			figure("B/msg", "B/msg", true, fixed(1)), figure("cgo/msg", "cgo/msg", true, fixed(3)),
		}, some, wide)
		for _, s := range some {
			if note := fmt.Sprintf("%s: msg/s is the sum of %s", s.Cell.Pattern, record.Count(s.Cell.Receivers, "receiver")); s.Cell.FansOut() && s.Cell.Receivers > 1 && !slices.Contains(t.Notes, note) {
				t.Notes = append(t.Notes, note)
			}
		}
		list = append(list, t)
	}
	if some := pick(func(c record.Cell) bool { return c.Verb == record.Lat && !c.Open() }); len(some) > 0 {
		columns := append(latencyColumns(), figure("msg/s", "msg/s", false, record.Number), plusMinus("msg/s"))
		t := newTable(fmt.Sprintf("Latency of round trips, one after the other: percentiles of %s merged", counted(some)), "transport size", columns, some, wide)
		t.Notes = append(t.Notes, hidesStalls(some))
		list = append(list, t)
	}
	list = append(list, loads(d, pick(func(c record.Cell) bool { return c.Verb == record.Lat && c.Open() }), wide)...)
	if some := pick(func(c record.Cell) bool { return c.Verb == record.Churn }); len(some) > 0 {
		columns := slices.Concat([]column{figure("conn/s", "msg/s", false, record.Number), plusMinus("msg/s")}, []column{
			figure("p50", "p50-ns", false, record.Duration), figure("p90", "p90-ns", true, record.Duration), figure("p99", "p99-ns", false, record.Duration),
			figure("max", "max-ns", false, record.Duration),
			number("B/conn", func(r *record.Run) float64 { return float64(r.ConnBytes) }, record.Number),
			number("fds/conn", func(r *record.Run) float64 { return r.ConnFiles }, fixed(1)),
		})
		t := newTable(fmt.Sprintf("Connections, one after the other, to their first reply: %s", counted(some)), "transport security", columns, some, wide)
		t.Notes = append(t.Notes, "B/conn, fds/conn: resident memory and descriptors of a connection, both ends together")
		list = append(list, t)
	}
	if some := pick(func(c record.Cell) bool {
		return !slices.Contains([]string{record.Thr, record.Lat, record.Churn}, c.Verb)
	}); len(some) > 0 {
		list = append(list, newTable("One side", "verb pattern transport size", []column{
			figure("msg/s", "msg/s", false, record.Number), figure("bytes", "GB/s", false, megabytes), figure("p50", "p50-ns", false, record.Duration),
			figure("p99", "p99-ns", false, record.Duration), figure("cpu ns/msg", "cpu-ns/msg", true, fixed(0)), figure("lost", "lost", false, fixed(0)),
		}, some, wide))
	}
	return list
}

// hidesStalls says what round trips one after the other do not show.
func hidesStalls(some []*record.Summary) string {
	idle, all := time.Duration(0), time.Duration(0)
	for _, s := range some {
		for _, r := range s.Runs {
			idle, all = idle+r.Idle, all+r.Elapsed
		}
	}
	note := "Nothing is sent while a reply is late, which hides stalls: --rate shows them."
	if idle > 0 {
		note += fmt.Sprintf(" Nothing was under way for %.2g %% of the time (%s).", 100*float64(idle)/float64(all), record.Duration(float64(idle)))
	}
	return note
}

func latencyColumns() []column {
	columns := []column{figure("min", "min-ns", true, record.Duration)}
	for _, p := range record.Percentiles {
		columns = append(columns, figure(record.PercentileName(p), record.PercentileName(p)+"-ns", p > 99.9, record.Duration))
	}
	return append(columns, figure("max", "max-ns", false, record.Duration), figure("mean", "mean-ns", true, record.Duration))
}

// counted says how many runs there are at least: "6 runs".
func counted(some []*record.Summary) string {
	least := len(some[0].Runs)
	for _, s := range some {
		least = min(least, len(s.Runs))
	}
	return record.Count(least, "run")
}

// loads returns a table for each offered load. Loads that differ only in their rates share
// one.
func loads(d *record.Data, all []*record.Summary, wide bool) (list []Table) {
	var done []record.Cell
	for _, s := range all {
		if slices.Contains(done, s.Cell.AnyRate()) {
			continue
		}
		done = append(done, s.Cell.AnyRate())
		var group []*record.Summary
		for _, other := range all {
			if other.Cell.AnyRate() == s.Cell.AnyRate() {
				group = append(group, other)
			}
		}
		if len(group) == 1 {
			list = append(list, load(s, wide))
			continue
		}
		list = append(list, loadCurve(d, group, wide))
	}
	return list
}

// about names an offered load.
func about(c record.Cell) string {
	words := []string{fmt.Sprintf("%s over %s, %d B", c.Pattern, c.Transport, c.Size)}
	for _, w := range []string{c.Payload, strings.TrimSuffix("parts "+c.Parts, "parts "), c.Security, c.Options} {
		if w != "" {
			words = append(words, w)
		}
	}
	if c.Senders > 1 {
		words = append(words, record.Count(c.Senders, "sender"))
	}
	return strings.Join(append(words, c.Arrivals+" arrivals"), ", ")
}

// rateColumns are always shown for an offered load.
var rateColumns = []column{
	cellColumn("offered", func(c record.Cell) string { return record.Number(c.Rate) }),
	number("sent", (*record.Run).SentRate, record.Number),
	number("completed", (*record.Run).Rate, record.Number),
}

// latencyRows are the rows of one offered load.
var latencyRows = []struct{ name, label string }{
	{record.Due, "latency, from the due time"},
	{record.Sent, "latency, from the send"},
	{record.Pacer, "how late it was sent"},
	{record.Machine, "how late the machine woke up"},
}

// load returns the table of one offered load.
func load(s *record.Summary, wide bool) Table {
	t := Table{Title: "Latency under load: " + about(s.Cell), Words: 1, Head: []string{""}, wide: wide}
	var rates []string
	for _, c := range rateColumns {
		rates = append(rates, c.head+" "+c.value(s))
	}
	t.Notes = []string{fmt.Sprintf("%s msg/s, %.1f %% in time", strings.Join(rates, ", "), 100*s.Of((*record.Run).Achieved))}
	if s.Saturated() {
		t.Notes = append(t.Notes, "SATURATED: less went through than offered; latency is that of a growing queue.",
			"Offer less, or find the limit with zbench curve.")
		return t
	}
	t.Notes = append(t.Notes, fmt.Sprintf("percentiles of %s merged", counted([]*record.Summary{s})))
	columns := slices.DeleteFunc(latencyColumns(), func(c column) bool { return c.wide && !wide })
	for _, row := range latencyRows {
		l := s.Latency[row.name]
		if l == nil {
			continue
		}
		one := &record.Summary{Cell: s.Cell, Latency: map[string]*record.Latency{record.Due: l}, Runs: s.Runs}
		cells := []string{row.label}
		for _, c := range columns {
			cells = append(cells, c.value(one))
		}
		t.Rows = append(t.Rows, cells)
	}
	for _, c := range columns {
		t.Head = append(t.Head, c.head)
	}
	return t
}

// loadCurve returns the table of loads that differ in their rates.
func loadCurve(d *record.Data, group []*record.Summary, wide bool) Table {
	verdict := column{" ", false, func(s *record.Summary) string {
		text := ""
		switch {
		case s.Saturated() && s.SaturatedRuns() < len(s.Runs):
			return fmt.Sprintf("%d/%d SATURATED", s.SaturatedRuns(), len(s.Runs))
		case s.Saturated():
			text = "SATURATED"
		case slices.ContainsFunc(d.Verdicts, func(v record.Verdict) bool { return v.Cell == s.Cell.String() && !v.Met }):
			text = "missed"
		case len(s.Runs) > 0:
			text = s.Runs[0].Judged
		}
		if n := len(s.Outvoted); n > 0 {
			text += fmt.Sprintf(" %d/%d", len(s.Runs), len(s.Runs)+n)
		}
		return text
	}}
	columns := slices.Concat(rateColumns, []column{
		figure("p50", "p50-ns", false, record.Duration), figure("p90", "p90-ns", true, record.Duration), figure("p99", "p99-ns", false, record.Duration),
		figure("p99.9", "p99.9-ns", false, record.Duration), figure("max", "max-ns", false, record.Duration), verdict,
	})
	t := newTable("Latency against load: "+about(group[0].Cell), "", columns, group, false)
	t.Words = 0
	t.Notes = []string{"msg/s; latency from the due time, percentiles of all runs of a rate merged"}
	if slices.ContainsFunc(group, func(s *record.Summary) bool { return len(s.Outvoted) > 0 }) {
		t.Notes = append(t.Notes, "met 2/3: in 2 of 3 runs, which decide and are shown")
	}
	return t
}
