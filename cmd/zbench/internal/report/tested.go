package report

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
)

// tested makes the table of what the project's checks said when all of them were run: a
// file with a line for each, its command, what it does and its result with | between
// them, and comments, the first of which says where that was.
func (m *maker) tested(name string) (string, error) {
	return m.fromFile("tested", name, "docs/tested.txt", parseTested)
}

func parseTested(text []byte) (*Table, error) {
	var rows []table.Row
	where := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if comment, ok := strings.CutPrefix(line, "# "); ok {
			if where == "" {
				where = comment
			}
			continue
		}
		fields := strings.Split(line, " | ")
		if len(fields) != 3 {
			return nil, fmt.Errorf("line %q is no command, what it does, and its result", line)
		}
		rows = append(rows, table.Row{"`" + fields[0] + "`", fields[1], fields[2]})
	}
	t := newTable(3, table.Row{"command", "what it does", "result"}, rows)
	if t == nil {
		return nil, errors.New("there are no results in it")
	}
	if where != "" {
		t.say("%s", where)
	}
	return t, nil
}
