package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plot"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// percentile takes "p99.9-sec" apart.
func percentile(unit string) (p float64, ok bool) {
	text, ok := strings.CutSuffix(unit, "-sec")
	if !ok {
		return 0, false
	}
	text, ok = strings.CutPrefix(text, "p")
	if !ok {
		return 0, false
	}
	p, err := strconv.ParseFloat(text, 64)
	return p, err == nil
}

// percentiles returns those that a series has, in their order.
func percentiles(s *series.Series) []float64 {
	var all []float64
	for _, unit := range s.UnitsInOrder() {
		if p, ok := percentile(unit); ok {
			all = append(all, p)
		}
	}
	slices.Sort(all)
	return all
}

func unitOf(p float64) string { return "p" + strconv.FormatFloat(p, 'f', -1, 64) + "-sec" }

// differing returns, for each series, the values of the keys in which they differ.
func differing(all []*series.Series) []string {
	var keys []string
	for _, s := range all {
		for key := range s.Keys {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	order := []string{"impl", "engine", "pattern", "transport", "size", "mode", "strategy", "peers", "rate"}
	slices.SortFunc(keys, func(a, b string) int {
		i, j := slices.Index(order, a), slices.Index(order, b)
		if i < 0 {
			i = len(order)
		}
		if j < 0 {
			j = len(order)
		}
		return cmp.Or(cmp.Compare(i, j), cmp.Compare(a, b))
	})
	names := make([]string, len(all))
	for _, key := range keys {
		same := true
		for _, s := range all {
			same = same && s.Keys[key] == all[0].Keys[key]
		}
		if same {
			continue
		}
		for i, s := range all {
			if value := shown(key, s.Keys[key]); value != "" {
				names[i] = strings.TrimPrefix(names[i]+", "+value, ", ")
			}
		}
	}
	for i := range names {
		if names[i] == "" {
			names[i] = all[i].Base
		}
	}
	return names
}

// implName is how an implementation is called.
func implName(key string) string {
	switch key {
	case "go":
		return "go-zmq"
	case "c":
		return "C"
	}
	return key
}

// shown is the value of a key where the key is not named.
func shown(key, value string) string {
	switch {
	case value == "":
		return ""
	case key == "impl":
		return implName(value)
	case key == "size":
		if n, err := strconv.Atoi(value); err == nil {
			return plot.Bytes(n)
		}
	case key == "rate":
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			return plot.Short(n) + "/s"
		}
	case slices.Contains([]string{"pattern", "transport", "mode", "strategy"}, key):
		return value
	}
	return key + " " + value
}

// mostLines is how many lines a reader can tell apart in a plot.
const mostLines = 8

// latencyFigure has a line for each series with percentiles; where there are more
// than can be told apart, those of the smallest size, or of these those over tcp.
func latencyFigure(d *series.Set) (plot.Figure, error) {
	if d.Records != nil {
		f, err := recordedSpectrum(d)
		if err == nil || errors.Is(err, errNothing) {
			return f, err
		}
		// A damaged histogram: the percentiles beside it are there.
	}
	var all []*series.Series
	for _, s := range d.Series {
		if len(percentiles(s)) > 0 {
			all = append(all, s)
		}
	}
	if len(all) > mostLines {
		least := number(all[0], "size")
		for _, s := range all {
			least = min(least, number(s, "size"))
		}
		all = slices.DeleteFunc(all, func(s *series.Series) bool { return number(s, "size") != least })
	}
	tcp := func(s *series.Series) bool { return s.Keys["transport"] == "tcp" }
	if len(all) > mostLines && slices.ContainsFunc(all, tcp) {
		all = slices.DeleteFunc(all, func(s *series.Series) bool { return !tcp(s) })
	}
	left := max(0, len(all)-mostLines)
	all = all[:len(all)-left]
	g := &graph{}
	axis := plot.Axis{Label: "percentile", Log: true}
	names := differing(all)
	for i, s := range all {
		name := names[i]
		for _, p := range percentiles(s) {
			if p >= 100 {
				continue
			}
			x := 1 / (1 - p/100)
			g.measured(name, s.Keys["impl"] == "c", x, s, unitOf(p), 1e9)
			if !slices.ContainsFunc(axis.Ticks, func(t plot.Tick) bool { return t.Value == x }) {
				axis.Ticks = append(axis.Ticks, plot.Tick{Value: x, Label: "p" + strconv.FormatFloat(p, 'f', -1, 64)})
			}
		}
	}
	slices.SortFunc(axis.Ticks, func(a, b plot.Tick) int { return cmp.Compare(a.Value, b.Value) })
	var caption []string
	if left > 0 {
		caption = append(caption, fmt.Sprintf("%d more are in the table.", left))
	}
	return g.figure(d, plot.Figure{Title: "Latency: percentiles", X: axis, Y: timeAxis("latency", g.lines)}, caption...)
}

// loadFigure shows how the latency grows with the load: of series that differ in
// their rate only.
func loadFigure(d *series.Set) (plot.Figure, error) {
	var rated []*series.Series
	rates := map[float64]bool{}
	for _, s := range d.Series {
		if s.Base == "OpenLoop" && len(percentiles(s)) > 0 && number(s, "rate") > 0 && s.Keys["impl"] != "c" {
			rated = append(rated, s)
			rates[number(s, "rate")] = true
		}
	}
	g := &graph{}
	if len(rates) > 1 {
		without := make([]*series.Series, len(rated))
		for i, s := range rated {
			alike := *s
			alike.Keys = map[string]string{}
			for key, value := range s.Keys {
				if key != "rate" {
					alike.Keys[key] = value
				}
			}
			without[i] = &alike
		}
		names := differing(without)
		for i, s := range rated {
			prefix := ""
			if names[i] != s.Base {
				prefix = names[i] + ", "
			}
			for _, p := range loadPercentiles(s) {
				g.measured(prefix+"p"+strconv.FormatFloat(p, 'f', -1, 64), false, number(s, "rate"), s, unitOf(p), 1e9)
			}
		}
	}
	if len(g.lines) > mostLines {
		g.lines = g.lines[:mostLines]
	}
	return g.figure(d, plot.Figure{
		Title: "Latency under load", X: plot.Axis{Label: "offered messages a second", Log: true}, Y: timeAxis("latency from the due time", g.lines),
	})
}

// loadPercentiles are those that are shown beside a load: three that say most, or those
// that were asked for.
func loadPercentiles(s *series.Series) []float64 {
	most, have := []float64{50, 99, 99.9}, percentiles(s)
	for _, p := range most {
		if !slices.Contains(have, p) {
			return have
		}
	}
	return most
}

// latencies has a row for each series with percentiles.
func latencies(d *series.Set) *Table {
	if d.Records != nil {
		t, err := recordedLatencies(d)
		if err != nil {
			// A damaged histogram: the percentiles that were noted beside it are there.
			if t = latencyTable(d); t != nil {
				t.say("%v", err)
			}
		}
		return t
	}
	return latencyTable(d)
}

func latencyTable(d *series.Set) *Table {
	var rows []table.Row
	var columns []float64
	var all []*series.Series
	for _, s := range d.Series {
		if of := percentiles(s); len(of) > 0 {
			all = append(all, s)
			for _, p := range of {
				if !slices.Contains(columns, p) {
					columns = append(columns, p)
				}
			}
		}
	}
	slices.Sort(columns)
	head := table.Row{"workload"}
	for _, p := range columns {
		head = append(head, "p"+strconv.FormatFloat(p, 'f', -1, 64))
	}
	head = append(head, "max", "p50 / C", "p99 / C")
	names := differing(all)
	runs := math.MaxInt
	for i, s := range all {
		row := table.Row{names[i]}
		for _, p := range columns {
			row = append(row, duration(s, unitOf(p)))
			if n := len(s.Values[unitOf(p)]); n > 0 {
				runs = min(runs, n)
			}
		}
		row = append(row, duration(s, "max-sec"))
		floor := d.Twin(s, "c")
		for _, p := range []float64{50, 99} {
			ratio := ""
			if floor != nil && floor != s {
				ratio = times(s, floor, unitOf(p))
			}
			row = append(row, ratio)
		}
		rows = append(rows, row)
	}
	t := newTable(1, head, rows)
	if t == nil {
		return nil
	}
	return t.note(runs).sayCommon(all)
}

// duration shows a unit of seconds in what is legible.
func duration(s *series.Series, unit string) string {
	if !s.Has(unit) {
		return ""
	}
	center, percent := s.Median(unit)
	return plot.Nanoseconds(center*1e9) + " ± " + percent
}
