// Package table shows results to people, as text or as Markdown.
package table

import (
	"fmt"
	"io"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/perf/benchmath"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Printer writes tables.
type Printer struct {
	W        io.Writer
	Markdown bool
	Quiet    bool // only the numbers
	// Floor returns the cell of C that stands beside one of Go.
	Floor func(record.Cell) (record.Cell, bool)
}

// confidence is that of the intervals.
const confidence = 0.95

// interval returns the median, and how far its confidence interval reaches, as a
// share of it. known is false where there are too few values for one.
func interval(values []float64) (median, reach float64, known bool) {
	thresholds := benchmath.DefaultThresholds
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &thresholds), confidence)
	if len(values) < 6 || s.Center == 0 { // six is the least for 95 %
		return s.Center, 0, false
	}
	return s.Center, max(s.Hi-s.Center, s.Center-s.Lo) / s.Center, true
}

// wide is the interval above which a result is called noisy.
const wide = 0.10

func plusMinus(values []float64) string {
	_, reach, known := interval(values)
	switch {
	case !known:
		return "-"
	case reach > wide:
		return fmt.Sprintf("! %.0f %%", 100*reach)
	}
	return fmt.Sprintf("%.0f %%", 100*reach)
}

// column is a column of a table; a row without the figure has an empty field.
type column struct {
	head  string
	left  bool
	value func(*record.Summary) string
}

// render writes a table of the summaries, without the columns that are empty or, if
// they say what is measured, the same throughout.
func (p *Printer) render(what, numbers []column, all []*record.Summary) {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options.SeparateColumns = false
	t.Style().Options.DrawBorder = false
	var head table.Row
	var columns []column
	for _, c := range what {
		if len(all) == 1 || differs(c, all) || c.head == "transport" || c.head == "size" {
			if some(c, all) {
				columns = append(columns, c)
			}
		}
	}
	for _, c := range numbers {
		if some(c, all) {
			columns = append(columns, c)
		}
	}
	var configs []table.ColumnConfig
	for i, c := range columns {
		head = append(head, c.head)
		if !c.left {
			configs = append(configs, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	t.AppendHeader(head)
	t.SetColumnConfigs(configs)
	for _, s := range all {
		var row table.Row
		for _, c := range columns {
			row = append(row, c.value(s))
		}
		t.AppendRow(row)
	}
	p.write(t)
}

func (p *Printer) write(t table.Writer) {
	if p.Markdown {
		fmt.Fprintln(p.W, t.RenderMarkdown())
	} else {
		fmt.Fprintln(p.W, t.Render())
	}
}

func some(c column, all []*record.Summary) bool {
	for _, s := range all {
		if c.value(s) != "" {
			return true
		}
	}
	return false
}

func differs(c column, all []*record.Summary) bool {
	for _, s := range all {
		if c.value(s) != c.value(all[0]) {
			return true
		}
	}
	return false
}

// what are the columns that say what is measured.
func what() []column {
	cell := func(head string, value func(record.Cell) string) column {
		return column{head, true, func(s *record.Summary) string { return value(s.Cell) }}
	}
	return []column{
		cell("pattern", func(c record.Cell) string { return c.Pattern }),
		cell("transport", func(c record.Cell) string { return c.Transport }),
		cell("security", func(c record.Cell) string { return c.Security }),
		cell("api", func(c record.Cell) string { return c.API() }),
		cell("peers", func(c record.Cell) string {
			if max(c.Senders, c.Receivers) < 2 {
				return ""
			}
			return fmt.Sprintf("%d:%d", max(c.Senders, 1), max(c.Receivers, 1))
		}),
		cell("pipeline", func(c record.Cell) string {
			if c.Window < 2 {
				return ""
			}
			return strconv.Itoa(c.Window)
		}),
		cell("parts", func(c record.Cell) string {
			if c.Parts < 2 {
				return ""
			}
			return strconv.Itoa(c.Parts)
		}),
		cell("payload", func(c record.Cell) string { return c.Payload }),
		cell("pin", func(c record.Cell) string { return c.Pin }),
		cell("options", func(c record.Cell) string { return c.Options }),
		cell("engine", func(c record.Cell) string { return c.Engine }),
		{"size", false, func(s *record.Summary) string { return strconv.Itoa(s.Cell.Size) }},
	}
}

// figure shows a figure, nothing where a result does not have it.
func figure(head, unit string, show func(float64) string) column {
	return column{head, false, func(s *record.Summary) string {
		v, ok := s.Figure(unit)
		if !ok {
			return ""
		}
		return show(v)
	}}
}

func fixed(places int) func(float64) string {
	return func(v float64) string { return strconv.FormatFloat(v, 'f', places, 64) }
}

func spread(unit string) column {
	return column{"±", false, func(s *record.Summary) string {
		if values := s.Values(unit); len(values) > 0 {
			return plusMinus(values)
		}
		return ""
	}}
}

// floor compares with C: the share of C's speed.
func (p *Printer) floor(unit string, all []record.Summary) column {
	return column{"% of C", false, func(s *record.Summary) string {
		f, ok := p.floorOf(s.Cell, all)
		if !ok {
			return ""
		}
		ours, ok1 := s.Figure(unit)
		theirs, ok2 := f.Figure(unit)
		if !ok1 || !ok2 || ours == 0 {
			return ""
		}
		return fmt.Sprintf("%.0f %%", 100*theirs/ours)
	}}
}

func (p *Printer) floorOf(c record.Cell, all []record.Summary) (*record.Summary, bool) {
	if p.Floor == nil {
		return nil, false
	}
	want, ok := p.Floor(c)
	for i := range all {
		if ok && all[i].Cell == want && len(all[i].Runs) > 0 {
			return &all[i], true
		}
	}
	return nil, false
}
