package record

import (
	"cmp"
	"slices"
	"time"
)

// Share is what one agent that sends had of all valid runs of a cell: medians, and the
// worst of its clock.
type Share struct {
	Agent string
	Rate  float64       // messages a second; 0: not known
	P99   float64       // in nanoseconds; 0: it has no latencies
	Clock time.Duration // how well its clock was known
	Drift time.Duration // by how much its clock moved
}

// Shares returns those of a cell that was measured on many hosts, the slowest first: the
// one with the longest latencies or, where there are none, with the lowest rate.
func (d *Data) Shares(c Cell) []Share {
	var all []Share
	rates, p99s := map[string][]float64{}, map[string][]float64{}
	for _, r := range d.Of(c) {
		for _, p := range r.Agents {
			if !r.Valid() || p.Role != Client && p.Role != Sender {
				continue
			}
			i := slices.IndexFunc(all, func(s Share) bool { return s.Agent == p.Agent })
			if i < 0 {
				i = len(all)
				all = append(all, Share{Agent: p.Agent})
			}
			all[i].Clock, all[i].Drift = max(all[i].Clock, p.Clock.Error), max(all[i].Drift, p.Drift.Abs())
			if p.P99 > 0 {
				p99s[p.Agent] = append(p99s[p.Agent], float64(p.P99))
			}
			if p.Elapsed > 0 {
				rates[p.Agent] = append(rates[p.Agent], perSecond(float64(p.Messages), p.Elapsed))
			}
		}
	}
	for i := range all {
		s := &all[i]
		if values := p99s[s.Agent]; len(values) > 0 {
			s.P99 = Median(values)
		}
		if values := rates[s.Agent]; len(values) > 0 {
			s.Rate = Median(values)
		}
	}
	slices.SortStableFunc(all, func(a, b Share) int { return cmp.Or(cmp.Compare(b.P99, a.P99), cmp.Compare(a.Rate, b.Rate)) })
	return all
}
