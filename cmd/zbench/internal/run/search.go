package run

import "math"

// Search finds the highest rate that is good, to within 5 %: it doubles from the
// first rate until one is not good, and then halves the distance between the last
// that was and the first that was not. It assumes that what is too much stays so. best
// is 0 if not even the first rate is good; over is the lowest rate that was not good, 0
// if all were, up to and with the last one, to.
func Search(from, to float64, good func(rate float64) (bool, error)) (best, over float64, err error) {
	const within = 1.05
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
	return best, over, nil
}

// round keeps three digits: rates are for people, and two that were chosen alike
// are then the same cell.
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
