package result

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// charts returns the charts of results, for each transport that was measured.
func charts(d *record.Data, all []record.Summary) (list []Chart) {
	var transports []string
	measured := map[string][]*record.Summary{}
	for i, s := range all {
		t := s.Cell.Transport
		if !slices.Contains(transports, t) {
			transports = append(transports, t)
		}
		if len(s.Runs) > 0 {
			measured[t] = append(measured[t], &all[i])
		}
	}
	for _, t := range transports {
		some := measured[t]
		for _, c := range []Chart{throughputChart(t, some), percentileChart(t, some), loadChart(t, some)} {
			if len(c.Lines) > 0 {
				if c.X != "payload size" {
					c.limit(d, "")
				}
				list = append(list, c)
			}
		}
	}
	return append(list, timelines(d, all)...)
}

// limit marks the objective about a latency that a chart is about: the one with this name, or
// any.
func (c *Chart) limit(d *record.Data, name string) {
	for _, o := range d.Objectives() {
		if bound, ok := o.Latency(); ok && (name == "" || strings.HasPrefix(o.Text, name)) {
			c.Limit, c.LimitName = bound, o.Text
		}
	}
}

// rateName returns a rate without zeros at its end: "5M".
func rateName(v float64) string {
	number, unit, _ := strings.Cut(record.Number(v), " ")
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number + unit
}

func throughputChart(transport string, all []*record.Summary) Chart {
	c := Chart{
		Title: "Throughput over " + transport + ", msg/s", X: "payload size", XLog: true, YLog: true,
		XName: func(v float64) string { return sizeName(int(v)) }, YName: rateName,
	}
	for _, s := range all {
		if v, ok := s.Figure("msg/s"); ok && s.Cell.Verb == record.Thr {
			x := float64(max(s.Cell.Size, 1))
			c.add(lineName(s.Cell, "size"), x, v)
			c.Ticks = append(c.Ticks, x)
		}
	}
	slices.Sort(c.Ticks)
	c.Ticks = slices.Compact(c.Ticks)
	return c
}

// percentileChart has the whole distribution of each latency.
func percentileChart(transport string, all []*record.Summary) Chart {
	c := Chart{
		Title: "Latency over " + transport, X: "percentile", XLog: true, YLog: true,
		XName: func(v float64) string { return record.PercentileName(100 - 100/v) }, YName: durationName,
		Ticks: []float64{2, 10, 100, 1000, 10000},
	}
	for _, s := range all {
		l := s.Main()
		if l == nil || s.Saturated() || s.Cell.Verb == record.Thr {
			continue
		}
		for _, x := range []float64{1.25, 1.6, 2, 3, 5, 7, 10, 20, 40, 70, 100, 200, 400, 700, 1000, 2000, 4000, 7000, 10000} {
			if x <= float64(l.Count) {
				c.add(lineName(s.Cell, ""), x, max(l.Percentile(100-100/x), 1))
			}
		}
	}
	return c
}

// loadChart has latency against load.
func loadChart(transport string, all []*record.Summary) Chart {
	c := Chart{Title: "Latency against load over " + transport, X: "offered msg/s", XLog: true, YLog: true, XName: rateName, YName: durationName}
	for _, s := range all {
		if !s.Cell.Open() || s.Saturated() {
			continue
		}
		for _, p := range []string{"p50", "p99", "p99.9"} {
			if v, ok := s.Figure(p + "-ns"); ok {
				c.add(lineName(s.Cell.AnyRate(), "")+" "+p, s.Cell.Rate, max(v, 1))
			}
		}
	}
	if !slices.ContainsFunc(c.Lines, func(l Line) bool { return len(l.Points) > 1 }) {
		c.Lines = nil
	}
	return c
}

// mostTimelines bounds the charts over time, of which there is one for each cell.
const mostTimelines = 6

// timelines have the latency of all runs of each cell over their time.
func timelines(d *record.Data, all []record.Summary) (list []Chart) {
	for _, s := range all {
		if len(s.Runs) == 0 || s.Saturated() || len(list) == mostTimelines {
			continue
		}
		c := Chart{Title: "Latency over time: " + lineName(s.Cell, "") + " " + s.Cell.Transport, X: "seconds", YLog: true, XName: rateName, YName: durationName}
		c.limit(d, "p99")
		for i, r := range s.Runs {
			run := ""
			if len(s.Runs) > 1 {
				run = fmt.Sprintf(", run %d", i+1)
			}
			for _, m := range r.Timeline {
				if 2*len(s.Runs) <= mostLines {
					c.add("p50"+run, m.At.Seconds(), float64(max(m.P50, 1)))
				}
				c.add("p99"+run, m.At.Seconds(), float64(max(m.P99, 1)))
			}
		}
		if len(c.Lines) > 0 {
			list = append(list, c)
		}
	}
	return list
}

// add adds a point to the line with this name.
func (c *Chart) add(name string, x, y float64) {
	i := slices.IndexFunc(c.Lines, func(l Line) bool { return l.Name == name })
	if i < 0 {
		i = len(c.Lines)
		c.Lines = append(c.Lines, Line{Name: name})
	}
	c.Lines[i].Points = append(c.Lines[i].Points, Point{x, y})
}

// lineName names a cell in a chart of its transport.
func lineName(c record.Cell, without string) string {
	words := strings.Fields(c.String()) // verb, pattern, transport, size
	name := words[1:2]
	if without != "size" {
		name = append(slices.Clone(name), sizeName(c.Size))
	}
	return strings.Join(slices.Concat(name, words[4:]), " ")
}

func sizeName(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return strconv.Itoa(n>>20) + " MiB"
	case n >= 1<<10 && n%(1<<10) == 0:
		return strconv.Itoa(n>>10) + " KiB"
	}
	return strconv.Itoa(n) + " B"
}

func durationName(ns float64) string {
	return strings.TrimSuffix(time.Duration(ns).Round(time.Duration(max(ns/100, 1))).String(), "0s")
}
