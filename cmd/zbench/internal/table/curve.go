package table

import (
	"fmt"
	"math"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/slo"
)

// Curve writes latencies against the offered load, a table for each cell. The
// summaries of a cell come together, in the order of their rates; good says which
// are.
func (p *Printer) Curve(all []record.Summary, good func(*record.Summary) bool) {
	for len(all) > 0 {
		n := 1
		for n < len(all) && apart(all[n].Cell) == apart(all[0].Cell) {
			n++
		}
		p.curve(all[:n], good)
		all = all[n:]
	}
}

// apart returns a cell without its rate.
func apart(c record.Cell) record.Cell {
	c.Rate = 0
	return c
}

func (p *Printer) curve(all []record.Summary, good func(*record.Summary) bool) {
	c := all[0].Cell
	about := ""
	for i := range all {
		if len(all[i].Runs) > 0 {
			about = sampled(&all[i])
		}
	}
	p.title("%s, %s arrivals: latency from the moment the message was due%s", opened(c), c.Arrivals, about)
	most := 0.0
	var rows []*record.Summary
	for i := range all {
		if v, ok := all[i].Figure("p99-ns"); ok {
			most = max(most, v)
		}
		rows = append(rows, &all[i])
	}
	offered := column{"offered", false, func(s *record.Summary) string { return slo.Number(s.Cell.Rate) }}
	achieved := column{"achieved", false, func(s *record.Summary) string {
		if len(s.Runs) == 0 {
			return "failed"
		}
		var shares []float64
		for i := range s.Runs {
			shares = append(shares, s.Runs[i].Achieved())
		}
		return fmt.Sprintf("%.1f %%", 100*record.Median(shares))
	}}
	bar := column{"p99 (log)", true, func(s *record.Summary) string {
		v, ok := s.Figure("p99-ns")
		if !ok {
			return ""
		}
		return logBar(v, most)
	}}
	verdict := column{" ", true, func(s *record.Summary) string {
		switch {
		case len(s.Runs) == 0:
			return s.Invalid[0].Invalid
		case s.Saturated():
			return "SATURATED"
		case !good(s):
			return "<- missed"
		}
		return ""
	}}
	columns := []column{offered, achieved}
	for _, q := range curvePercentiles(rows) {
		columns = append(columns, figure(record.PercentileName(q), record.PercentileName(q)+"-ns", slo.Duration))
	}
	p.render([]column{}, append(columns, figure("max", "max-ns", slo.Duration), bar, verdict), rows)
	p.end()
}

// curvePercentiles returns those that were asked for, or the three that say most.
func curvePercentiles(all []*record.Summary) []float64 {
	for _, s := range all {
		if len(s.Runs) > 0 && len(s.Runs[0].Method.Percentiles) > 0 {
			return s.Runs[0].Method.Percentiles
		}
	}
	return []float64{50, 99, 99.9}
}

// logBar draws a latency on a scale from 1 µs to the longest one.
func logBar(ns, most float64) string {
	const width = 20
	scale := math.Log(max(most, 2000) / 1000)
	n := int(math.Round(width * math.Log(max(ns, 1000)/1000) / scale))
	return strings.Repeat("█", max(n, 1))
}
