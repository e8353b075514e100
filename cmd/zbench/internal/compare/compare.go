// Package compare says what changed between two results, whether that is more than
// chance, and whether it is for the better.
package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// alpha is how likely a difference may be by chance that counts as one: with as many
// comparisons as there are, one in twenty that at least one of them does.
const alpha = 0.05

// Options say how to compare.
type Options struct {
	Gates        []Gate
	CrossMachine bool // compare machines that differ, without verdicts
	AllowPartial bool // take results of which runs are missing
}

// A Change is one unit of one benchmark, in both results.
type Change struct {
	Name     string
	Unit     string // as go test prints it
	Old, New Center
	Percent  float64 // of Old's; ±Inf where Old's is 0 and New's is not
	P        float64 // corrected for the number of benchmarks
	Better   int     // +1, -1; 0: no significant change, or the unit has no direction
	Changed  bool    // significantly
	Failed   []Gate  // those that it breaks
}

// A Center is a median.
type Center struct {
	Value   float64
	Percent string // half of the confidence interval
	N       int
}

// Result is what Compare found.
type Result struct {
	Old, New     string   // the files
	Machine      string   // what both were measured on
	Unlike       []string // in what the two machines differ
	Mixed        []string // results that have runs of several machines, and in what these differ
	Changes      []Change // in the order of the units, then of the new result
	Cells        int      // benchmarks in both
	OnlyOld      []string
	OnlyNew      []string
	Runs         [2]int // the least of each side
	Verdicts     bool
	NotPossible  bool // with so few runs no change of one benchmark could be significant
	Units        []string
	CrossMachine bool
}

// Failed returns the changes that break a gate.
func (r *Result) Failed() []Change {
	return slices.DeleteFunc(slices.Clone(r.Changes), func(c Change) bool { return len(c.Failed) == 0 })
}

// Compare refuses with a RefusedError what cannot be compared.
func Compare(old, now *series.Set, o Options) (*Result, error) {
	r := &Result{Old: old.From, New: now.From, CrossMachine: o.CrossMachine}
	for _, s := range now.Series {
		if old.Named(s.Name) == nil {
			r.OnlyNew = append(r.OnlyNew, s.Name)
		} else {
			r.Cells++
		}
	}
	for _, s := range old.Series {
		if now.Named(s.Name) == nil {
			r.OnlyOld = append(r.OnlyOld, s.Name)
		}
	}
	r.Machine, r.Unlike = alike(old, now)
	r.Mixed = slices.Concat(old.Mixed, now.Mixed)
	r.Verdicts = len(r.Unlike) == 0 && len(r.Mixed) == 0
	if err := refuse(old, now, r, o); err != nil {
		return nil, err
	}
	r.measure(old, now)
	r.correct()
	for i := range r.Changes {
		r.Changes[i].judge(old, now, r.Verdicts)
		if r.Verdicts {
			r.Changes[i].gate(o.Gates)
		}
	}
	return r, nil
}

// alike returns what both machines have in common, and what they have not. What only
// one of the results says is no difference.
func alike(old, now *series.Set) (common string, unlike []string) {
	words := map[string]string{
		"cpu": "%s", "cores": "%s cores", "kernel": "kernel %s", "libzmq": "libzmq %s", "libzmq's file": "%s", "go": "%s", "GOMAXPROCS": "GOMAXPROCS %s",
	}
	for _, key := range []string{"cpu", "cores", "kernel", "libzmq", "libzmq's file", "go", "GOMAXPROCS"} {
		if value, ok := now.Machine[key]; ok && value == old.Machine[key] {
			if common != "" {
				common += ", "
			}
			common += fmt.Sprintf(words[key], value)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(now.Machine)) {
		if have, ok := old.Machine[key]; ok && have != now.Machine[key] {
			unlike = append(unlike, fmt.Sprintf("%s is %q and %q", key, have, now.Machine[key]))
		}
	}
	return common, unlike
}

// measure compares every unit that both results of a benchmark have.
func (r *Result) measure(old, now *series.Set) {
	for _, s := range now.Series {
		for _, unit := range s.UnitsInOrder() {
			if !slices.Contains(r.Units, unit) && !slices.Contains(notFigures, unit) {
				r.Units = append(r.Units, unit)
			}
		}
	}
	slices.SortStableFunc(r.Units, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	for _, unit := range r.Units {
		for _, s := range now.Series {
			was := old.Named(s.Name)
			if was == nil || !was.Has(unit) || !s.Has(unit) || !comparable(was, s, unit) {
				continue
			}
			a, b := len(was.Values[unit]), len(s.Values[unit])
			if r.Runs[0] == 0 || a < r.Runs[0] {
				r.Runs[0] = a
			}
			if r.Runs[1] == 0 || b < r.Runs[1] {
				r.Runs[1] = b
			}
			r.Changes = append(r.Changes, change(was, s, unit, assumption(old, now, unit)))
		}
	}
}

// comparable reports whether a unit means the same in both. An iteration may be many
// messages, and of another number of them in another result.
func comparable(was, is *series.Series, unit string) bool {
	if !strings.HasSuffix(unit, "/op") {
		return true
	}
	if unit == "sec/op" && was.Has("sec/msg") && is.Has("sec/msg") {
		return false // the same again
	}
	if !was.Has("msg/op") && !is.Has("msg/op") {
		return true
	}
	if !was.Has("msg/op") || !is.Has("msg/op") {
		return false
	}
	a, _ := was.Median("msg/op")
	b, _ := is.Median("msg/op")
	return a == b
}

// notFigures are reported with the figures and say how the measuring went.
var notFigures = []string{"msg/op", "threads", "threads-woken"}

// rank orders the units: what people look for comes first.
func rank(unit string) int {
	first := []string{"msg/s", "sec/msg", "sec/op", "p50-sec", "p90-sec", "p99-sec", "p99.9-sec", "p99.99-sec", "max-sec", "mean-sec", "min-sec", "cpu-sec/msg", "cpu-sec/op", "allocs/op", "allocs/msg", "B/op", "B/msg", "cgo/msg", "cgo/op"}
	if i := slices.Index(first, unit); i >= 0 {
		return i
	}
	return len(first)
}

// assumption is exact only where both results say that.
func assumption(old, now *series.Set, unit string) benchmath.Assumption {
	a := old.Units.GetAssumption(unit)
	if a == now.Units.GetAssumption(unit) {
		return a
	}
	return benchmath.AssumeNothing
}

func change(was, is *series.Series, unit string, assume benchmath.Assumption) Change {
	c := Change{Name: is.Name, Unit: unit}
	a, b := was.Sample(unit), is.Sample(unit)
	sumA, sumB := assume.Summary(a, 0.95), assume.Summary(b, 0.95)
	c.Old = Center{sumA.Center, sumA.PctRangeString(), len(a.Values)}
	c.New = Center{sumB.Center, sumB.PctRangeString(), len(b.Values)}
	switch {
	case sumA.Center == sumB.Center:
		c.Percent = 0
	case sumA.Center == 0:
		c.Percent = math.Copysign(math.Inf(1), sumB.Center)
	default:
		c.Percent = 100 * (sumB.Center - sumA.Center) / math.Abs(sumA.Center)
	}
	c.P = probability(a, b, assume)
	return c
}

// probability is that of a difference like this one by chance. Where all values of
// both sides are one there is nothing to find.
func probability(a, b *benchmath.Sample, assume benchmath.Assumption) float64 {
	if slices.Min(a.Values) == slices.Max(b.Values) && slices.Max(a.Values) == slices.Min(b.Values) {
		return 1
	}
	p := assume.Compare(a, b).P
	if p < 0 || math.IsNaN(p) { // benchmath's way to say that it cannot tell
		return 1
	}
	return p
}

// correct multiplies the probabilities by how many comparisons there are of each unit,
// after Holm: the least by all, the next by one fewer, and never less than the one
// before.
func (r *Result) correct() {
	byUnit := map[string][]*Change{}
	for i := range r.Changes {
		c := &r.Changes[i]
		byUnit[c.Unit] = append(byUnit[c.Unit], c)
	}
	most := 0
	for _, family := range byUnit {
		slices.SortStableFunc(family, func(a, b *Change) int { return cmp.Compare(a.P, b.P) })
		least := 0.0
		for i, c := range family {
			least = max(least, min(1, c.P*float64(len(family)-i)))
			c.P = least
		}
		most = max(most, len(family))
	}
	// The least probability that so many runs can give is that of one order of all.
	if n := choose(r.Runs[0]+r.Runs[1], r.Runs[0]); n > 0 && len(r.Changes) > 0 {
		r.NotPossible = 2/n*float64(most) >= alpha
	}
}

func choose(n, k int) float64 {
	all := 1.0
	for i := range k {
		all = all * float64(n-i) / float64(i+1)
	}
	return all
}

// judge turns a probability and a direction into words.
func (c *Change) judge(old, now *series.Set, verdicts bool) {
	c.Changed = verdicts && c.P < alpha && c.Percent != 0
	if c.Changed {
		c.Better = direction(old, now, c.Unit)
		if c.Percent < 0 {
			c.Better = -c.Better
		}
	}
}

// direction is +1 for units of which more is better, -1 for those of which less is,
// and 0 for those that nobody knows.
func direction(old, now *series.Set, unit string) int {
	for _, set := range []*series.Set{now, old} {
		if better := set.Units.GetBetter(unit); better != 0 {
			return better
		}
	}
	return known(unit)
}
