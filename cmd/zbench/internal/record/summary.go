package record

import "slices"

// Summary is all runs of a cell as one result.
type Summary struct {
	Cell     Cell
	Runs     []Run               // the valid ones that decide
	Invalid  []Run               // those that failed
	Outvoted []Run               // attempts of a search that most others at the rate contradict
	Latency  map[string]*Latency // of all valid runs together, by name
}

// Summarize returns the runs of a cell as one result.
func Summarize(c Cell, runs []Run) (Summary, error) {
	s := Summary{Cell: c}
	for _, r := range runs {
		if r.Valid() {
			s.Runs = append(s.Runs, r)
		} else {
			s.Invalid = append(s.Invalid, r)
		}
	}
	s.vote()
	var err error
	s.Latency, err = Merge(s.Runs)
	return s, err
}

// vote takes out the attempts of a search that are outvoted. With as many of each, those
// that missed decide.
func (s *Summary) vote() {
	met := s.count(func(r *Run) bool { return r.Judged == Judgement(true) })
	missed := s.count(func(r *Run) bool { return r.Judged == Judgement(false) })
	if met == 0 || missed == 0 {
		return
	}
	outvoted := func(r Run) bool { return r.Judged != Judgement(met > missed) }
	s.Outvoted = slices.DeleteFunc(slices.Clone(s.Runs), func(r Run) bool { return !outvoted(r) })
	s.Runs = slices.DeleteFunc(s.Runs, outvoted)
}

// Summaries returns a summary of each cell, in the order of Cells.
func (d *Data) Summaries() ([]Summary, error) {
	var all []Summary
	for _, c := range d.Cells() {
		s, err := Summarize(c, d.Of(c))
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// Main returns the latency that is the result: Due or RTT; nil if there is none.
func (s *Summary) Main() *Latency {
	r := Run{Latency: s.Latency}
	return r.Main()
}

// Saturated reports whether at least half of the runs were saturated. The machine may
// have disturbed a single one.
func (s *Summary) Saturated() bool {
	n := s.SaturatedRuns()
	return n > 0 && 2*n >= len(s.Runs)
}

// SaturatedRuns returns how many of the valid runs were saturated.
func (s *Summary) SaturatedRuns() int {
	return s.count(func(r *Run) bool { return r.Saturated })
}

// Disturbed returns how many of the valid runs were disturbed.
func (s *Summary) Disturbed() int {
	return s.count(func(r *Run) bool { return len(r.Warnings) > 0 })
}

// count returns how many of the valid runs meet a condition.
func (s *Summary) count(is func(*Run) bool) (n int) {
	for i := range s.Runs {
		if is(&s.Runs[i]) {
			n++
		}
	}
	return n
}

// Of returns the median over the runs of a number of each.
func (s *Summary) Of(number func(*Run) float64) float64 {
	var values []float64
	for i := range s.Runs {
		values = append(values, number(&s.Runs[i]))
	}
	return Median(values)
}

// Values returns a figure of every run that has it, in the order of the runs.
func (s *Summary) Values(unit string) []float64 {
	var values []float64
	for i := range s.Runs {
		if v, ok := s.Runs[i].Figure(unit); ok {
			values = append(values, v)
		}
	}
	return values
}

// Figure returns a figure of all runs together: a percentile of the merged latencies, the
// sum of lost messages, the median of anything else.
func (s *Summary) Figure(unit string) (value float64, ok bool) {
	if l := s.Main(); l != nil {
		if v, ok := l.figure(unit); ok {
			// The latencies of a growing queue mean nothing.
			return v, !s.Saturated()
		}
	}
	values := s.Values(unit)
	if len(values) == 0 {
		return 0, false
	}
	if unit == "lost" {
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		return sum, true
	}
	return Median(values), true
}

// Median returns the median of values; 0 of none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}
