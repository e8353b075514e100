package report

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// A Table is one in any format.
type Table struct {
	Name  string
	Title string // of an HTML report; the others have the name
	left  int    // that many columns are words, the others are numbers
	head  table.Row
	rows  []table.Row
	Notes []string // what the numbers are
}

// newTable returns nil when there are no rows.
func newTable(left int, head table.Row, rows []table.Row) *Table {
	if len(rows) == 0 {
		return nil
	}
	return &Table{left: left, head: head, rows: rows}
}

// note says what the numbers of a table are.
func (t *Table) note(runs int) *Table {
	n := fmt.Sprintf("Medians of %d interleaved runs, ± 95 %% confidence interval", runs)
	if runs < 6 {
		n += ", which fewer than 6 runs do not give (∞)"
	}
	return t.say("%s; ~ before a ratio: no more than chance (Mann-Whitney, p ≥ 0.05).", n)
}

// say adds a line below the table.
func (t *Table) say(format string, args ...any) *Table {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
	return t
}

func (t *Table) writer() table.Writer {
	w := table.NewWriter()
	var columns []table.ColumnConfig
	for n := t.left + 1; n <= len(t.head); n++ {
		columns = append(columns, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	w.SetColumnConfigs(columns)
	w.AppendHeader(t.head)
	w.AppendRows(t.rows)
	return w
}

// below returns the notes as a paragraph, after an empty line.
func (t *Table) below() string {
	if len(t.Notes) == 0 {
		return ""
	}
	return "\n" + strings.Join(t.Notes, "\n") + "\n"
}

// Markdown returns the table as such.
func (t *Table) Markdown() string { return t.writer().RenderMarkdown() + "\n" + t.below() }

// Text returns the table for a terminal.
func (t *Table) Text() string {
	w := t.writer()
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	w.SetStyle(style)
	return w.Render() + "\n" + t.below()
}

// CSV returns the table as such, without its notes.
func (t *Table) CSV() string { return t.writer().RenderCSV() + "\n" }
