package compare

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/perf/benchunit"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// Render returns the comparison as "text", "md" or "csv": what changed, or with all
// set everything.
func (r *Result) Render(format string, all bool) string {
	shown, hidden := r.Changes, 0
	if !all && r.Verdicts {
		shown = nil
		for _, c := range r.Changes {
			if c.Changed {
				shown = append(shown, c)
			} else {
				hidden++
			}
		}
	}
	if format == "csv" {
		return r.csv(shown)
	}
	var b strings.Builder
	b.WriteString(r.head())
	if len(shown) > 0 {
		b.WriteString("\n" + r.table(shown, format) + "\n")
	}
	b.WriteString("\n" + r.foot(hidden))
	return b.String()
}

func (r *Result) head() string {
	if !r.Verdicts {
		return "different machines, so no verdicts: " + strings.Join(slices.Concat(r.Unlike, r.Mixed), "; ") + "\n"
	}
	machine := "same machine"
	if r.Machine != "" {
		machine += " (" + r.Machine + ")"
	}
	return fmt.Sprintf("%s, n=%d vs %d, Mann-Whitney, Holm-corrected over %d benchmarks\n", machine, r.Runs[0], r.Runs[1], r.Cells)
}

func (r *Result) foot(hidden int) string {
	var lines []string
	if hidden > 0 {
		lines = append(lines, fmt.Sprintf("%d more: no significant change (--all lists them)", hidden))
	}
	if r.NotPossible && r.Verdicts {
		lines = append(lines, r.tooFew())
	}
	for _, only := range []struct {
		names []string
		in    string
	}{{r.OnlyOld, r.Old}, {r.OnlyNew, r.New}} {
		if n := len(only.names); n > 0 {
			lines = append(lines, fmt.Sprintf("only in %s: %d (%s ...)", only.in, n, only.names[0]))
		}
	}
	if failed := r.Failed(); len(failed) > 0 {
		lines = append(lines, fmt.Sprintf("failed: %d", len(failed)))
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

func (r *Result) tooFew() string {
	return fmt.Sprintf("%d and %d runs are too few for a significant change among %d benchmarks: repeat more, or compare fewer", r.Runs[0], r.Runs[1], r.Cells)
}

// labels are what the two results are called at the heads of their columns.
func (r *Result) labels() (old, now string) {
	old, now = label(r.Old), label(r.New)
	if old == now {
		return "old", "new"
	}
	return old, now
}

func (r *Result) table(shown []Change, format string) string {
	w := table.NewWriter()
	old, now := r.labels()
	w.AppendHeader(table.Row{"", "unit", old, now, "change", "", "p", ""})
	right := func(n int) table.ColumnConfig {
		return table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight}
	}
	w.SetColumnConfigs([]table.ColumnConfig{right(3), right(4), right(5), right(7)})
	for _, c := range shown {
		p := ""
		if r.Verdicts {
			p = probabilityText(c.P)
		}
		w.AppendRow(table.Row{short(c.Name), c.Unit, c.Old.String(c.Unit), c.New.String(c.Unit), c.change(), c.verdict(), p, c.failed()})
	}
	if format == "md" {
		return w.RenderMarkdown()
	}
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	w.SetStyle(style)
	return w.Render()
}

func (r *Result) csv(shown []Change) string {
	w := table.NewWriter()
	w.AppendHeader(table.Row{"name", "unit", "old", "new", "change %", "p", "better", "failed"})
	for _, c := range shown {
		old, unit := series.Usual(c.Old.Value, c.Unit)
		now, _ := series.Usual(c.New.Value, c.Unit)
		w.AppendRow(table.Row{c.Name, unit, fmt.Sprintf("%.6g", old), fmt.Sprintf("%.6g", now), fmt.Sprintf("%.2f", c.Percent), fmt.Sprintf("%.4g", c.P), c.Better, c.failed()})
	}
	return w.RenderCSV() + "\n"
}

// label is how a result is called at the head of its column.
func label(from string) string {
	first, _, more := strings.Cut(from, ", ")
	name := path.Base(first)
	if name == "bench.txt" || name == "results.jsonl" {
		name = path.Base(path.Dir(first))
	}
	if more {
		name += " ..."
	}
	return name
}

// short leaves the keys out of a name that its values say.
func short(name string) string {
	var words []string
	for part := range strings.SplitSeq(name, "/") {
		key, value, ok := strings.Cut(part, "=")
		switch key {
		case "pattern", "transport", "size", "mode", "strategy":
			words = append(words, value)
		case "impl":
			if value != "go" {
				words = append(words, "in "+value)
			}
		default:
			if ok {
				words = append(words, key+" "+value)
			} else {
				words = append(words, strings.ToLower(part))
			}
		}
	}
	return strings.Join(words, " ")
}

// String returns the value scaled, with its interval.
func (c Center) String(unit string) string {
	return benchunit.Scale(c.Value, benchunit.ClassOf(unit)) + " ± " + c.Percent
}

func (c Change) change() string {
	if c.Percent == 0 {
		return "0 %"
	}
	if math.IsInf(c.Percent, 0) {
		return "from 0"
	}
	return fmt.Sprintf("%+.1f %%", c.Percent)
}

func (c Change) verdict() string {
	switch {
	case c.Better > 0:
		return "better"
	case c.Better < 0:
		return "WORSE"
	case c.Changed:
		return "changed"
	}
	return ""
}

func (c Change) failed() string {
	var words []string
	for _, g := range c.Failed {
		words = append(words, "FAIL "+g.String())
	}
	return strings.Join(words, " ")
}

func probabilityText(p float64) string {
	if p < 0.0001 {
		return "<0.0001"
	}
	return fmt.Sprintf("%.4f", p)
}
