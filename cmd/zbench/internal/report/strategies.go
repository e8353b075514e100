package report

import (
	"fmt"
	"math"

	"github.com/jedib0t/go-pretty/v6/table"
)

// strategies compares the ways to have memory for messages with the usual one of
// this binding, with what Go programs do that do not think of memory, and with C's
// two. A ratio that there is no data for, or of a row to itself, is left out.
func strategies(d *data, pattern string) string {
	const unit = "sec/msg"
	others := []map[string]string{
		{"strategy": "message", "impl": "go"},
		{"strategy": "bytes", "impl": "go"},
		{"strategy": "copy", "impl": "c"},
		{"strategy": "zerocopy", "impl": "c"},
	}
	var rows []table.Row
	runs, iterations, stalls := math.MaxInt, 0, 0.0
	for _, s := range d.series {
		if s.base != "Strategy" || s.keys["pattern"] != pattern {
			continue
		}
		name := s.keys["strategy"]
		if s.keys["impl"] == "c" {
			name = "C " + name
		}
		row := table.Row{s.keys["size"], name, nanoseconds(s, unit)}
		for _, values := range others {
			ratio := ""
			if other := d.sibling(s, values); other != nil && other != s {
				ratio = times(s, other, unit)
			}
			row = append(row, ratio)
		}
		rate, _ := s.median("msg/s")
		bytes, _ := s.median("GB/s")
		collections, _ := s.median("gc/op")
		crossings, _ := s.median("cgo/msg")
		hits := ""
		if len(s.values["hit-%"]) > 0 {
			rate, _ := s.median("hit-%")
			hits = fmt.Sprintf("%.2f %%", rate)
		}
		rows = append(rows, append(row, si(rate), fmt.Sprintf("%.3g", bytes),
			fmt.Sprintf("%.0f", s.perMessages(10_000, "allocs/op")), fmt.Sprintf("%.3g", collections), hits, fmt.Sprintf("%.2f", crossings)))
		runs = min(runs, len(s.values[unit]))
		stalls += s.total("stalls/op")
		for _, n := range s.iters {
			iterations += n
		}
	}
	body := markdown(2, table.Row{
		"size", "strategy", "ns/msg", "/message", "/bytes", "/C copy", "/C zerocopy",
		"msg/s", "GB/s", "allocs/10k msg", "gc/run", "pool hits", "crossings/msg",
	}, rows)
	if body == "" {
		return ""
	}
	return body + note(runs) + fmt.Sprintf("Of %d runs, %.0f stood still for 100 ms or more.\n", iterations, stalls)
}

// receiveSide compares receiving with ReadAhead with receiving without.
func receiveSide(d *data) string {
	const unit = "sec/op"
	var rows []table.Row
	runs := math.MaxInt
	for _, s := range d.series {
		if s.base != "ReceiveSide" {
			continue
		}
		faster := ""
		if plain := d.sibling(s, map[string]string{"ahead": "0"}); plain != nil && plain != s {
			faster = times(plain, s, unit)
		}
		allocs, _ := s.median("allocs/op")
		rows = append(rows, table.Row{s.keys["ahead"], nanoseconds(s, unit), faster, fmt.Sprintf("%.0f", allocs)})
		runs = min(runs, len(s.values[unit]))
	}
	body := markdown(0, table.Row{"ReadAhead", "ns/msg", "times as fast", "allocs/msg"}, rows)
	if body == "" {
		return ""
	}
	return body + note(runs)
}
