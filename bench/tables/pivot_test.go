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

func TestEmptyColumnsAreLeftOut(t *testing.T) {
	text := pivoted(t, example(ns("ns", ""), rate, calls), around("X/size=1/impl=go", 100))
	contains(t, text, "| size | ns | msg/s |\n| --- | ---: | ---: |\n| 1 | 100 ± 2% | 10.00 M |\n")
}

func TestUnits(t *testing.T) {
	figures := "2 ns/op 500 ns/msg 0.05 cgo/msg 4 msg/op 2 allocs/op 100 B/op 2000000 msg/s 99.5 hit-% 0 stalls/op"
	text := pivoted(t, example(ns("ns", ""), rate, calls, allocs, bytes10k, average, deviation, column{head: "hits", unit: "hit-%", as: plain("%.2f %%")}),
		runs("X/size=1/impl=go", 6, figures))
	contains(t, text, "| 1 | 500 ± 0% | 2.00 M | 0.05 | 5000 | 250000 | 500 | 0.00 | 99.50 % |")
}

func TestStalledResultsAreCounted(t *testing.T) {
	usual := func(iters string) string {
		return strings.Repeat("BenchmarkX/impl=go-2 "+iters+" 1000000 ns/op 0 stalls/op\n", 5)
	}
	for _, test := range []struct {
		name, lines string
		want        int
	}{
		{"none", usual("1"), 0},
		{"one run", usual("1") + "BenchmarkX/impl=go-2 1 101000000 ns/op 0 stalls/op\n", 1},
		{"mean of two runs", usual("2") + "BenchmarkX/impl=go-2 2 51000000 ns/op 0 stalls/op\n", 1},
		{"median of three runs", usual("3") + "BenchmarkX/impl=go-2 3 1000000 ns/op 0.3333 stalls/op\n", 1},
		{"not long enough", usual("1") + "BenchmarkX/impl=go-2 1 99000000 ns/op 0 stalls/op\n", 0},
	} {
		if n := loaded(t, test.lines).series[0].stalled(); n != test.want {
			t.Errorf("%s: %d stalled, want %d", test.name, n, test.want)
		}
	}
	contains(t, pivoted(t, example(ns("ns", "")), usual("3")), "stalled for 100 ms or more (included above): go-zmq 0 of 5.")
}

// A key of the file distinguishes benchmarks with the same name.
func TestKeysOfTheFile(t *testing.T) {
	sp := spec{filter: ".name:X", rows: "malloc", columns: []column{ns("ns", ""), times("/ default", "", "malloc=default")}}
	text := pivoted(t, sp, "malloc: default", around("X/impl=go", 100), "malloc: trim", around("X/impl=go", 50))
	contains(t, text, "| default | 100 ± 2% |  |", "| trim | 50.0 ± 2% | 0.50 |")
}

// The summary has its own order of implementations, independent of the results.
func TestRowsOfTheSummary(t *testing.T) {
	var lines []string
	for i, name := range []string{"blocking/impl=go-zeromq", "blocking/impl=pebbe", "blocking/impl=goczmq", "recvbytes/impl=go", "batch/impl=go", "blocking/impl=go", "blocking/impl=c"} {
		mode, impl, _ := strings.Cut(name, "/")
		lines = append(lines, around(fmt.Sprintf("Bindings/pattern=pushpull/transport=tcp/size=64/mode=%s/marks=on/%s", mode, impl), float64(1000-100*i)))
	}
	for _, sp := range specs {
		if sp.name != "summary" {
			continue
		}
		text := pivoted(t, sp, lines...)
		var rows []string
		for line := range strings.Lines(text) {
			if cells := strings.Split(line, "|"); len(cells) > 3 {
				rows = append(rows, strings.TrimSpace(cells[1])+" "+strings.TrimSpace(cells[2]))
			}
		}
		want := "impl receives with,--- ---,C `zmq_recv`,go-zmq `Recv(ctx, buf)`,go-zmq `RecvBytes`,go-zmq `RecvBatch`,pebbe/zmq4 `RecvBytes`,goczmq `RecvFrame`,go-zeromq/zmq4 `Recv`"
		if have := strings.Join(rows, ","); have != want {
			t.Errorf("have %s\nwant %s", have, want)
		}
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

// A result may lack a unit that others have, and a time may be zero.
func TestUnitsOfSomeRuns(t *testing.T) {
	text := pivoted(t, example(ns("ns", ""), times("/ C", "", "impl=c")),
		"BenchmarkX/size=1/impl=go-2 1 100 ns/op\nBenchmarkX/size=1/impl=go-2 1 100 ns/op 0 stalls/op\n",
		runs("X/size=1/impl=c", 6, "0 ns/op 0 stalls/op"))
	contains(t, text, "| size | ns |\n", "| 1 | 100 ± ∞ † |", "Medians of 2 interleaved runs")
}
