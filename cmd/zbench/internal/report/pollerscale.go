package report

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// pollerScale compares a poll of few sockets with one of many, and with zmq_poll.
func pollerScale(d *series.Set) *Table {
	var rows []table.Row
	runs := 0
	for _, s := range d.Series {
		if s.Base != "PollerScale" || s.Keys["ready"] != "one" || s.Keys["impl"] != "go" {
			continue
		}
		runs = len(s.Iters)
		row := table.Row{s.Keys["sockets"]}
		for _, ready := range []string{"one", "all"} {
			ours := d.Sibling(s, map[string]string{"ready": ready})
			floor := d.Sibling(s, map[string]string{"ready": ready, "impl": "c"})
			if ours == nil || floor == nil {
				row = append(row, "", "", "")
				continue
			}
			row = append(row, nanoseconds(ours, "sec/op"), nanoseconds(floor, "sec/op"), times(ours, floor, "sec/op"))
		}
		ofTen := ""
		if ten := d.Sibling(s, map[string]string{"sockets": "10"}); ten != nil {
			ofTen = times(s, ten, "sec/op")
		}
		allocs, _ := s.Median("allocs/op")
		rows = append(rows, append(row, ofTen, fmt.Sprintf("%.0f", allocs)))
	}
	if len(rows) == 0 {
		return nil
	}
	return newTable(0, table.Row{
		"sockets", "one ready, ns", "zmq_poll, ns", "ratio", "all ready, ns", "zmq_poll, ns", "ratio", "one ready, of that with 10", "allocs/op",
	}, rows).note(runs)
}
