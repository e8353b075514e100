package report

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
)

// instructions makes the table of a file of counts: a line for each step, such as
// "plain/recv 1035.0", and comments.
func (m *maker) instructions(name string) (string, error) {
	return m.fromFile("instructions", name, "bench/instructions.txt", parseInstructions)
}

// fromFile makes a table of a file that its BEGIN line names, such as example.
func (m *maker) fromFile(table, name, example string, parse func([]byte) (*Table, error)) (string, error) {
	if name == "" {
		return "", fmt.Errorf("table %q names no file: its BEGIN line should, such as: %s %s", table, table, example)
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(m.doc.Path), filepath.FromSlash(name)))
	if err != nil {
		return "", err
	}
	t, err := parse(text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return t.Markdown(), nil
}

func parseInstructions(text []byte) (*Table, error) {
	var order []string
	counts := map[string]map[string]string{}
	made := ""
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if with, ok := strings.CutPrefix(line, "# made with "); ok {
			made = with
		}
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) != 2 {
			return nil, fmt.Errorf("line %q is no step and count", line)
		}
		n, err := strconv.ParseFloat(fields[1], 64)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("line %q is no step and count", line)
		}
		way, side, _ := strings.Cut(fields[0], "/")
		if counts[way] == nil {
			counts[way] = map[string]string{}
			order = append(order, way)
		}
		counts[way][side] = fmt.Sprintf("%.0f", n)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	var rows []table.Row
	for _, way := range order {
		rows = append(rows, table.Row{way, counts[way]["send"], counts[way]["recv"]})
	}
	t := newTable(1, table.Row{"", "send", "receive"}, rows)
	if t == nil {
		return nil, fmt.Errorf("there are no counts in it")
	}
	if made != "" {
		t.say("Made with %s.", made)
	}
	return t, nil
}
