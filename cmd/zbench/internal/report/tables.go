// Package report makes tables and plots of what was measured.
package report

import (
	"fmt"
	"math"
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
	{"routerrouter", func(d *series.Set) *Table { return receive(d, "routerrouter") }},
	{"pushpull", func(d *series.Set) *Table { return receive(d, "pushpull") }},
	{"strategies-routerrouter", func(d *series.Set) *Table { return strategies(d, "routerrouter") }},
	{"strategies-pushpull", func(d *series.Set) *Table { return strategies(d, "pushpull") }},
	{"marks", marked},
	{"roundtrip", roundTrip},
	{"receiveside", receiveSide},
	{"calls", calls},
	{"parked", parked},
	{"pollerscale", pollerScale},
	{"proxy", proxied},
	{"patterns", patterns},
	{"transports", transports},
	{"peers", fans},
	{"curve", secured},
	{"latency", latencies},
	{"rivals", rivals},
	{"rivals-parked", parkedRivals},
	{"engines", engines},
	{"sweep", sweep},
	{"throughput", throughputs},
}

// All returns all tables that the result has something for.
func All(d *series.Set) []*Table {
	var all []*Table
	for _, m := range makers {
		// What other tables have is not shown again.
		if m.name == "throughput" && d.Records == nil && len(all) > 1 {
			continue
		}
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

func receive(d *series.Set, pattern string) *Table {
	var rows []table.Row
	runs, results, still := math.MaxInt, [2]int{}, [2]int{}
	for _, s := range d.Series {
		if s.Base != "Receive" || s.Keys["pattern"] != pattern || s.Keys["impl"] != "go" || s.Keys["transport"] != "tcp" || !plain(s, usual...) {
			continue
		}
		floor := d.Twin(s, "c")
		if floor == nil {
			continue
		}
		const unit = "sec/msg"
		rate, _ := s.Median("msg/s")
		bytes, _ := s.Median("GB/s")
		crossings, _ := s.Median("cgo/msg")
		rows = append(rows, table.Row{
			s.Keys["size"], s.Keys["mode"], nanoseconds(s, unit), nanoseconds(floor, unit), times(s, floor, unit),
			times(s, floor, "cpu-sec/msg"), si(rate), fmt.Sprintf("%.3g", bytes), allocations(s), fmt.Sprintf("%.2f", crossings),
		})
		runs = min(runs, len(s.Values[unit]), len(floor.Values[unit]))
		for i, x := range []*series.Series{s, floor} {
			results[i] += len(x.Iters)
			still[i] += stoodStill(x)
		}
	}
	t := newTable(2, table.Row{
		"size", "mode", "go ns/msg", "C ns/msg", "go/C", "go/C, cpu", "go msg/s", "go GB/s", "go allocs/10k msg", "crossings/msg",
	}, rows)
	if t == nil {
		return nil
	}
	return t.note(runs).say("Results in which a run stood still for 100 ms or more: %d of Go's %d, %d of C's %d.", still[0], results[0], still[1], results[1])
}

// stoodStill counts the results in which a run took 100 ms more than it does by the
// median of all. A result of three runs or more says itself if one of them did, and its time
// is that of the run in the middle; one of a single run, or of two, cannot tell, and its time
// is their mean.
func stoodStill(s *series.Series) (n int) {
	const unit = "sec/op"
	usual := math.Inf(1)
	if s.Has(unit) {
		usual, _ = s.Median(unit)
	}
	said := s.Values["stalls/op"]
	for i, runs := range s.Iters {
		more := 0.0
		if i < len(s.Values[unit]) {
			more = s.Values[unit][i] - usual
		}
		if runs == 2 {
			more *= 2
		}
		if more >= 0.1 || i < len(said) && said[i] > 0 {
			n++
		}
	}
	return n
}

func roundTrip(d *series.Set) *Table {
	var rows []table.Row
	runs := math.MaxInt
	for _, s := range d.Series {
		if s.Base != "RoundTrip" || s.Keys["impl"] != "go" || !plain(s, "transport", "size", "impl") {
			continue
		}
		floor := d.Twin(s, "c")
		if floor == nil {
			continue
		}
		const unit = "sec/op"
		crossings, _ := s.Median("cgo/op")
		allocs, _ := s.Median("allocs/op")
		rows = append(rows, table.Row{
			s.Keys["transport"], s.Keys["size"], nanoseconds(s, unit), nanoseconds(floor, unit), times(s, floor, unit),
			times(s, floor, "cpu-sec/op"), fmt.Sprintf("%.0f", allocs), fmt.Sprintf("%.1f", crossings),
		})
		runs = min(runs, len(s.Values[unit]), len(floor.Values[unit]))
	}
	t := newTable(1, table.Row{"transport", "size", "go ns", "C ns", "go/C", "go/C, cpu", "go allocs", "crossings"}, rows)
	if t == nil {
		return nil
	}
	return t.note(runs)
}

func calls(d *series.Set) *Table {
	var rows []table.Row
	for _, s := range d.Series {
		if s.Base != "Call" {
			continue
		}
		bytes, _ := s.Median("B/op")
		allocs, _ := s.Median("allocs/op")
		rows = append(rows, table.Row{
			s.Keys["api"], s.Keys["size"], nanoseconds(s, "sec/op"), fmt.Sprintf("%.0f", bytes), fmt.Sprintf("%.0f", allocs),
		})
	}
	return newTable(1, table.Row{"api", "size", "ns/op", "B/op", "allocs/op"}, rows)
}

func parked(d *series.Set) *Table {
	var rows []table.Row
	for _, s := range d.Series {
		if s.Base != "Parked" || !s.Has("sec/wake") {
			continue
		}
		threads, _ := s.Median("threads")
		woken, _ := s.Median("threads-woken")
		idle, _ := s.Median("idle-cpu-%")
		rows = append(rows, table.Row{
			s.Keys["sockets"], fmt.Sprintf("%.0f", threads), fmt.Sprintf("%.1f %%", idle), fmt.Sprintf("%.0f", woken),
			nanoseconds(s, "sec/wake"),
		})
	}
	return newTable(0, table.Row{"sockets", "threads, parked", "idle CPU", "threads, after all were woken", "ns/wake"}, rows)
}

// nanoseconds shows a unit of seconds.
func nanoseconds(s *series.Series, unit string) string {
	center, percent := s.Median(unit)
	return fmt.Sprintf("%.*f ± %s", decimals(center*1e9), center*1e9, percent)
}

// allocations are those of 10,000 messages.
func allocations(s *series.Series) string {
	if s.Has("allocs/msg") {
		return figureOf(s, "allocs/msg", 10_000, "%.0f")
	}
	return fmt.Sprintf("%.0f", s.PerMessages(10_000, "allocs/op"))
}

// decimals is for three digits.
func decimals(x float64) int {
	switch {
	case x >= 100:
		return 0
	case x >= 10:
		return 1
	}
	return 2
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
