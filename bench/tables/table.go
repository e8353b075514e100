package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// A table has words in its first columns and figures in the others.
type table struct {
	words int
	head  []string
	rows  [][]string
	notes []string // the caption, a line each
}

// markdown omits columns that are empty in every row.
func (t *table) markdown() []byte {
	var b strings.Builder
	rule := make([]string, len(t.head))
	for i := range rule {
		rule[i] = "---:"
		if i < t.words {
			rule[i] = "---"
		}
	}
	for _, row := range append([][]string{t.head, rule}, t.rows...) {
		for i, cell := range row {
			if slices.ContainsFunc(t.rows, func(row []string) bool { return row[i] != "" }) {
				fmt.Fprintf(&b, "| %s ", strings.ReplaceAll(cell, "|", `\|`))
			}
		}
		b.WriteString("|\n")
	}
	if len(t.notes) > 0 {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(t.notes, "\n"))
	}
	return []byte(b.String())
}

// A list is a table from a file with one row per line. Lines that begin with # are the
// caption.
type list struct {
	separator string
	head      []string
}

var lists = map[string]list{
	"environment": {": ", []string{"", ""}},
	"tested":      {" | ", []string{"command", "what it does", "result"}},
}

func (l list) markdown(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := &table{words: len(l.head), head: l.head}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if comment, ok := strings.CutPrefix(line, "# "); ok {
			t.notes = append(t.notes, comment)
			continue
		}
		cells := strings.SplitN(line, l.separator, len(l.head))
		if len(cells) != len(l.head) {
			return nil, fmt.Errorf("%s: line %q needs %d parts separated by %q", path, line, len(l.head), l.separator)
		}
		t.rows = append(t.rows, cells)
	}
	return t.markdown(), nil
}
