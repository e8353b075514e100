package run

// Search finds the highest rate that is good, to within 5 %: it doubles from the
// first rate until one is not good, or higher than to, and then halves the distance
// between the last that was and the first that was not. It assumes that what is too
// much stays so. ok is false if not even the first rate is good.
func Search(from, to float64, good func(rate float64) (bool, error)) (best float64, ok bool, err error) {
	const within = 1.05
	bad := 0.0
	for rate := from; rate <= to; rate *= 2 {
		ok, err := good(rate)
		if err != nil {
			return best, best > 0, err
		}
		if !ok {
			bad = rate
			break
		}
		best = rate
	}
	for best > 0 && bad/best > within {
		middle := round((best + bad) / 2)
		if middle <= best || middle >= bad {
			break
		}
		ok, err := good(middle)
		if err != nil {
			return best, true, err
		}
		if ok {
			best = middle
		} else {
			bad = middle
		}
	}
	return best, best > 0, nil
}

// round keeps three digits: rates are for people, and two that were chosen alike
// are then the same cell.
func round(rate float64) float64 {
	unit := 1.0
	for rate/unit >= 1000 {
		unit *= 10
	}
	return float64(int(rate/unit+0.5)) * unit
}
