package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Tables makes the tables of one result.
type Tables struct{ data *data }

// Load reads a result of make bench: the file, or the directory that has it as
// bench.txt.
func Load(path string) (*Tables, error) {
	d, err := read(path)
	if err != nil {
		return nil, err
	}
	return &Tables{d}, nil
}

// The tables by name, in the order in which All has them. Each returns "" when the
// result has nothing for it.
var makers = []struct {
	name string
	make func(*data) string
}{
	{"environment", environment},
	{"routerrouter", func(d *data) string { return receive(d, "routerrouter") }},
	{"pushpull", func(d *data) string { return receive(d, "pushpull") }},
	{"strategies-routerrouter", func(d *data) string { return strategies(d, "routerrouter") }},
	{"strategies-pushpull", func(d *data) string { return strategies(d, "pushpull") }},
	{"roundtrip", roundTrip},
	{"receiveside", receiveSide},
	{"calls", calls},
	{"parked", parked},
	{"pollerscale", pollerScale},
}

// All returns all tables that the result has something for.
func (t *Tables) All() string {
	var b strings.Builder
	for _, m := range makers {
		if text := m.make(t.data); text != "" {
			fmt.Fprintf(&b, "### %s\n\n%s\n", m.name, text)
		}
	}
	return b.String()
}

func (t *Tables) table(name string) (string, error) {
	for _, m := range makers {
		if m.name != name {
			continue
		}
		if text := m.make(t.data); text != "" {
			return text, nil
		}
		return "", fmt.Errorf("%s has no results for table %q; run all benchmarks: make bench", t.data.from, name)
	}
	return "", fmt.Errorf("there is no table %q", name)
}

// markdown renders rows; the first `left` columns are words, the others numbers.
func markdown(left int, header table.Row, rows []table.Row) string {
	if len(rows) == 0 {
		return ""
	}
	w := table.NewWriter()
	var columns []table.ColumnConfig
	for n := left + 1; n <= len(header); n++ {
		columns = append(columns, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	w.SetColumnConfigs(columns)
	w.AppendHeader(header)
	w.AppendRows(rows)
	return w.RenderMarkdown() + "\n"
}

func environment(d *data) string {
	rows := []table.Row{{"data", "`" + d.from + "`"}}
	for _, line := range d.env {
		if key, value, ok := strings.Cut(line, ": "); ok {
			rows = append(rows, table.Row{key, value})
		}
	}
	return markdown(2, table.Row{"", ""}, rows)
}

func receive(d *data, pattern string) string {
	var rows []table.Row
	runs, iterations, stalls := math.MaxInt, 0, [2]float64{}
	for _, s := range d.series {
		if s.base != "Receive" || s.keys["pattern"] != pattern || s.keys["impl"] != "go" {
			continue
		}
		floor := d.twin(s, "c")
		if floor == nil {
			continue
		}
		const unit = "sec/msg"
		rate, _ := s.median("msg/s")
		bytes, _ := s.median("GB/s")
		crossings, _ := s.median("cgo/msg")
		rows = append(rows, table.Row{
			s.keys["size"], s.keys["mode"], nanoseconds(s, unit), nanoseconds(floor, unit), times(s, floor, unit),
			times(s, floor, "cpu-sec/msg"), si(rate), fmt.Sprintf("%.3g", bytes), fmt.Sprintf("%.0f", s.perMessages(10_000, "allocs/op")), fmt.Sprintf("%.2f", crossings),
		})
		runs = min(runs, len(s.values[unit]), len(floor.values[unit]))
		for i, x := range []*series{s, floor} {
			stalls[i] += x.total("stalls/op")
			for _, n := range x.iters {
				iterations += n
			}
		}
	}
	body := markdown(2, table.Row{
		"size", "mode", "go ns/msg", "C ns/msg", "go/C", "go/C, cpu", "go msg/s", "go GB/s", "go allocs/10k msg", "crossings/msg",
	}, rows)
	if body == "" {
		return ""
	}
	return body + note(runs) + fmt.Sprintf("%.0f of Go's and %.0f of C's runs stood still for 100 ms or more, of %d together.\n", stalls[0], stalls[1], iterations)
}

func roundTrip(d *data) string {
	var rows []table.Row
	runs := math.MaxInt
	for _, s := range d.series {
		if s.base != "RoundTrip" || s.keys["impl"] != "go" {
			continue
		}
		floor := d.twin(s, "c")
		if floor == nil {
			continue
		}
		const unit = "sec/op"
		crossings, _ := s.median("cgo/op")
		allocs, _ := s.median("allocs/op")
		rows = append(rows, table.Row{
			s.keys["transport"], s.keys["size"], nanoseconds(s, unit), nanoseconds(floor, unit), times(s, floor, unit),
			times(s, floor, "cpu-sec/op"), fmt.Sprintf("%.0f", allocs), fmt.Sprintf("%.1f", crossings),
		})
		runs = min(runs, len(s.values[unit]), len(floor.values[unit]))
	}
	body := markdown(1, table.Row{"transport", "size", "go ns", "C ns", "go/C", "go/C, cpu", "go allocs", "crossings"}, rows)
	if body == "" {
		return ""
	}
	return body + note(runs)
}

func calls(d *data) string {
	var rows []table.Row
	for _, s := range d.series {
		if s.base != "Call" {
			continue
		}
		bytes, _ := s.median("B/op")
		allocs, _ := s.median("allocs/op")
		rows = append(rows, table.Row{
			s.keys["api"], s.keys["size"], nanoseconds(s, "sec/op"), fmt.Sprintf("%.0f", bytes), fmt.Sprintf("%.0f", allocs),
		})
	}
	return markdown(1, table.Row{"api", "size", "ns/op", "B/op", "allocs/op"}, rows)
}

func parked(d *data) string {
	var rows []table.Row
	for _, s := range d.series {
		if s.base != "Parked" {
			continue
		}
		threads, _ := s.median("threads")
		woken, _ := s.median("threads-woken")
		idle, _ := s.median("idle-cpu-%")
		rows = append(rows, table.Row{
			s.keys["sockets"], fmt.Sprintf("%.0f", threads), fmt.Sprintf("%.1f %%", idle), fmt.Sprintf("%.0f", woken),
			nanoseconds(s, "sec/wake"),
		})
	}
	return markdown(0, table.Row{"sockets", "threads, parked", "idle CPU", "threads, after all were woken", "ns/wake"}, rows)
}

// note says what the numbers of a table are.
func note(runs int) string {
	n := fmt.Sprintf("\nMedians of %d interleaved runs, ± 95 %% confidence interval", runs)
	if runs < 6 {
		n += ", which fewer than 6 runs do not give (∞)"
	}
	return n + "; ~ before a ratio: no more than chance (Mann-Whitney, p ≥ 0.05).\n"
}

// nanoseconds shows a unit of seconds.
func nanoseconds(s *series, unit string) string {
	center, percent := s.median(unit)
	return fmt.Sprintf("%.*f ± %s", decimals(center*1e9), center*1e9, percent)
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

func times(s, floor *series, unit string) string {
	if len(s.values[unit]) == 0 || len(floor.values[unit]) == 0 {
		return ""
	}
	r, significant := s.ratio(floor, unit)
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
