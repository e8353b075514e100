package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// A set has the measurements of one file, in the order of the file.
type set struct {
	path   string
	series []*series
	known  map[string]*series // by identity
}

// A series has the measurements of all runs of one benchmark.
type series struct {
	result *benchfmt.Result // of the first run, for filters and projections
	keys   map[string]string
	values map[string][]float64 // by unit, such as sec/msg
	iters  []int                // of each run
}

// ordinary has the keys that go test writes to a file. Other keys, such as "malloc: trim",
// distinguish benchmarks with the same name.
var ordinary = []string{"goos", "goarch", "pkg", "cpu", ".file"}

func load(path string) (*set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := &set{path: path, known: map[string]*series{}}
	reader := benchfmt.NewReader(f, path)
	for reader.Scan() {
		switch r := reader.Result().(type) {
		case *benchfmt.Result:
			s.add(r)
			if a, b := s.series[0].result.GetConfig("cpu"), r.GetConfig("cpu"); a != b {
				return nil, fmt.Errorf("%s has runs of two machines: %s and %s", path, a, b)
			}
		case *benchfmt.SyntaxError:
			return nil, r
		}
	}
	if err := reader.Err(); err != nil {
		return nil, err
	}
	if len(s.series) == 0 {
		return nil, fmt.Errorf("%s: %w", path, errNothing)
	}
	return s, nil
}

// errNothing means that the results have no row for a table.
var errNothing = errors.New("no results for this table")

func (s *set) add(r *benchfmt.Result) {
	keys := keysOf(r)
	one := s.known[identity(keys)]
	if one == nil {
		one = &series{result: r.Clone(), keys: keys, values: map[string][]float64{}}
		s.known[identity(keys)] = one
		s.series = append(s.series, one)
	}
	one.iters = append(one.iters, r.Iters)
	values := map[string]float64{}
	for _, v := range r.Values {
		values[v.Unit] = v.Value
	}
	// Some benchmarks do not report all units of the tables.
	derive := func(unit string, value float64) {
		if _, ok := values[unit]; !ok {
			values[unit] = value
		}
	}
	if messages := values["msg/op"]; messages > 0 {
		derive("allocs/msg", values["allocs/op"]/messages)
		derive("B/msg", values["B/op"]/messages)
	}
	if seconds := values["sec/op"]; seconds > 0 {
		derive("msg/s", 1/seconds)
	}
	for unit, value := range values {
		one.values[unit] = append(one.values[unit], value)
	}
}

// keysOf returns the parts of a benchmark's name by their keys, its base as ".name".
func keysOf(r *benchfmt.Result) map[string]string {
	base, parts := r.Name.Parts()
	keys := map[string]string{".name": string(base)}
	for _, part := range parts {
		// A part without a key is the number of processors.
		if key, value, ok := strings.Cut(strings.TrimPrefix(string(part), "/"), "="); ok {
			keys[key] = value
		}
	}
	for _, c := range r.Config {
		if !slices.Contains(ordinary, c.Key) {
			keys[c.Key] = string(c.Value)
		}
	}
	return keys
}

func identity(keys map[string]string) string {
	var id strings.Builder
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		fmt.Fprintf(&id, "%s=%s/", key, keys[key])
	}
	return id.String()
}

// with returns the benchmark whose keys differ from those of one by these changes, such as
// "impl=c,mode=poll", or nil. "mode=" removes the key.
func (s *set) with(one *series, changes string) *series {
	if one == nil || changes == "" {
		return one
	}
	keys := maps.Clone(one.keys)
	for change := range strings.SplitSeq(changes, ",") {
		key, value, _ := strings.Cut(change, "=")
		if value == "" {
			delete(keys, key)
		} else {
			keys[key] = value
		}
	}
	return s.known[identity(keys)]
}

// unit returns the first of the units, separated by |, that was measured.
func (one *series) unit(units string) (unit string, ok bool) {
	for unit := range strings.SplitSeq(units, "|") {
		if len(one.values[unit]) > 0 {
			return unit, true
		}
	}
	return "", false
}

// sample copies the values, which benchmath sorts.
func (one *series) sample(unit string) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(one.values[unit]), &benchmath.DefaultThresholds)
}

func (one *series) median(unit string) benchmath.Summary {
	return benchmath.AssumeNothing.Summary(one.sample(unit), 0.95)
}

// stall is the time in seconds by which a stalled run is longer than usual.
const stall = 0.1

// stalled counts the results in which a run stalled. A result of three runs or more reports
// its stalls. With fewer runs, a stall shows in the time.
func (one *series) stalled() (n int) {
	usual := one.median("sec/op").Center
	for i, runs := range one.iters {
		more := one.values["sec/op"][i] - usual
		if runs == 2 {
			more *= 2
		}
		if more >= stall || one.values["stalls/op"][i] > 0 {
			n++
		}
	}
	return n
}
