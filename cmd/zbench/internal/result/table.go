// Package result shows results: tables, charts, pages, lines for benchstat, and
// comparisons. Everything is made from records.
package result

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// A Table can be shown in any format.
type Table struct {
	Title string
	Words int // the first columns are words, the others numbers
	Head  []string
	Rows  [][]string
	Notes []string
}

func (t *Table) writer() table.Writer {
	w := table.NewWriter()
	row := func(cells []string) (r table.Row) {
		for _, c := range cells {
			r = append(r, c)
		}
		return r
	}
	var right []table.ColumnConfig
	for n := t.Words + 1; n <= len(t.Head); n++ {
		right = append(right, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	w.SetColumnConfigs(right)
	w.AppendHeader(row(t.Head))
	for _, r := range t.Rows {
		w.AppendRow(row(r))
	}
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	w.SetStyle(style)
	w.SuppressTrailingSpaces()
	return w
}

// In returns the table as Markdown ("md") or, otherwise, for a terminal. Without rows it has
// only the title and the notes.
func (t *Table) In(format string) string {
	title, render := t.Title, t.writer().Render
	if format == "md" {
		title, render = "### "+title, t.writer().RenderMarkdown
	}
	if len(t.Rows) > 0 {
		title += "\n\n" + render()
	}
	if len(t.Notes) > 0 {
		title += "\n\n" + strings.Join(t.Notes, "\n")
	}
	return title + "\n"
}

// column is a column of a table of summaries. A row without the value is empty.
type column struct {
	head  string
	wide  bool // only if all columns are asked for
	value func(*record.Summary) string
}

// newTable returns a table of summaries without empty columns. The columns of the cell are
// left out if they are the same in all rows, unless fixed names them.
func newTable(title string, fixed string, numbers []column, all []*record.Summary, wide bool) Table {
	t := Table{Title: title, Rows: make([][]string, len(all))}
	for n, c := range slices.Concat(cellColumns, numbers) {
		var values []string
		for _, s := range all {
			values = append(values, c.value(s))
		}
		ofCell := n < len(cellColumns)
		varies := slices.ContainsFunc(values, func(v string) bool { return v != values[0] })
		switch {
		case c.wide && !wide, strings.Join(values, "") == "":
			continue
		case ofCell && !varies && !wide && !strings.Contains(fixed, c.head):
			continue
		case ofCell:
			t.Words++
		}
		t.Head = append(t.Head, c.head)
		for i, v := range values {
			t.Rows[i] = append(t.Rows[i], v)
		}
	}
	return t
}

func cellColumn(head string, value func(record.Cell) string) column {
	return column{head, false, func(s *record.Summary) string { return value(s.Cell) }}
}

// cellColumns say what is measured.
var cellColumns = []column{
	cellColumn("verb", func(c record.Cell) string { return c.Verb }),
	cellColumn("pattern", func(c record.Cell) string { return c.Pattern }),
	cellColumn("transport", func(c record.Cell) string { return c.Transport }),
	cellColumn("security", func(c record.Cell) string { return c.Security }),
	cellColumn("size", func(c record.Cell) string { return strconv.Itoa(c.Size) }),
	cellColumn("api", func(c record.Cell) string { return c.Mode }),
	cellColumn("impl", func(c record.Cell) string { return c.Impl }),
	cellColumn("peers", func(c record.Cell) string {
		if max(c.Senders, c.Receivers) < 2 {
			return ""
		}
		return fmt.Sprintf("%d:%d", max(c.Senders, 1), max(c.Receivers, 1))
	}),
	cellColumn("options", func(c record.Cell) string { return c.Options }),
}

// figure shows a figure.
func figure(head, unit string, wide bool, show func(float64) string) column {
	return column{head, wide, func(s *record.Summary) string {
		v, ok := s.Figure(unit)
		if !ok {
			return ""
		}
		return show(v)
	}}
}

// number shows the median of a number of each run.
func number(head string, of func(*record.Run) float64, show func(float64) string) column {
	return column{head, false, func(s *record.Summary) string {
		v := s.Of(of)
		if v == 0 {
			return ""
		}
		return show(v)
	}}
}

func fixed(places int) func(float64) string {
	return func(v float64) string { return strconv.FormatFloat(v, 'f', places, 64) }
}

// megabytes shows GB/s.
func megabytes(v float64) string { return record.Number(v*1e9) + "B/s" }

func plusMinus(unit string) column {
	return column{"±", false, func(s *record.Summary) string {
		values := s.Values(unit)
		if len(values) < 2 {
			return ""
		}
		return fmt.Sprintf("%.0f %%", 100*Spread(values))
	}}
}
