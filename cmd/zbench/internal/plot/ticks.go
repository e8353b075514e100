package plot

import (
	"fmt"
	"math"
	"strings"
)

// chooseTicks returns ticks for a range: on a logarithmic axis as many of 1, 2 and 5
// times the powers of ten as there is room for.
func chooseTicks(low, high float64, log bool) []Tick {
	var ticks []Tick
	if !log {
		step := math.Pow(10, math.Floor(math.Log10(high/4)))
		for _, times := range []float64{1, 2, 2.5, 5, 10} {
			if high/(step*times) <= 6 {
				step *= times
				break
			}
		}
		for i := 0; float64(i)*step <= high; i++ {
			ticks = append(ticks, Tick{float64(i) * step, Short(float64(i) * step)})
		}
		return ticks
	}
	within := []float64{1, 2, 5}
	if decades := math.Log10(high / low); decades > 2.5 {
		within = []float64{1}
	} else if decades < 0.4 {
		within = []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8}
	}
	for e := math.Floor(math.Log10(low)); e <= math.Log10(high); e++ {
		for _, times := range within {
			if v := times * math.Pow(10, e); v >= low && v <= high {
				ticks = append(ticks, Tick{v, Short(v)})
			}
		}
	}
	return ticks
}

// Short writes a number in three digits and a letter for the thousands.
func Short(v float64) string {
	for _, unit := range []struct {
		from   float64
		letter string
	}{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if v >= 0.9995*unit.from { // three digits of it are a whole one
			return trim(v/unit.from) + unit.letter
		}
	}
	return trim(v)
}

func trim(v float64) string {
	if v != 0 && v < 0.01 {
		return fmt.Sprintf("%.2g", v)
	}
	text := fmt.Sprintf("%.2f", v)
	if v >= 99.995 {
		text = fmt.Sprintf("%.0f", v)
	}
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// Bytes writes a size.
func Bytes(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}

// Nanoseconds writes a duration.
func Nanoseconds(v float64) string {
	for _, unit := range []struct {
		from float64
		name string
	}{{1e9, " s"}, {1e6, " ms"}, {1e3, " µs"}} {
		if v >= 0.9995*unit.from { // three digits of it are a whole one
			return trim(v/unit.from) + unit.name
		}
	}
	return trim(v) + " ns"
}
