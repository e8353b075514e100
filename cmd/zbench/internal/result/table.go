// Package result shows results: tables, charts, pages, lines for benchstat, and
// comparisons. Everything is made from records.
package result

import (
	"cmp"
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
	wide  bool // all columns, however wide the terminal is
}

// columns is the width of the terminal, or what is assumed without one.
var columns = 80

// SetColumns sets how wide texts and tables are. It is called before anything is shown.
func SetColumns(n int) { columns = n }

// Wrap breaks a text into lines of a terminal, but never between a number and its %.
func Wrap(text, indent string) string {
	var b strings.Builder
	at := 0
	for word := range strings.FieldsSeq(strings.ReplaceAll(text, " %", "\x00%")) {
		n := len([]rune(word))
		switch {
		case at == 0:
		case at+1+n > columns:
			b.WriteString("\n" + indent)
			at = len(indent)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return strings.ReplaceAll(b.String(), "\x00", " ")
}

// writer returns the table for a format. The first column is at most so many letters wide.
func (t *Table) writer(padding string, first int) table.Writer {
	w := table.NewWriter()
	row := func(cells []string) (r table.Row) {
		for _, c := range cells {
			r = append(r, c)
		}
		return r
	}
	list := []table.ColumnConfig{{Number: 1, WidthMax: first, WidthMaxEnforcer: text.WrapSoft}}
	for n := t.Words + 1; n <= len(t.Head); n++ {
		list = append(list, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	w.SetColumnConfigs(list)
	w.AppendHeader(row(t.Head))
	for _, r := range t.Rows {
		w.AppendRow(row(r))
	}
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", padding
	w.SetStyle(style)
	w.SuppressTrailingSpaces()
	return w
}

// In returns the table as Markdown ("md") or, otherwise, for a terminal. Without rows it has
// only the title and the notes.
func (t *Table) In(format string) string {
	title, notes, body := Wrap(t.Title, "  "), t.Notes, ""
	switch {
	case format == "md":
		title, body = "### "+t.Title, t.writer("", 0).RenderMarkdown()
	case len(t.Rows) > 0:
		var hidden []string
		if body = t.writer("  ", 0).Render(); !t.wide {
			body, hidden = t.narrow()
		}
		if len(hidden) > 0 {
			notes = append(slices.Clone(notes), "this terminal has no room for "+strings.Join(hidden, ", "))
		}
	}
	if len(t.Rows) > 0 {
		title += "\n\n" + body
	}
	for i, n := range notes {
		if i == 0 {
			title += "\n"
		}
		if format == "md" {
			title += "\n" + n + "  " // a line of its own
		} else {
			title += "\n" + Wrap(n, "  ")
		}
	}
	return title + "\n"
}

// shortest is how narrow a column of words may become.
const shortest = 18

// narrow returns the table for the terminal: if that is narrow, with less space between the
// columns, then with broken words in the first column, and then without the last columns.
func (t *Table) narrow() (body string, hidden []string) {
	fits := func() bool {
		for line := range strings.Lines(body) {
			if len([]rune(strings.TrimSuffix(line, "\n"))) > columns {
				return false
			}
		}
		return true
	}
	for _, first := range []int{0, 0, shortest} {
		padding := "  "
		if body != "" {
			padding = " "
		}
		if body = t.writer(padding, first).Render(); fits() {
			return body, nil
		}
	}
	less := *t
	for !fits() {
		last := len(less.Head) - 1
		for last > t.Words && strings.TrimSpace(less.Head[last]) == "" { // a verdict stays
			last--
		}
		if last <= t.Words {
			break
		}
		hidden = append(hidden, less.Head[last])
		less.Head = slices.Delete(slices.Clone(less.Head), last, last+1)
		rows := less.Rows
		less.Rows = nil
		for _, r := range rows {
			less.Rows = append(less.Rows, slices.Delete(slices.Clone(r), last, last+1))
		}
		body = less.writer(" ", shortest).Render()
	}
	slices.Reverse(hidden)
	return body, hidden
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
	t := Table{Title: title, Rows: make([][]string, len(all)), wide: wide}
	var same []string
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
			if !strings.Contains("verb impl", c.head) {
				same = append(same, c.head+" "+values[0])
			}
			continue
		case ofCell:
			t.Words++
		}
		t.Head = append(t.Head, c.head)
		for i, v := range values {
			t.Rows[i] = append(t.Rows[i], v)
		}
	}
	if len(same) > 0 {
		t.Notes = append(t.Notes, strings.Join(same, ", "))
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
	cellColumn("security", func(c record.Cell) string {
		if c.Verb == record.Churn {
			return cmp.Or(c.Security, "null")
		}
		return c.Security
	}),
	cellColumn("size", func(c record.Cell) string { return strconv.Itoa(c.Size) }),
	cellColumn("payload", func(c record.Cell) string { return c.Payload }),
	cellColumn("parts", func(c record.Cell) string { return c.Parts }),
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
		if l := s.Main(); !ok || l != nil && l.Count < record.Samples(unit) {
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
