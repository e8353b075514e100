// Package report makes the tables of BENCHMARKS.md from the raw output of go test
// -bench, so that no number in it is written by hand.
package report

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// A series is what all runs of one benchmark measured.
type series struct {
	base   string            // without "Benchmark"
	keys   map[string]string // of the parts of its name: "size" -> "64"
	iters  []int             // of each run
	values map[string][]float64
}

// data is a result of make bench.
type data struct {
	from   string // the file
	env    []string
	series []*series // in the order of the file
}

// read takes the benchmarks from a file, or from bench.txt in a directory, and
// what bench.env beside it says of the machine.
func read(path string) (*data, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("no results: %w; make some with: make bench", err)
	}
	if info.IsDir() {
		path = filepath.Join(path, "bench.txt")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("no results: %w; name the file of go test -bench output", err)
	}
	d := &data{from: filepath.ToSlash(path)}
	env, err := os.ReadFile(strings.TrimSuffix(path, ".txt") + ".env")
	switch {
	case err == nil:
		d.env = strings.Split(strings.TrimSpace(string(env)), "\n")
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	return d, d.parse(text)
}

func (d *data) parse(text []byte) error {
	known := map[string]*series{}
	r := benchfmt.NewReader(bytes.NewReader(text), d.from)
	for r.Scan() {
		switch record := r.Result().(type) {
		case *benchfmt.SyntaxError:
			return record
		case *benchfmt.Result:
			name := record.Name.String()
			s := known[name]
			if s == nil {
				s = newSeries(record.Name)
				known[name] = s
				d.series = append(d.series, s)
			}
			s.iters = append(s.iters, record.Iters)
			for _, v := range record.Values {
				s.values[v.Unit] = append(s.values[v.Unit], v.Value)
			}
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	if len(d.series) == 0 {
		return fmt.Errorf("%s has no benchmark results; it should be the output of go test -bench", d.from)
	}
	return nil
}

func newSeries(name benchfmt.Name) *series {
	base, parts := name.Parts()
	s := &series{base: string(base), keys: map[string]string{}, values: map[string][]float64{}}
	for _, part := range parts {
		key, value, ok := strings.Cut(strings.TrimPrefix(string(part), "/"), "=")
		if ok {
			s.keys[key] = value
		}
	}
	return s
}

// twin returns the same benchmark of another implementation, or nil.
func (d *data) twin(s *series, impl string) *series {
	return d.sibling(s, map[string]string{"impl": impl})
}

// sibling returns the benchmark whose name differs from that of s in these values
// only, or nil.
func (d *data) sibling(s *series, values map[string]string) *series {
	want := maps.Clone(s.keys)
	maps.Copy(want, values)
	for _, other := range d.series {
		if other.base == s.base && maps.Equal(other.keys, want) {
			return other
		}
	}
	return nil
}

// sample copies the values, since a Sample sorts them.
func (s *series) sample(unit string) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(s.values[unit]), &benchmath.DefaultThresholds)
}

// total returns the sum of a unit that was reported per iteration.
func (s *series) total(unit string) (sum float64) {
	for i, v := range s.values[unit] {
		sum += v * float64(s.iters[i])
	}
	return sum
}

// perMessages returns how many of a unit that was reported per iteration n
// messages cost. A result that does not say how many messages an iteration had is
// from before that was so: each had 10,000.
func (s *series) perMessages(n float64, unit string) float64 {
	center, _ := s.median(unit)
	messages := 10_000.0
	if len(s.values["msg/op"]) > 0 {
		messages, _ = s.median("msg/op")
	}
	return center * n / messages
}

// median returns the median of a unit's values and the half of its 95 %
// confidence interval in percent; "∞" when there are fewer than six values.
func (s *series) median(unit string) (center float64, percent string) {
	sum := benchmath.AssumeNothing.Summary(s.sample(unit), 0.95)
	return sum.Center, sum.PctRangeString()
}

// ratio returns how many times floor's median s has, and whether the two differ
// by more than chance explains (Mann-Whitney).
func (s *series) ratio(floor *series, unit string) (times float64, significant bool) {
	a, _ := s.median(unit)
	b, _ := floor.median(unit)
	c := benchmath.AssumeNothing.Compare(s.sample(unit), floor.sample(unit))
	return a / b, c.P < c.Alpha
}
