package table

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/slo"
)

// Agents writes, for each cell that was measured on many hosts, which agents were the
// slowest and the fastest, and how well their clocks are known.
func Agents(w io.Writer, d *record.Data) {
	for _, cell := range d.Cells() {
		var all []share
		for _, r := range d.Of(cell) {
			for _, p := range r.Agents {
				if !r.Valid() || p.Role != record.Client && p.Role != record.Sender {
					continue
				}
				i := slices.IndexFunc(all, func(s share) bool { return s.agent == p.Agent })
				if i < 0 {
					i = len(all)
					all = append(all, share{agent: p.Agent})
				}
				all[i].add(p)
			}
		}
		if len(all) == 0 {
			continue
		}
		slices.SortStableFunc(all, func(a, b share) int {
			if a.slower(b) {
				return -1
			}
			return 1
		})
		slowest, fastest := all[0], all[len(all)-1]
		line := "slowest " + slowest.String()
		if len(all) > 1 {
			line += ", fastest " + fastest.String()
		}
		var worst, drift time.Duration
		for _, s := range all {
			worst, drift = max(worst, s.clock), max(drift, s.drift)
		}
		fmt.Fprintf(w, "%s: %s; clocks known to %v, moved by %v at most\n", cell, line, worst.Round(time.Microsecond), drift.Round(time.Microsecond))
	}
}

// share is what one agent did in all runs of a cell.
type share struct {
	agent        string
	rates, p99s  []float64
	clock, drift time.Duration // the worst
}

func (s *share) add(p record.Part) {
	if p.P99 > 0 {
		s.p99s = append(s.p99s, float64(p.P99))
	}
	if p.Elapsed > 0 {
		s.rates = append(s.rates, float64(p.Messages)/p.Elapsed.Seconds())
	}
	s.clock, s.drift = max(s.clock, p.Clock.Error), max(s.drift, p.Drift.Abs())
}

// figure returns the median of what the agent is judged by, the higher the slower.
func (s share) figure() float64 {
	switch {
	case len(s.p99s) > 0:
		return record.Median(s.p99s)
	case len(s.rates) > 0:
		return -record.Median(s.rates)
	}
	return 0
}

func (s share) slower(o share) bool { return s.figure() > o.figure() }

func (s share) String() string {
	if len(s.p99s) > 0 {
		return fmt.Sprintf("%s p99 %s", s.agent, slo.Duration(s.figure()))
	}
	return fmt.Sprintf("%s %s msg/s", s.agent, slo.Number(-s.figure()))
}
