package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// A Change is one figure of one cell in both results. Percentiles are those of all runs
// merged; whether they changed is judged by the percentiles of the runs.
type Change struct {
	Cell     record.Cell
	Unit     string
	Old, New float64
	Percent  float64 // of Old; ±Inf if Old is 0
	P        float64 // chance of such a difference without a change, corrected
	Visible  float64 // the smallest change that would be significant; 0: none would
	Better   int     // +1, -1; 0: no change that could have been seen
	Failed   []Gate

	values [2][]float64 // of the runs
	judged bool
}

// Comparison is the difference of two results.
type Comparison struct {
	Changes          []Change
	OnlyOld, OnlyNew int      // cells
	Cells            int      // in both
	Runs             [2]int   // the least of a cell
	Differences      []string // what is not the same in both results

	gone      []Change  // figures that only the old result has
	drift     float64   // how far a time moves from one measurement to the next, as a share
	measured  bool      // the drift
	disturbed [2][2]int // runs, and all runs, of each result
}

// judgedUnits are the figures that are compared: of figures that say the same, one.
var judgedUnits = []string{"msg/s", "p50-ns", "p99-ns", "p99.9-ns", "cpu-ns/msg", "cgo/msg", "allocs/msg", "B/msg", "lost"}

// Compare compares results. They may differ in the properties named by across. With gates,
// only their figures are judged. The error says why they cannot be compared, a line for each
// reason.
func Compare(old, now *record.Data, gates []Gate, across ...string) (*Comparison, error) {
	c := &Comparison{}
	a, err := old.Summaries()
	if err != nil {
		return nil, err
	}
	b, err := now.Summaries()
	if err != nil {
		return nil, err
	}
	units := slices.Clone(judgedUnits)
	for _, g := range gates {
		if !slices.Contains(units, g.Unit) {
			units = append(units, g.Unit)
		}
	}
	pairs, why := pair(a, b, across)
	c.Cells, c.OnlyOld, c.OnlyNew = len(pairs), len(a)-len(pairs), len(b)-len(pairs)
	var cells [][2]record.Cell
	var sums []*record.Summary
	for _, p := range pairs {
		x, y := &a[p[0]], &b[p[1]]
		cells, sums = append(cells, [2]record.Cell{x.Cell, y.Cell}), append(sums, x, y)
		c.measure(x, y, units)
	}
	if err := c.refuse(old, now, gates, across, why); err != nil {
		return nil, err
	}
	c.Differences = differences(old, now, cells)
	c.drift, c.measured = drift(sums, len(old.Envs) > 0 && len(old.Envs[0].Doubts)+len(now.Envs[0].Doubts) > 0)
	c.correct(gates)
	for i := range c.Changes {
		c.Changes[i].judge(gates)
	}
	return c, nil
}

// The drift that is assumed between two measurements, which the runs of one do not show:
// the frequency of the processor, neighbors on a host, where memory lies.
const (
	quietDrift, noisyDrift = 0.03, 0.10
	// sessions is how many measurements show how much they drift.
	sessions = 3
)

// drift returns how far a time moves, as a share, from one measurement to the next without a
// change: measured if each result consists of at least three, assumed otherwise.
func drift(sums []*record.Summary, noisy bool) (share float64, measured bool) {
	for _, s := range sums {
		of := map[string][]float64{}
		for i := range s.Runs {
			if v, ok := s.Runs[i].Figure(mainUnit(s.Cell)); ok {
				of[s.Runs[i].Plan] = append(of[s.Runs[i].Plan], v)
			}
		}
		if len(of) < sessions {
			if noisy {
				return noisyDrift, false
			}
			return quietDrift, false
		}
		var medians []float64
		for _, values := range of {
			medians = append(medians, record.Median(values))
		}
		share = max(share, Spread(medians))
	}
	return share, true
}

// measure compares figures of a cell.
func (c *Comparison) measure(old, now *record.Summary, units []string) {
	for i, s := range []*record.Summary{old, now} {
		n := len(s.Runs)
		c.disturbed[i][0], c.disturbed[i][1] = c.disturbed[i][0]+s.Disturbed(), c.disturbed[i][1]+n
		if c.Runs[i] == 0 || n < c.Runs[i] {
			c.Runs[i] = n
		}
	}
	for _, unit := range units {
		if unit == "msg/s" && now.Cell.Open() {
			continue // it is what was offered
		}
		a, b := old.Values(unit), now.Values(unit)
		if len(a) == 0 || len(b) == 0 {
			if len(a) > 0 {
				c.gone = append(c.gone, Change{Cell: now.Cell, Unit: unit})
			}
			continue
		}
		ch := Change{Cell: now.Cell, Unit: unit, P: probability(a, b), Better: record.Better(unit), values: [2][]float64{a, b}}
		ch.Old, _ = old.Figure(unit)
		ch.New, _ = now.Figure(unit)
		if ch.Old != ch.New { // not 0 / 0
			ch.Percent = 100 * (ch.New - ch.Old) / math.Abs(ch.Old)
		}
		c.Changes = append(c.Changes, ch)
	}
}

// probability is the chance of such a difference without a change. It is 1 if all values
// are equal.
func probability(a, b []float64) float64 {
	if slices.Min(a) == slices.Max(b) && slices.Max(a) == slices.Min(b) {
		return 1
	}
	p := benchmath.AssumeNothing.Compare(sample(a), sample(b)).P
	if p < 0 || math.IsNaN(p) { // benchmath cannot tell
		return 1
	}
	return p
}

// correct corrects the probabilities for the number of figures that are judged, in all cells
// together (Holm), and says what could have been seen.
func (c *Comparison) correct(gates []Gate) {
	var family []*Change
	for i := range c.Changes {
		ch := &c.Changes[i]
		ch.judged = len(gates) == 0 || slices.ContainsFunc(gates, func(g Gate) bool { return g.Unit == ch.Unit })
		if ch.judged && !ch.constant() {
			family = append(family, ch)
		}
	}
	slices.SortStableFunc(family, func(a, b *Change) int { return cmp.Compare(a.P, b.P) })
	least := 0.0
	for i, ch := range family {
		least = max(least, min(1, ch.P*float64(len(family)-i)))
		ch.P = least
	}
	for i := range c.Changes {
		ch := &c.Changes[i]
		x, ok1 := Visible(ch.values[0], len(family))
		y, ok2 := Visible(ch.values[1], len(family))
		if ok1 && ok2 {
			ch.Visible = max(x, y)
			if !exact(ch.Unit) {
				ch.Visible += c.drift
			}
		}
	}
}

// exact reports whether a figure is counted, so that it does not drift.
func exact(unit string) bool {
	return slices.Contains([]string{"lost", "allocs/msg", "cgo/msg", "B/msg"}, unit)
}

// constant reports whether all values of both results are equal.
func (ch *Change) constant() bool {
	all := slices.Concat(ch.values[0], ch.values[1])
	return slices.Min(all) == slices.Max(all)
}

// more returns how many runs to try if those that there are show no change.
func (c *Comparison) more() int { return max(enough, min(c.Runs[0], c.Runs[1])+1) }

// judge says whether a change is significant, for the better, and past a gate. One that is
// smaller than what could have been seen is none.
func (ch *Change) judge(gates []Gate) {
	if !ch.judged || ch.P >= alpha || ch.Percent == 0 || math.Abs(ch.Percent) < 100*ch.Visible {
		ch.Better = 0
		return
	}
	if ch.Percent < 0 {
		ch.Better = -ch.Better
	}
	for _, g := range gates {
		if g.Unit == ch.Unit && ch.Better < 0 && math.Abs(ch.Percent) > g.Percent {
			ch.Failed = append(ch.Failed, g)
		}
	}
}

// Check returns an error if a limit is exceeded. Its exit code is NoPower if a change of the
// size of a limit could not have been seen: a gate that cannot fail protects from nothing.
func (c *Comparison) Check(gates []Gate) error {
	failed, blind := 0, []string{}
	for i := range c.Changes {
		failed += len(c.Changes[i].Failed)
		blind = append(blind, c.blind(&c.Changes[i], gates)...)
	}
	for _, ch := range c.gone {
		for _, g := range gates {
			if g.Unit == ch.Unit {
				blind = append(blind, fmt.Sprintf("%s: %s of %s: the new result has none; was its load saturated?", g, g.Unit, ch.Cell))
			}
		}
	}
	switch {
	case failed > 0:
		return record.Exitf(record.Missed, "%s past a --fail-on limit", record.Count(failed, "change"))
	case len(blind) > 0:
		return record.Exitf(record.NoPower, "the results are too noisy or too few for a --fail-on limit; measure more, or on a quieter machine\n%s", strings.Join(blind, "\n"))
	}
	return nil
}

// blind says which gates a figure is too noisy or has too few runs for.
func (c *Comparison) blind(ch *Change, gates []Gate) (lines []string) {
	for _, g := range gates {
		switch {
		case g.Unit != ch.Unit || slices.Contains(ch.Failed, g) || ch.Better > 0:
		case ch.Old == 0 && ch.New == 0: // exact, as of allocations and losses
		case ch.Visible == 0:
			lines = append(lines, fmt.Sprintf("%s: %s of %s: too few runs (%d and %d) show no change; use --repeat %d or more", g, g.Unit, ch.Cell, c.Runs[0], c.Runs[1], c.more()))
		case 100*ch.Visible > max(g.Percent, leastVisible):
			lines = append(lines, fmt.Sprintf("%s: %s of %s: the smallest change that could be seen is %.0f %%", g, g.Unit, ch.Cell, 100*ch.Visible))
		}
	}
	return lines
}

// leastVisible is the visible change, in percent, that is enough for a limit of less: no
// measurement shows a change of 0 %.
const leastVisible = 1

func (c *Comparison) refuse(old, now *record.Data, gates []Gate, across, why []string) error {
	for _, side := range []struct {
		name string
		data *record.Data
	}{{"old", old}, {"new", now}} {
		for _, e := range side.data.Envs {
			if e.Instrumented != "" {
				why = append(why, fmt.Sprintf("the %s result was built with %s, which changes the times: measure without", side.name, e.Instrumented))
			}
		}
		invalid := slices.ContainsFunc(side.data.Runs, func(r record.Run) bool { return !r.Valid() })
		if invalid || side.data.Partial() {
			why = append(why, fmt.Sprintf("runs of the %s result failed or are missing: measure again", side.name))
		}
	}
	if how, names := unlike(old, now, across); len(how) > 0 {
		why = append(why, fmt.Sprintf("the machines differ (%s): measure both on one, or say that they differ: --across %s", strings.Join(how, "; "), strings.Join(slices.Compact(names), ",")))
	}
	for _, g := range gates {
		if c.Cells > 0 && !slices.ContainsFunc(c.Changes, func(ch Change) bool { return ch.Unit == g.Unit }) {
			why = append(why, fmt.Sprintf("--fail-on %s: no cell has this figure in both results", g))
		}
	}
	if len(why) > 0 {
		return record.Exitf(record.Usage, "%s", strings.Join(why, "\n"))
	}
	return nil
}

// Table returns the comparison as a table: the changes that could have been seen, or all.
func (c *Comparison) Table(all bool) Table {
	t := Table{Words: 2, Head: []string{"cell", "figure", "old", "new", "change", "visible", ""}}
	common := c.common()
	t.Title = fmt.Sprintf("Comparison of %s, %d and %s: %s", record.Count(c.Cells, "cell"), c.Runs[0], record.Count(c.Runs[1], "run"), strings.Join(common, " "))
	hidden, blind := 0, false
	for _, ch := range c.Changes {
		blind = blind || ch.Visible == 0 && !ch.constant()
		if ch.Better == 0 && !all && (ch.Unit != mainUnit(ch.Cell) || ch.Visible == 0) {
			hidden++
			continue
		}
		t.Rows = append(t.Rows, ch.row(common))
	}
	if c.Cells == 1 { // the title names it
		t.Words, t.Head = 1, t.Head[1:]
		for i := range t.Rows {
			t.Rows[i] = t.Rows[i][1:]
		}
	}
	c.notes(&t, hidden, blind)
	return t
}

// notes says what differs, and what could have been seen.
func (c *Comparison) notes(t *Table, hidden int, blind bool) {
	add := func(format string, args ...any) { t.Notes = append(t.Notes, fmt.Sprintf(format, args...)) }
	for _, d := range c.Differences {
		add("%s", d)
	}
	if hidden > 0 {
		add("%s without a change that could have been seen (listed by --all)", record.Count(hidden, "more figure"))
	}
	switch {
	case blind:
		add("too few runs to show any change: measure with --repeat %d or more", c.more())
	case c.measured:
		add("visible: the smallest change that could have been seen (Mann-Whitney, Holm); of times %.0f %% more, by which the measurements of one result differ", 100*c.drift)
	default:
		add("visible: the smallest change that could have been seen (Mann-Whitney, Holm); of times %.0f %% more, because machines drift from one measurement to the next (name three of each, OLD,OLD,OLD NEW,NEW,NEW, to measure that)", 100*c.drift)
	}
	if d := c.disturbed; d[0][0]+d[1][0] > 0 {
		add("disturbed by the machine: %d of %d old and %d of %d new runs", d[0][0], d[0][1], d[1][0], d[1][1])
	}
	if n := c.OnlyOld + c.OnlyNew; n > 0 {
		add("not compared: %s only in the old result, %d only in the new one", record.Count(c.OnlyOld, "cell"), c.OnlyNew)
	}
}

// common returns the words that the names of all cells have.
func (c *Comparison) common() (words []string) {
	for i, ch := range c.Changes {
		name := strings.Fields(ch.Cell.String())
		if i == 0 {
			words = name
		}
		words = slices.DeleteFunc(words, func(w string) bool { return !slices.Contains(name, w) })
	}
	return words
}

// row returns the row of a figure. The name of the cell lacks the common words.
func (ch *Change) row(common []string) []string {
	show := record.Number
	if strings.Contains(ch.Unit, "ns") {
		show = record.Duration
	}
	change := fmt.Sprintf("%+.1f %%", ch.Percent)
	switch {
	case math.IsInf(ch.Percent, 0):
		change = "from 0"
	case ch.Percent == 0:
		change = "0 %"
	}
	visible := ""
	if ch.Visible > 0 {
		visible = fmt.Sprintf("%.1f %%", 100*ch.Visible)
	}
	words := []string{map[int]string{1: "better", -1: "WORSE"}[ch.Better]}
	for _, g := range ch.Failed {
		words = append(words, "FAIL "+g.String())
	}
	name := slices.DeleteFunc(strings.Fields(ch.Cell.String()), func(w string) bool { return slices.Contains(common, w) })
	return []string{strings.Join(name, " "), ch.Unit, show(ch.Old), show(ch.New), change, visible, strings.TrimSpace(strings.Join(words, " "))}
}
