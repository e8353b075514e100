package report

import (
	"math"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// proxied compares our Proxy with zmq_proxy.
func proxied(d *series.Set) *Table {
	var rows []table.Row
	runs := math.MaxInt
	for _, s := range d.Series {
		if s.Base != "Proxy" || s.Keys["impl"] != "go" {
			continue
		}
		floor := d.Twin(s, "c")
		if floor == nil {
			continue
		}
		const unit = "sec/op"
		rows = append(rows, table.Row{
			s.Keys["pattern"], s.Keys["transport"], s.Keys["size"], nanoseconds(s, unit), nanoseconds(floor, unit),
			times(s, floor, unit), times(s, floor, "cpu-sec/op"),
		})
		runs = min(runs, len(s.Values[unit]), len(floor.Values[unit]))
	}
	t := newTable(2, table.Row{"pattern", "transport", "size", "Proxy ns", "zmq_proxy ns", "Proxy/zmq_proxy", "the same, cpu"}, rows)
	if t == nil {
		return nil
	}
	return t.note(runs)
}
