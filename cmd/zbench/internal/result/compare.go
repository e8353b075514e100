package result

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
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
	Better   int     // +1, -1; 0: no significant change
	Failed   []Gate

	values [2][]float64 // of the runs
}

// Comparison is the difference of two results.
type Comparison struct {
	Changes          []Change
	OnlyOld, OnlyNew int    // cells
	Cells            int    // in both
	Runs             [2]int // the least of a cell

	gone []Change // figures that only the old result has
}

// Compare compares results. The error says why they cannot be, a line for each reason.
func Compare(old, now *record.Data, gates []Gate) (*Comparison, error) {
	c := &Comparison{}
	a, err := old.Summaries()
	if err != nil {
		return nil, err
	}
	b, err := now.Summaries()
	if err != nil {
		return nil, err
	}
	units := slices.Clone(record.Units)
	for _, g := range gates {
		if !slices.Contains(units, g.Unit) {
			units = append(units, g.Unit)
		}
	}
	for i := range b {
		at := slices.IndexFunc(a, func(s record.Summary) bool { return s.Cell == b[i].Cell && len(s.Runs) > 0 })
		if at < 0 || len(b[i].Runs) == 0 {
			c.OnlyNew++
			continue
		}
		c.Cells++
		c.measure(&a[at], &b[i], units)
	}
	c.OnlyOld = len(a) - c.Cells
	if err := c.refuse(old, now, gates); err != nil {
		return nil, err
	}
	c.correct()
	for i := range c.Changes {
		c.Changes[i].judge(gates)
	}
	return c, nil
}

// identity are the properties of a machine that must be equal for times to be comparable.
func identity(i machine.Info) map[string]string {
	return map[string]string{
		"cpu": i.CPU, "cores": strconv.Itoa(i.Cores), "virtual": strconv.FormatBool(i.Virtual), "kernel": machine.Minor(i.System),
		"GOMAXPROCS": strconv.Itoa(i.GOMAXPROCS), "go": machine.Minor(i.Go), "libzmq": i.Libzmq,
	}
}

func unlike(old, now *record.Data) (lines []string) {
	envs := slices.Concat(old.Envs, now.Envs)
	for i := 1; i < len(envs); i++ {
		a, b := identity(envs[0].Info), identity(envs[i].Info)
		for _, key := range slices.Sorted(maps.Keys(a)) {
			if line := fmt.Sprintf("%s is %q and %q", key, a[key], b[key]); a[key] != b[key] && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// measure compares figures of a cell.
func (c *Comparison) measure(old, now *record.Summary, units []string) {
	for i, n := range []int{len(old.Runs), len(now.Runs)} {
		if c.Runs[i] == 0 || n < c.Runs[i] {
			c.Runs[i] = n
		}
	}
	for _, unit := range units {
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

// correct corrects the probabilities for the number of cells (Holm).
func (c *Comparison) correct() {
	byUnit := map[string][]*Change{}
	for i := range c.Changes {
		byUnit[c.Changes[i].Unit] = append(byUnit[c.Changes[i].Unit], &c.Changes[i])
	}
	for _, family := range byUnit {
		slices.SortStableFunc(family, func(a, b *Change) int { return cmp.Compare(a.P, b.P) })
		least := 0.0
		for i, ch := range family {
			least = max(least, min(1, ch.P*float64(len(family)-i)))
			ch.P = least
			x, ok1 := Visible(ch.values[0], len(family))
			y, ok2 := Visible(ch.values[1], len(family))
			if ok1 && ok2 {
				ch.Visible = max(x, y)
			}
		}
	}
}

// more returns how many runs to try if those that there are show no change.
func (c *Comparison) more() int { return max(enough, min(c.Runs[0], c.Runs[1])+1) }

// judge says whether a change is significant, for the better, and past a gate.
func (ch *Change) judge(gates []Gate) {
	if ch.P >= alpha || ch.Percent == 0 {
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
	for _, ch := range c.Changes {
		failed += len(ch.Failed)
		for _, g := range gates {
			switch {
			case g.Unit != ch.Unit || slices.Contains(ch.Failed, g) || ch.Better > 0:
			case ch.Old == 0 && ch.New == 0: // exact, as of allocations and losses
			case ch.Visible == 0:
				blind = append(blind, fmt.Sprintf("%s: %s of %s: too few runs (%d and %d) show no change; use --repeat %d or more", g, g.Unit, ch.Cell, c.Runs[0], c.Runs[1], c.more()))
			case 100*ch.Visible > max(g.Percent, leastVisible):
				blind = append(blind, fmt.Sprintf("%s: %s of %s: the smallest change that could be seen is %.0f %%", g, g.Unit, ch.Cell, 100*ch.Visible))
			}
		}
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

// leastVisible is the visible change, in percent, that is enough for a limit of less: no
// measurement shows a change of 0 %.
const leastVisible = 1

func (c *Comparison) refuse(old, now *record.Data, gates []Gate) error {
	var why []string
	if c.Cells == 0 {
		why = append(why, "the results have no cell in common: compare results of one plan")
	}
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
	if how := unlike(old, now); len(how) > 0 {
		why = append(why, fmt.Sprintf("the machines differ (%s): measure both on one", strings.Join(how, "; ")))
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

// Table returns the comparison as a table: the significant changes, or all.
func (c *Comparison) Table(all bool) Table {
	t := Table{Words: 2, Head: []string{"cell", "figure", "old", "new", "change", "p", ""}}
	t.Title = fmt.Sprintf("Comparison of %s, %d and %s (Mann-Whitney, Holm-corrected)", record.Count(c.Cells, "cell"), c.Runs[0], record.Count(c.Runs[1], "run"))
	hidden, least, blind := 0, 0.0, false
	for _, ch := range c.Changes {
		if ch.Unit == mainUnit(ch.Cell) {
			least, blind = max(least, ch.Visible), blind || ch.Visible == 0
		}
		if ch.Better == 0 && !all {
			hidden++
			continue
		}
		t.Rows = append(t.Rows, ch.row())
	}
	if hidden > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%s without a significant change (listed by --all)", record.Count(hidden, "figure")))
	}
	if blind {
		t.Notes = append(t.Notes, fmt.Sprintf("too few runs to show any change: measure with --repeat %d or more", c.more()))
	} else {
		t.Notes = append(t.Notes, fmt.Sprintf("the smallest change that could be seen is %.0f %%", max(100*least, 1)))
	}
	if n := c.OnlyOld + c.OnlyNew; n > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("not compared: %s only in the old result, %d only in the new one", record.Count(c.OnlyOld, "cell"), c.OnlyNew))
	}
	return t
}

func (ch *Change) row() []string {
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
	words := []string{map[int]string{1: "better", -1: "WORSE"}[ch.Better]}
	for _, g := range ch.Failed {
		words = append(words, "FAIL "+g.String())
	}
	return []string{ch.Cell.String(), ch.Unit, show(ch.Old), show(ch.New), change, fmt.Sprintf("%.3f", ch.P), strings.TrimSpace(strings.Join(words, " "))}
}
