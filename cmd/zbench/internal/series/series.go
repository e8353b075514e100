// Package series holds what benchmarks measured, by their names: the output of go
// test -bench and zbench's own records, made alike, so that tables, plots and
// comparisons need to know one form only.
package series

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// A Series is what all runs of one benchmark measured.
type Series struct {
	Name   string               // as in the file, without "Benchmark" and GOMAXPROCS
	Base   string               // the first part of Name
	Keys   map[string]string    // of the other parts: "size" -> "64"
	Iters  []int                // of each run
	Values map[string][]float64 // by the unit, of the runs that have it
	runs   []map[string]float64 // the same, of each run
	order  []string             // of the units
}

// A Set is what was read from one or more results.
type Set struct {
	From    string // the files, separated by commas
	Env     []string
	Series  []*Series         // in the order of the files
	Machine map[string]string // what has to be equal where times are compared
	Units   benchfmt.UnitMetadataMap
	Records *record.Data // nil if it was none
	Lines   bool         // there is output of go test -bench, which Records do not have

	// Why the numbers are no basis for a verdict, in words.
	Instrumented, Partial, Mixed []string
	Unfit                        []string // for readers: the verdict of zbench env, and runs that were disturbed

	known map[string]*Series
}

// A Value is one measured number.
type Value struct {
	Unit  string
	Value float64
}

func newSet(from string) *Set {
	return &Set{From: from, Machine: map[string]string{}, Units: benchfmt.UnitMetadataMap{}, known: map[string]*Series{}}
}

// add adds a run of the benchmark with this name.
func (s *Set) add(name benchfmt.Name, iters int, values []Value) {
	full := Full(name)
	one := s.known[full]
	if one == nil {
		one = newSeries(name)
		s.known[full] = one
		s.Series = append(s.Series, one)
	}
	one.Iters = append(one.Iters, iters)
	run := map[string]float64{}
	for _, v := range values {
		if !one.Has(v.Unit) {
			one.order = append(one.order, v.Unit)
		}
		one.Values[v.Unit] = append(one.Values[v.Unit], v.Value)
		run[v.Unit] = v.Value
	}
	one.runs = append(one.runs, run)
}

// Full returns a benchmark's name without the number of processors that go test
// appends.
func Full(name benchfmt.Name) string {
	base, parts := name.Parts()
	full := string(base)
	for _, part := range parts {
		if part[0] == '/' {
			full += string(part)
		}
	}
	return full
}

func newSeries(name benchfmt.Name) *Series {
	base, parts := name.Parts()
	s := &Series{Name: Full(name), Base: string(base), Keys: map[string]string{}, Values: map[string][]float64{}}
	for _, part := range parts {
		key, value, ok := strings.Cut(strings.TrimPrefix(string(part), "/"), "=")
		if ok {
			s.Keys[key] = value
		}
	}
	return s
}

// merge adds the runs of another result.
func (s *Set) merge(other *Set) error {
	for _, key := range slices.Sorted(maps.Keys(other.Machine)) {
		value := other.Machine[key]
		if have, ok := s.Machine[key]; ok && have != value {
			return fmt.Errorf("%s and %s are of two machines: %s is %q and %q; report on each by itself", s.From, other.From, key, have, value)
		}
		s.Machine[key] = value
	}
	s.From += ", " + other.From
	if s.Env == nil {
		s.Env = other.Env
	}
	s.Instrumented = append(s.Instrumented, other.Instrumented...)
	s.Partial = append(s.Partial, other.Partial...)
	s.Mixed = append(s.Mixed, other.Mixed...)
	s.Lines = s.Lines || other.Lines
	s.Unfit = append(s.Unfit, other.Unfit...)
	if other.Records != nil {
		if s.Records == nil {
			s.Records = &record.Data{}
		}
		s.Records.Plans = append(s.Records.Plans, other.Records.Plans...)
		s.Records.Ends = append(s.Records.Ends, other.Records.Ends...)
		for _, env := range other.Records.Envs {
			if _, ok := s.Records.Env(env.ID); !ok {
				s.Records.Envs = append(s.Records.Envs, env)
			}
		}
		s.Records.Runs = append(s.Records.Runs, other.Records.Runs...)
	}
	maps.Copy(s.Units, other.Units)
	for _, o := range other.Series {
		have := s.known[o.Name]
		if have == nil {
			s.known[o.Name] = o
			s.Series = append(s.Series, o)
			continue
		}
		have.Iters = append(have.Iters, o.Iters...)
		have.runs = append(have.runs, o.runs...)
		for _, unit := range o.order {
			if !have.Has(unit) {
				have.order = append(have.order, unit)
			}
			have.Values[unit] = append(have.Values[unit], o.Values[unit]...)
		}
	}
	return nil
}

// Named returns the series with this name, or nil.
func (s *Set) Named(name string) *Series { return s.known[name] }

// Twin returns the same benchmark of another implementation, or nil.
func (s *Set) Twin(one *Series, impl string) *Series {
	return s.Sibling(one, map[string]string{"impl": impl})
}

// Sibling returns the benchmark whose name differs from one's in these values only,
// or nil. An empty value is a key that the name does not have.
func (s *Set) Sibling(one *Series, values map[string]string) *Series {
	want := maps.Clone(one.Keys)
	for key, value := range values {
		if value == "" {
			delete(want, key)
		} else {
			want[key] = value
		}
	}
	for _, other := range s.Series {
		if other.Base == one.Base && maps.Equal(other.Keys, want) {
			return other
		}
	}
	return nil
}

// Sample copies the values, since a benchmath.Sample sorts them.
func (s *Series) Sample(unit string) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(s.Values[unit]), &benchmath.DefaultThresholds)
}

// Has reports whether the unit was measured.
func (s *Series) Has(unit string) bool { return len(s.Values[unit]) > 0 }

// Of returns what a run measured of a unit, if it did: a saturated run has no
// percentiles. Runs count from 0, as in Iters.
func (s *Series) Of(run int, unit string) (value float64, ok bool) {
	value, ok = s.runs[run][unit]
	return value, ok
}

// UnitsInOrder returns the units as they came.
func (s *Series) UnitsInOrder() []string { return s.order }

// Median returns the median of a unit's values and the half of its 95 %
// confidence interval in percent; "∞" when there are fewer than six values.
func (s *Series) Median(unit string) (center float64, percent string) {
	sum := benchmath.AssumeNothing.Summary(s.Sample(unit), 0.95)
	return sum.Center, sum.PctRangeString()
}

// Range returns the median and the bounds of its 95 % confidence interval, which
// are those of the values when there are fewer than six.
func (s *Series) Range(unit string) (low, center, high float64) {
	sum := benchmath.AssumeNothing.Summary(s.Sample(unit), 0.95)
	values := s.Values[unit]
	return max(sum.Lo, slices.Min(values)), sum.Center, min(sum.Hi, slices.Max(values))
}

// Ratio returns how many times floor's median s has, and whether the two differ
// by more than chance explains (Mann-Whitney).
func (s *Series) Ratio(floor *Series, unit string) (times float64, significant bool) {
	a, _ := s.Median(unit)
	b, _ := floor.Median(unit)
	c := benchmath.AssumeNothing.Compare(s.Sample(unit), floor.Sample(unit))
	return a / b, c.P < c.Alpha
}
