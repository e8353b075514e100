package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// tolerance is the growth, as a share, that a check permits. Repeated runs, also on a busy
// machine, were within 0.4 %.
const tolerance = 0.05

// A table has the instructions per message of each step, and the toolchain.
type table struct {
	madeWith string
	counts   map[string]float64
}

const madeWith = "# made with "

// write prints t in the form that readTable reads.
func (t table) write(w io.Writer) error {
	var text strings.Builder
	text.WriteString("# Instructions per message in Go and the C shims, without libzmq's own, for\n" +
		"# 'scripts/check.sh instructions'. With UPDATE=1 in the environment it writes this file.\n")
	fmt.Fprintf(&text, "%s%s\n", madeWith, t.madeWith)
	for _, step := range slices.Sorted(maps.Keys(t.counts)) {
		fmt.Fprintf(&text, "%-16s %8.1f\n", step, t.counts[step])
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func readTable(name string) (table, error) {
	f, err := os.Open(name)
	if err != nil {
		return table{}, err
	}
	defer f.Close()
	t, err := parseTable(f)
	if err != nil {
		return table{}, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

func parseTable(r io.Reader) (table, error) {
	t := table{counts: map[string]float64{}}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		if made, ok := strings.CutPrefix(line, madeWith); ok {
			t.madeWith = made
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		step, count, _ := strings.Cut(line, " ")
		n, err := strconv.ParseFloat(strings.TrimSpace(count), 64)
		if err != nil || n <= 0 {
			return table{}, fmt.Errorf("line %q is no step and count", line)
		}
		t.counts[step] = n
	}
	return t, lines.Err()
}

// check prints now beside t. It fails if a step takes more instructions than the tolerance
// permits, or if the tables have different steps.
func (t table) check(now table, w io.Writer) error {
	var wrong []string
	steps := maps.Clone(t.counts)
	maps.Copy(steps, now.counts)
	fmt.Fprintf(w, "%-16s %9s %9s %8s\n", "instructions", "table", "now", "change")
	for _, step := range slices.Sorted(maps.Keys(steps)) {
		before, listed := t.counts[step]
		after, measured := now.counts[step]
		if !listed || !measured {
			fmt.Fprintf(w, "%-16s is in the %s only\n", step, map[bool]string{true: "table", false: "program"}[listed])
			wrong = append(wrong, step)
			continue
		}
		change, remark := after/before-1, ""
		switch {
		case change > tolerance:
			wrong = append(wrong, step)
			remark = "  grown"
		case change < -tolerance:
			remark = "  better: update the table"
		}
		fmt.Fprintf(w, "%-16s %9.1f %9.1f %+7.1f%%%s\n", step, before, after, 100*change, remark)
	}
	if t.madeWith != now.madeWith {
		fmt.Fprintf(w, "the table was made with %s; this is %s\n", t.madeWith, now.madeWith)
	}
	if len(wrong) == 0 {
		return nil
	}
	return errors.New(strings.Join(wrong, ", ") + ": not as in the table, or more than 5 % above it; " +
		"if that is right, write the table with 'UPDATE=1 scripts/check.sh instructions' and say why in the commit")
}
