// Package report makes tables and plots of what was measured.
package report

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// The tables by name, in the order in which All has them. Each is nil when the
// result has nothing for it.
var makers = []struct {
	name string
	make func(*series.Set) *Table
}{
	{"environment", environment},
	{"latency", latencies},
	{"throughput", throughputs},
}

// All returns all tables that the result has something for.
func All(d *series.Set) []*Table {
	var all []*Table
	for _, m := range makers {
		if t := m.make(d); t != nil {
			t.Name = m.name
			all = append(all, t)
		}
	}
	return all
}

func environment(d *series.Set) *Table {
	rows := []table.Row{{"data", "`" + d.From + "`"}}
	for _, line := range d.Env {
		if key, value, ok := strings.Cut(line, ": "); ok {
			rows = append(rows, table.Row{key, value})
		}
	}
	return newTable(2, table.Row{"", ""}, rows)
}

func times(s, floor *series.Series, unit string) string {
	if len(s.Values[unit]) == 0 || len(floor.Values[unit]) == 0 {
		return ""
	}
	r, significant := s.Ratio(floor, unit)
	if significant {
		return fmt.Sprintf("%.2f", r)
	}
	return fmt.Sprintf("~ %.2f", r)
}

func si(x float64) string {
	switch {
	case x >= 1e6:
		return fmt.Sprintf("%.2f M", x/1e6)
	case x >= 1e3:
		return fmt.Sprintf("%.1f k", x/1e3)
	}
	return fmt.Sprintf("%.0f", x)
}
