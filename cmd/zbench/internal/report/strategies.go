package report

import (
	"fmt"
	"math"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// strategies compares the ways to have memory for messages with the usual one of
// this binding, with what Go programs do that do not think of memory, and with C's
// two. A ratio that there is no data for, or of a row to itself, is left out.
func strategies(d *series.Set, pattern string) *Table {
	const unit = "sec/msg"
	others := []map[string]string{
		{"strategy": "message", "impl": "go"},
		{"strategy": "bytes", "impl": "go"},
		{"strategy": "copy", "impl": "c"},
		{"strategy": "zerocopy", "impl": "c"},
	}
	var rows []table.Row
	runs, results, still := math.MaxInt, 0, 0
	for _, s := range d.Series {
		if s.Base != "Strategy" || s.Keys["pattern"] != pattern || s.Keys["transport"] != "tcp" ||
			!plain(s, "pattern", "transport", "size", "strategy", "impl") {
			continue
		}
		name := s.Keys["strategy"]
		if s.Keys["impl"] == "c" {
			name = "C " + name
		}
		row := table.Row{s.Keys["size"], name, nanoseconds(s, unit)}
		for _, values := range others {
			ratio := ""
			if other := d.Sibling(s, values); other != nil && other != s {
				ratio = times(s, other, unit)
			}
			row = append(row, ratio)
		}
		rate, _ := s.Median("msg/s")
		bytes, _ := s.Median("GB/s")
		collections, _ := s.Median("gc/op")
		crossings, _ := s.Median("cgo/msg")
		hits := ""
		if len(s.Values["hit-%"]) > 0 {
			rate, _ := s.Median("hit-%")
			hits = fmt.Sprintf("%.2f %%", rate)
		}
		rows = append(rows, append(row, si(rate), fmt.Sprintf("%.3g", bytes),
			allocations(s), fmt.Sprintf("%.3g", collections), hits, fmt.Sprintf("%.2f", crossings)))
		runs = min(runs, len(s.Values[unit]))
		results += len(s.Iters)
		still += stoodStill(s)
	}
	t := newTable(2, table.Row{
		"size", "strategy", "ns/msg", "/message", "/bytes", "/C copy", "/C zerocopy",
		"msg/s", "GB/s", "allocs/10k msg", "gc/run", "pool hits", "crossings/msg",
	}, rows)
	if t == nil {
		return nil
	}
	return t.note(runs).say("Results in which a run stood still for 100 ms or more: %d of %d.", still, results)
}

// receiveSide compares receiving with ReadAhead with receiving without.
func receiveSide(d *series.Set) *Table {
	const unit = "sec/op"
	var rows []table.Row
	runs := math.MaxInt
	for _, s := range d.Series {
		if s.Base != "ReceiveSide" {
			continue
		}
		faster := ""
		if plain := d.Sibling(s, map[string]string{"ahead": "0"}); plain != nil && plain != s {
			faster = times(plain, s, unit)
		}
		allocs, _ := s.Median("allocs/op")
		rows = append(rows, table.Row{s.Keys["ahead"], nanoseconds(s, unit), faster, fmt.Sprintf("%.0f", allocs)})
		runs = min(runs, len(s.Values[unit]))
	}
	t := newTable(0, table.Row{"ReadAhead", "ns/msg", "times as fast", "allocs/msg"}, rows)
	if t == nil {
		return nil
	}
	return t.note(runs)
}
