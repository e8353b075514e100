package series

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// WriteBench writes the runs in the form of go test -bench, for benchstat.
func (s *Set) WriteBench(w io.Writer) error {
	for _, key := range []string{"goos", "goarch", "cpu"} {
		if value := s.Machine[key]; value != "" {
			if _, err := fmt.Fprintf(w, "%s: %s\n", key, value); err != nil {
				return err
			}
		}
	}
	if err := s.writeUnits(w); err != nil {
		return err
	}
	procs := ""
	if n := s.Machine["GOMAXPROCS"]; n != "" && n != "1" {
		procs = "-" + n
	}
	for _, one := range s.Series {
		for i, iters := range one.Iters {
			var line strings.Builder
			fmt.Fprintf(&line, "Benchmark%s%s\t%d", one.Name, procs, iters)
			for _, unit := range one.UnitsInOrder() {
				if value, ok := one.Of(i, unit); ok {
					value, name := Usual(value, unit)
					fmt.Fprintf(&line, "\t%s %s", strconv.FormatFloat(value, 'g', 7, 64), name)
				}
			}
			if _, err := fmt.Fprintln(w, line.String()); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeUnits writes what is known of units: whether more is better.
func (s *Set) writeUnits(w io.Writer) error {
	keys := slices.SortedFunc(maps.Keys(s.Units), func(a, b benchfmt.UnitMetadataKey) int {
		return cmp.Or(strings.Compare(a.Unit, b.Unit), strings.Compare(a.Key, b.Key))
	})
	for _, key := range keys {
		_, unit := Usual(0, key.Unit)
		if _, err := fmt.Fprintf(w, "Unit %s %s=%s\n", unit, key.Key, s.Units[key].Value); err != nil {
			return err
		}
	}
	return nil
}

// Usual turns a value in the units that x/perf counts in, seconds and bytes, into
// those that go test prints: "sec/op" is "ns/op", "p99-sec" is "p99-ns".
func Usual(value float64, unit string) (usual float64, name string) {
	before, after, _ := strings.Cut(unit, "/")
	rest := strings.TrimPrefix(unit, before)
	switch {
	case before == "sec" || strings.HasSuffix(before, "-sec"):
		return value * 1e9, strings.TrimSuffix(before, "sec") + "ns" + rest
	case before == "B" && after == "s":
		return value / 1e6, "MB/s"
	}
	return value, unit
}
