package load

import (
	"maps"
	"math"
	"slices"
)

// Step is the result of measuring a rate.
type Step struct {
	Good      bool
	Disturbed bool // the machine disturbed it, so that a bad result says little
}

const (
	// within is the precision of a search.
	within = 1.05
	// agreeing is how many attempts at a rate must agree before it is a result. With two, as
	// many as 27 % of simulated searches claimed a precision that they had not; with three 8 %.
	agreeing = 3
	// reserved is how many steps are kept to confirm a result.
	reserved = agreeing + 1
)

// Search finds the highest good rate. It doubles the rate until one is not good, halves the
// distance between the highest good and the lowest bad rate to 5 %, and then measures both
// again. A rate is what most of its attempts say; a bad attempt that was disturbed does not
// count alone.
type Search struct {
	From, To float64
	Steps    int // at most so many attempts
	Measure  func(rate float64) (Step, error)

	tried map[float64][]Step
}

// Found is the result of a search.
type Found struct {
	Best float64 // the highest good rate; 0: none
	Over float64 // the lowest bad one; 0: none up to the last that was tried
	// Low and High are where the repeats place the limit: no attempt failed up to Low, and
	// none was good from High on. Attempts that were disturbed and outvoted do not count.
	// High is 0 if it is not known.
	Low, High float64
	Confirmed bool // Best was good three times, and bad less often
	Precise   bool // Over was bad as often, and Low and High are within 5 %
}

// Run searches. With an error the result is what was found until then.
func (s *Search) Run() (Found, error) {
	s.tried = map[float64][]Step{}
	for left := s.Steps; left > 0; left-- {
		rate, more := s.next(left)
		if !more {
			break
		}
		step, err := s.Measure(rate)
		if err != nil {
			return s.found(), err
		}
		s.tried[rate] = append(s.tried[rate], step)
	}
	return s.found(), nil
}

// next returns the rate to measure next; more is false if nothing is left to find out.
func (s *Search) next(left int) (rate float64, more bool) {
	best, over := s.limits()
	good, _ := s.votes(best)
	_, bad := s.votes(over)
	last := left <= reserved && best > 0 // no new rates any more
	if rate := s.undecided(); rate > 0 && (!last || good >= agreeing) {
		return rate, true
	}
	switch {
	case !last && over == 0 && best < s.To:
		return min(max(2*best, s.From), s.To), true
	case !last && best > 0 && over/best > within:
		return round((best + over) / 2), true
	case best > 0 && good < agreeing:
		return best, true
	case over > 0 && bad < agreeing:
		return over, true
	}
	return 0, false
}

// limits returns the lowest bad rate, and the highest good one below it; 0: none.
func (s *Search) limits() (best, over float64) {
	for rate := range s.tried {
		if good, bad := s.votes(rate); bad > good && (over == 0 || rate < over) {
			over = rate
		}
	}
	for rate := range s.tried {
		if good, bad := s.votes(rate); good > bad && rate > best && (over == 0 || rate < over) {
			best = rate
		}
	}
	return best, over
}

// votes returns how many attempts at a rate were good, and how many bad.
func (s *Search) votes(rate float64) (good, bad int) {
	for _, step := range s.tried[rate] {
		if step.Good {
			good++
		} else {
			bad++
		}
	}
	return good, bad
}

// undecided returns a rate whose attempts do not tell whether it is good; 0: there is none.
func (s *Search) undecided() float64 {
	for _, rate := range slices.Sorted(maps.Keys(s.tried)) {
		good, bad := s.votes(rate)
		if good == bad || bad == 1 && good == 0 && s.tried[rate][0].Disturbed {
			return rate
		}
	}
	return 0
}

func (s *Search) found() (f Found) {
	f.Best, f.Over = s.limits()
	lowestBad, highestGood := math.Inf(1), 0.0
	for rate, steps := range s.tried {
		good, bad := s.votes(rate)
		for _, step := range steps {
			switch outvoted := step.Good != (good > bad); {
			case outvoted && step.Disturbed:
			case step.Good:
				highestGood = max(highestGood, rate)
			default:
				lowestBad = min(lowestBad, rate)
			}
		}
	}
	for rate := range s.tried {
		if rate < lowestBad {
			f.Low = max(f.Low, rate)
		}
		if rate > highestGood && (f.High == 0 || rate < f.High) {
			f.High = rate
		}
	}
	good, _ := s.votes(f.Best)
	_, bad := s.votes(f.Over)
	f.Confirmed = f.Best > 0 && good >= agreeing
	f.Precise = f.Confirmed && bad >= agreeing && f.Low > 0 && f.High/f.Low <= within
	return f
}

// round keeps three digits: rates are for people.
func round(rate float64) float64 {
	unit, parts := 1.0, 1.0
	for rate/unit >= 1000 {
		unit *= 10
	}
	for rate*parts < 100 {
		parts *= 10
	}
	return math.Round(rate/unit*parts) * unit / parts
}
