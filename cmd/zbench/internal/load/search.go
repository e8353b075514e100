package load

import "math"

// Step is the result of measuring a rate.
type Step struct {
	Good      bool
	Disturbed bool // the machine disturbed it, so that a bad result says little
}

const (
	within   = 1.05 // precision of a search
	attempts = 3    // at a rate whose results are bad and disturbed
	stepDown = 0.9  // after a rate that was good once and is not again
)

// Search finds the highest good rate, to within 5 %. It doubles the rate until one is not
// good, halves the distance between the highest good and the lowest bad rate, and measures
// the result again. A bad step that was disturbed is measured again before it counts. best
// is 0 if no rate is good; over is the lowest bad rate, or 0 if all up to the last one, to,
// were good.
func Search(from, to float64, measure func(rate float64) (Step, error)) (best, over float64, err error) {
	good := func(rate float64) (bool, error) {
		for i := 1; ; i++ {
			s, err := measure(rate)
			if err != nil || s.Good || !s.Disturbed || i == attempts {
				return s.Good, err
			}
		}
	}
	for rate := from; over == 0; rate = min(2*rate, to) {
		ok, err := good(rate)
		switch {
		case err != nil:
			return best, over, err
		case !ok:
			over = rate
		case rate >= to:
			return rate, 0, nil
		default:
			best = rate
		}
	}
	for best > 0 && over/best > within {
		middle := round((best + over) / 2)
		ok, err := good(middle)
		switch {
		case err != nil:
			return best, over, err
		case ok:
			best = middle
		default:
			over = middle
		}
	}
	for needed := 1; best > 0; needed = 2 { // the first one was good once
		ok := true
		for i := 0; i < needed && ok; i++ {
			if ok, err = good(best); err != nil {
				return best, over, err
			}
		}
		if ok {
			return best, over, nil
		}
		over = best
		if best = round(best * stepDown); best < from {
			best = 0
		}
	}
	return best, over, nil
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
