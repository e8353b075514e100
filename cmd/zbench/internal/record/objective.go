package record

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Objective is a condition on a result, such as p99<1ms.
type Objective struct {
	Text  string // as it was given
	Unit  string // of the figure: "p99-ns"
	op    string
	bound float64
}

var (
	form       = regexp.MustCompile(`^\s*([a-zA-Z0-9./%-]+?)\s*(<=|>=|<|>|=)\s*([^\s<>=]+)\s*$`)
	percentile = regexp.MustCompile(`^p(\d{1,2}(\.\d+)?|100)$`)
)

// durations are the figures that are given as times, with their units.
var durations = map[string]string{
	"min": "min-ns", "mean": "mean-ns", "max": "max-ns", "cpu/msg": "cpu-ns/msg", "time/msg": "ns/msg",
}

// numbers are the others.
var numbers = []string{"msg/s", "GB/s", "lost", "allocs/msg", "B/msg", "cgo/msg"}

// ParseObjective reads an objective: a figure, one of < <= > >= =, and a number, which is a
// duration for times.
func ParseObjective(s string) (Objective, error) {
	parts := form.FindStringSubmatch(s)
	if parts == nil {
		return Objective{}, fmt.Errorf("%q is not an objective; write one such as 'p99<1ms', 'msg/s>1e6' or 'lost=0'", s)
	}
	o := Objective{Text: strings.TrimSpace(s), op: parts[2]}
	name, value := parts[1], parts[3]
	o.Unit = durations[name]
	if percentile.MatchString(name) {
		o.Unit = name + "-ns"
	}
	switch {
	case o.Unit != "":
		d, err := time.ParseDuration(value)
		if err != nil {
			return Objective{}, fmt.Errorf("%q: %q is not a duration; write one such as 500us or 1ms", s, value)
		}
		o.bound = float64(d)
	case slices.Contains(numbers, name):
		v, err := ParseNumber(value)
		if err != nil {
			return Objective{}, fmt.Errorf("%q: %w", s, err)
		}
		o.Unit, o.bound = name, v
	default:
		return Objective{}, fmt.Errorf("%q: unknown figure %q; use one of %s", s, name, "p50 p99 p99.9 ..., min mean max, cpu/msg time/msg, "+strings.Join(numbers, " "))
	}
	return o, o.check(name, value)
}

// check refuses an objective that only a bad result meets, and equality unless it is about
// something that is counted.
func (o Objective) check(name, value string) error {
	reason, op := "less", "<"
	counted := name == "lost" || name == "allocs/msg"
	switch {
	case Better(o.Unit) > 0:
		reason, op = "more", ">"
	case counted:
		op = "<="
	}
	if strings.HasPrefix(o.op, op[:1]) || o.op == "=" && counted {
		return nil
	}
	return fmt.Errorf("%q: %s %s is better; write '%s%s%s'", o.Text, reason, name, name, op, value)
}

// A unit is a name for a factor.
type unit struct {
	name string
	size float64
}

// The units of numbers and of nanoseconds, the largest first.
var (
	prefixes = []unit{{"G", 1e9}, {"M", 1e6}, {"k", 1e3}}
	times    = []unit{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}}
)

// ParseNumber reads a number such as 100k, 1.5M or 1e6.
func ParseNumber(s string) (float64, error) {
	digits, factor := s, 1.0
	for _, u := range prefixes {
		if cut, ok := strings.CutSuffix(s, u.name); ok {
			digits, factor = cut, u.size
		}
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a number; write one such as 500, 100k, 1.5M or 1e6", s)
	}
	return v * factor, nil
}

// Of returns the figure of a result that the objective is about; ok is false if there is
// none: a latency has no GB/s, and a saturated load no percentiles.
func (o Objective) Of(s *Summary) (value float64, ok bool) { return s.Figure(o.Unit) }

// Latency returns the bound of an objective about a latency.
func (o Objective) Latency() (bound float64, ok bool) {
	return o.bound, strings.HasSuffix(o.Unit, "-ns")
}

// Objectives returns those of the plans.
func (d *Data) Objectives() (all []Objective) {
	for _, p := range d.Plans {
		for _, arg := range p.Args {
			if text, ok := strings.CutPrefix(arg, "--slo="); ok {
				if o, err := ParseObjective(text); err == nil {
					all = append(all, o)
				}
			}
		}
	}
	return all
}

// Met reports whether a value meets the objective.
func (o Objective) Met(value float64) bool {
	switch o.op {
	case "<":
		return value < o.bound
	case "<=":
		return value <= o.bound
	case ">":
		return value > o.bound
	case ">=":
		return value >= o.bound
	}
	return value == o.bound
}

// Format returns a value of this figure for people.
func (o Objective) Format(value float64) string {
	if strings.Contains(o.Unit, "ns") {
		return Duration(value)
	}
	return strconv.FormatFloat(value, 'g', 4, 64)
}

// Duration returns nanoseconds with three digits and a unit: "58.1 µs".
func Duration(ns float64) string {
	return scaled(ns, times, " ns")
}

// Number returns a number with three digits and a unit: "1.23 M".
func Number(v float64) string {
	return scaled(v, prefixes, "")
}

// scaled writes a number with its largest unit. plain follows a number that is less than
// all units.
func scaled(v float64, units []unit, plain string) string {
	for _, u := range units {
		if v >= u.size*0.9995 {
			return three(v/u.size) + " " + u.name
		}
	}
	return three(v) + plain
}

// Count returns a number of things: "1 run", "2 runs".
func Count[N int | int64 | uint64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// three writes three digits, without an exponent.
func three(v float64) string {
	places := 2
	switch {
	case v >= 99.95 || v == 0:
		places = 0
	case v >= 9.995:
		places = 1
	}
	return strconv.FormatFloat(v, 'f', places, 64)
}
