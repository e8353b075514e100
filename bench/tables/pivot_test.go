package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// pivoted renders a spec over lines of results.
func pivoted(t *testing.T, sp spec, lines ...string) string {
	t.Helper()
	text, err := sp.markdown(loaded(t, lines...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func loaded(t *testing.T, lines ...string) *set {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bench.txt")
	put(t, path, strings.Join(lines, "\n"))
	s, err := load(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// around returns lines whose times lie around one, in nanoseconds.
func around(name string, center float64) string {
	var lines strings.Builder
	for _, part := range []float64{0.98, 0.99, 0.995, 1.005, 1.01, 1.02} {
		fmt.Fprintf(&lines, "Benchmark%s-2 3 %g ns/op\n", name, center*part)
	}
	return lines.String()
}

func example(columns ...column) spec {
	return spec{name: "example", filter: ".name:X /impl:go", rows: "/size,/mode", columns: columns}
}

func TestRatios(t *testing.T) {
	sp := example(ns("go", ""), ns("C", "impl=c"), times("go/C", "", "impl=c"), times("/ plain", "", "mode="))
	text := pivoted(t, sp,
		around("X/size=64/impl=go", 200), around("X/size=64/impl=c", 100),
		around("X/size=64/mode=batch/impl=go", 100), around("X/size=64/mode=batch/impl=c", 100),
		around("X/size=512/impl=go", 300), around("Y/size=64/impl=go", 7))
	contains(t, text,
		"| size | mode | go | C | go/C | / plain |\n| --- | --- | ---: | ---: | ---: | ---: |\n",
		"| 64 |  | 200 ± 2% | 100 ± 2% | 2.00 |  |\n", // a benchmark has no ratio to itself
		"| 64 | batch | 100 ± 2% | 100 ± 2% | ~ 1.00 | 0.50 |\n",
		"| 512 |  | 300 ± 2% |  |  |  |\n", // without C
		"Medians of 6 interleaved runs, ± 95 % confidence interval; ~ before a ratio: chance may explain the difference")
	if strings.Contains(text, "†") || strings.Contains(text, "stalled") || strings.Contains(text, "| 7") {
		t.Error(text)
	}
}

func TestWideIntervalsAreMarked(t *testing.T) {
	text := pivoted(t, example(ns("ns", "")),
		"BenchmarkX/size=1/impl=go-2 1 100 ns/op\n"+strings.Repeat("BenchmarkX/size=1/impl=go-2 1 140 ns/op\n", 5),
		around("X/size=2/impl=go", 100))
	contains(t, text, "| 1 | 140 ± 29% |", "| 2 | 100 ± 2% |")
	text = pivoted(t, example(ns("ns", "")),
		strings.Repeat("BenchmarkX/size=1/impl=go-2 1 100 ns/op\n", 3)+strings.Repeat("BenchmarkX/size=1/impl=go-2 1 200 ns/op\n", 3))
	contains(t, text, "| 1 | 150 ± 33% † |", "† the interval is wider than ± 30 %")
	text = pivoted(t, example(ns("ns", "")), runs("X/size=1/impl=go", 5, "100 ns/op"))
	contains(t, text, "| 1 | 100 ± ∞ † |", "Medians of 5 interleaved runs", "(∞: fewer than 6 runs give none)")
}

func TestRowsMustTellBenchmarksApart(t *testing.T) {
	_, err := example(ns("ns", "")).markdown(loaded(t, around("X/size=1/impl=go", 1), around("X/size=1/marks=on/impl=go", 1)))
	if err == nil || !strings.Contains(err.Error(), "X/size=1/impl=go-2 and X/size=1/marks=on/impl=go-2 are one row") {
		t.Error(err)
	}
}

func TestSpecsAreSound(t *testing.T) {
	s := loaded(t, runs("Unknown", 6, "1 ns/op"))
	names := map[string]bool{}
	for _, sp := range specs {
		if _, err := sp.markdown(s); !errors.Is(err, errNothing) {
			t.Errorf("%s: %v", sp.name, err)
		}
		if names[sp.name] || lists[sp.name].head != nil {
			t.Errorf("two tables are named %s", sp.name)
		}
		names[sp.name] = true
		if len(sp.files) == 0 || sp.title == "" {
			t.Errorf("%s needs a title and files", sp.name)
		}
	}
}
