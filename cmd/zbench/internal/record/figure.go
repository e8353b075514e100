package record

import "strings"

// Units are the figures of results, in display order. The unit of a figure is its name in
// benchmarks, comparisons and objectives. Every other percentile is a figure, such as
// "p99.5-ns".
var Units = []string{
	"msg/s", "GB/s", "ns/msg", "p50-ns", "p90-ns", "p99-ns", "p99.9-ns", "p99.99-ns", "min-ns", "mean-ns", "max-ns",
	"cpu-ns/msg", "cgo/msg", "allocs/msg", "B/msg", "lost",
}

// Better returns the direction of a figure: +1 if more is better, -1 if less is, 0 if the
// figure is unknown.
func Better(unit string) int {
	switch {
	case unit == "msg/s" || unit == "GB/s":
		return 1
	case unit == "lost" || strings.HasSuffix(unit, "/msg") || strings.HasSuffix(unit, "-ns"):
		return -1
	}
	return 0
}

// Has reports whether runs of the cell have a figure with this unit. A sender that spins
// until messages are due uses a processor whatever a message costs.
func (c Cell) Has(unit, pace string) bool {
	switch unit {
	case "GB/s", "ns/msg": // of messages that go one way
		return c.Verb != Lat && c.Verb != Churn
	case "cpu-ns/msg":
		return !c.Open() || pace == "" || pace == "sleep"
	}
	return c.Verb == Lat || c.Verb == Churn || !strings.HasSuffix(unit, "-ns")
}

// Figure returns a figure of the run; ok is false if it has none with this unit.
func (r *Run) Figure(unit string) (value float64, ok bool) {
	if !r.Cell.Has(unit, r.Method.Pace) {
		return 0, false
	}
	switch unit {
	case "msg/s":
		return r.Rate(), true
	case "GB/s":
		return perSecond(float64(r.Bytes), r.Elapsed) / 1e9, true
	case "ns/msg":
		return r.per(float64(r.Elapsed)), true
	case "cpu-ns/msg":
		return r.per(float64(r.CPU)), true
	case "cgo/msg":
		return r.per(float64(r.Crossings)), true
	case "B/msg":
		return r.per(float64(r.AllocBytes)), true
	case "allocs/msg":
		return r.per(float64(r.Allocs)), true
	case "lost":
		return float64(r.Lost), true
	}
	if l := r.Main(); l != nil && !r.Saturated {
		return l.figure(unit)
	}
	return 0, false
}

// figure returns a figure of a latency.
func (l *Latency) figure(unit string) (value float64, ok bool) {
	switch unit {
	case "min-ns":
		return float64(l.Min), true
	case "max-ns":
		return float64(l.Max), true
	case "mean-ns":
		return l.Mean, true
	}
	if p, ok := parsePercentile(unit); ok {
		return l.Percentile(p), true
	}
	return 0, false
}
