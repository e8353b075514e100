package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"
)

// A spec describes a table: a row for each benchmark that the filter accepts, and
// columns that show it or benchmarks whose names differ in some keys.
type spec struct {
	name  string
	title string
	files []string // in a folder of results, without .txt

	// A filter and a projection of benchproc. The projection must distinguish all accepted
	// benchmarks. Keys that no row has are omitted.
	filter, rows string

	columns []column
	notes   []string
	plot    string // the head of the column that the plot shows

	calls map[string]string // of the summary: the call that receives, by implementation and mode
}

// A column shows a unit of one benchmark, or the ratio of two.
type column struct {
	head  string
	unit  string  // or several units, separated by |: the first one that was measured
	of    string  // the benchmark: changes to the keys of the row
	per   string  // a ratio: changes to the keys of the column, for the other benchmark
	scale float64 // 0 is 1
	as    format
}

// A format shows the values of a series.
type format func(one *series, unit string, scale float64) string

// A tally has the facts about the cells for the caption.
type tally struct {
	runs                  int // the fewest of any cell
	medians, wide, ratios bool
	used                  []*series
}

// implementations are the names of the values of the key impl.
var implementations = map[string]string{"go": "go-zmq", "c": "C", "pebbe": "pebbe/zmq4", "go-zeromq": "go-zeromq/zmq4"}

// markdown returns the table of the results, or errNothing.
func (sp spec) markdown(s *set) ([]byte, error) {
	rows, fields, err := sp.accepted(s)
	if err != nil {
		return nil, err
	}
	t := &table{words: len(fields)}
	for _, field := range fields {
		t.head = append(t.head, strings.TrimLeft(field.Name, "/."))
	}
	if sp.calls != nil {
		t.head[len(fields)-1] = "receives with"
	}
	for _, c := range sp.columns {
		t.head = append(t.head, c.head)
	}
	var seen tally
	for _, row := range rows {
		cells := row.words
		for _, c := range sp.columns {
			cells = append(cells, c.cell(s, row.series, &seen))
		}
		t.rows = append(t.rows, cells)
	}
	t.notes = append(seen.caption(), sp.notes...)
	return t.markdown(), nil
}

// A row is a benchmark and the values of its keys.
type row struct {
	series *series
	words  []string
}

// accepted returns the rows in the order of the projection.
func (sp spec) accepted(s *set) ([]row, []*benchproc.Field, error) {
	filter, err := benchproc.NewFilter(sp.filter)
	if err != nil {
		return nil, nil, err
	}
	var parser benchproc.ProjectionParser
	projection, err := parser.Parse(sp.rows, filter)
	if err != nil {
		return nil, nil, err
	}
	var keys []benchproc.Key
	byKey := map[benchproc.Key]*series{}
	for _, one := range s.series {
		match, err := filter.Match(one.result)
		if err != nil {
			return nil, nil, err
		}
		if !match.All() {
			continue
		}
		key := projection.Project(one.result)
		if other := byKey[key]; other != nil {
			return nil, nil, fmt.Errorf("%s and %s are one row: add a key to the rows, or to the filter", other.result.Name, one.result.Name)
		}
		byKey[key] = one
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, nil, fmt.Errorf("%s: %w", s.path, errNothing)
	}
	benchproc.SortKeys(keys)
	var rows []row
	for _, key := range keys {
		r := row{series: byKey[key]}
		for _, field := range projection.Fields() {
			value := key.Get(field)
			if field.Name == "/impl" {
				value = cmp.Or(implementations[value], value)
			}
			r.words = append(r.words, value)
		}
		if call := sp.calls[strings.Join(r.words, ", ")]; call != "" {
			r.words[len(r.words)-1] = call
		}
		rows = append(rows, r)
	}
	return rows, projection.Fields(), nil
}

// cell returns "" if the value was not measured, and for the ratio of a benchmark to itself.
func (c column) cell(s *set, of *series, seen *tally) string {
	one := s.with(of, c.of)
	if one == nil {
		return ""
	}
	unit, ok := one.unit(c.unit)
	if !ok {
		return ""
	}
	seen.count(one, unit)
	if c.per != "" {
		base := s.with(one, c.per)
		if base == nil || base == one || len(base.values[unit]) == 0 || base.median(unit).Center == 0 {
			return ""
		}
		seen.ratios = true
		seen.count(base, unit)
		return ratio(one, base, unit)
	}
	scale := cmp.Or(c.scale, 1)
	if c.as != nil {
		text := c.as(one, unit, scale)
		seen.wide = seen.wide || strings.HasSuffix(text, wideMark)
		return text
	}
	sum := one.median(unit)
	text := fmt.Sprintf("%s ± %s", digits(sum.Center*scale), sum.PctRangeString())
	seen.medians = true
	if one.uncertain(unit) {
		seen.wide = true
		text += wideMark
	}
	return text
}

func (seen *tally) count(one *series, unit string) {
	if n := len(one.values[unit]); seen.runs == 0 || n < seen.runs {
		seen.runs = n
	}
	if !slices.Contains(seen.used, one) {
		seen.used = append(seen.used, one)
	}
}

// widest is the widest interval, as a share of the median, of a figure quoted in prose.
const widest = 0.30

// wideMark follows a median with a wider interval.
const wideMark = " †"

// uncertain reports whether the confidence interval is wider than widest.
func (one *series) uncertain(unit string) bool {
	sum := one.median(unit)
	return max(sum.Hi-sum.Center, sum.Center-sum.Lo) > widest*sum.Center
}

// ratio adds a ~ if chance may explain the difference (Mann-Whitney).
func ratio(one, base *series, unit string) string {
	text := fmt.Sprintf("%.2f", one.median(unit).Center/base.median(unit).Center)
	if c := benchmath.AssumeNothing.Compare(one.sample(unit), base.sample(unit)); c.P >= c.Alpha {
		return "~ " + text
	}
	return text
}

// fewest is the number of runs that a 95 % confidence interval needs.
const fewest = 6

// caption describes the figures.
func (seen *tally) caption() []string {
	text := fmt.Sprintf("Medians of %d interleaved runs", seen.runs)
	if seen.medians || seen.wide {
		text += ", ± 95 % confidence interval"
		if seen.runs < fewest {
			text += fmt.Sprintf(" (∞: fewer than %d runs give none)", fewest)
		}
	}
	if seen.wide {
		text += "; † the interval is wider than ± 30 %"
	}
	if seen.ratios {
		text += "; ~ before a ratio: chance may explain the difference (Mann-Whitney, p ≥ 0.05)"
	}
	return append([]string{text + "."}, seen.stalls()...)
}

// stalls counts the results with stalled runs for each implementation, if the benchmarks
// report them.
func (seen *tally) stalls() []string {
	stalled, results := map[string]int{}, map[string]int{}
	for _, one := range seen.used {
		if n := len(one.iters); len(one.values["stalls/op"]) == n && len(one.values["sec/op"]) == n {
			impl := cmp.Or(implementations[one.keys["impl"]], one.keys["impl"])
			stalled[impl] += one.stalled()
			results[impl] += len(one.iters)
		}
	}
	if len(results) == 0 {
		return nil
	}
	var parts []string
	for _, impl := range slices.Sorted(maps.Keys(results)) {
		parts = append(parts, fmt.Sprintf("%s %d of %d", impl, stalled[impl], results[impl]))
	}
	return []string{"Measurements in which messages stalled for 100 ms or more (included above): " + strings.Join(parts, ", ") + "."}
}

// digits shows three digits or more.
func digits(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// plain shows the median alone.
func plain(layout string) format {
	return func(one *series, unit string, scale float64) string {
		return fmt.Sprintf(layout, one.median(unit).Center*scale)
	}
}

// si shows the median with a prefix.
func si(one *series, unit string, scale float64) string {
	switch x := one.median(unit).Center * scale; {
	case x >= 1e6:
		return fmt.Sprintf("%.2f M", x/1e6)
	case x >= 1e3:
		return fmt.Sprintf("%.1f k", x/1e3)
	default:
		return fmt.Sprintf("%.0f", x)
	}
}

// marked is si with a mark if the interval is wide.
func marked(one *series, unit string, scale float64) string {
	if one.uncertain(unit) {
		return si(one, unit, scale) + wideMark
	}
	return si(one, unit, scale)
}

// statistic shows the mean or the standard deviation.
func statistic(of func([]float64) float64) format {
	return func(one *series, unit string, scale float64) string { return digits(of(one.values[unit]) * scale) }
}
