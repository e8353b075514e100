package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// page is BENCHMARKS.md, whose sentences these tests compare with its figures.
const page = "../../BENCHMARKS.md"

var comments = regexp.MustCompile(`<!--.*?-->`)

// rowsBelow returns the cells of the first table below a heading, without its head.
func rowsBelow(t *testing.T, title string) (rows [][]string) {
	t.Helper()
	_, rest, found := strings.Cut(read(t, page), "\n## "+title+"\n")
	if !found {
		t.Fatalf("%s has no heading %q", page, title)
	}
	for line := range strings.Lines(rest) {
		switch {
		case strings.HasPrefix(line, "|"):
			var cells []string
			for cell := range strings.SplitSeq(strings.Trim(comments.ReplaceAllString(line, ""), "| \n"), "|") {
				cells = append(cells, strings.TrimSpace(cell))
			}
			rows = append(rows, cells)
		case len(rows) > 0:
			return rows[2:]
		}
	}
	t.Fatalf("%s has no table below %q", page, title)
	return nil
}

// number returns the value of a figure such as "~ 1.05", "2.04 M" or "27.4 k †".
func number(t *testing.T, text string) float64 {
	t.Helper()
	scale := 1.0
	switch {
	case strings.Contains(text, "M"):
		scale = 1e6
	case strings.Contains(text, "k"):
		scale = 1e3
	}
	value, err := strconv.ParseFloat(strings.Trim(text, " ~†Mk"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return value * scale
}

// byChoice returns the figures of a column, by the choice in the second column.
func byChoice(t *testing.T, rows [][]string, at int) map[string]float64 {
	t.Helper()
	figures := map[string]float64{}
	for _, row := range rows {
		figures[row[1]] = number(t, row[at])
	}
	return figures
}

// near is the share of the best that a choice may miss, since figures vary.
const near = 0.85

func TestModeThatIsSlowest(t *testing.T) {
	rows := rowsBelow(t, "Which receive mode")
	for _, at := range []int{3, 5} {
		slowest := slices.MinFunc(rows, func(a, b []string) int { return int(number(t, a[at]) - number(t, b[at])) })
		if slowest[1] != "`Recv` with `DontWait`, sleep" {
			t.Errorf("the slowest mode is %s", slowest[1])
		}
	}
}

func TestStrategiesThatAreChosen(t *testing.T) {
	rows := rowsBelow(t, "Which buffer strategy")
	const batch, reused, pooled = "`Append`, `SendBatch`, `RecvBatch`", "`Send`, `Recv(ctx, buf)` with reused slices", "`pool.Get`, `SendMessage`, `RecvMessage`"
	const bytes = "`RecvBytes`"
	for i, chosen := range []string{batch, reused, pooled, pooled} {
		at := 3 + i
		rates := byChoice(t, rows[:len(rows)-1], at) // the last row is C's
		best := 0.0
		for _, rate := range rates {
			best = max(best, rate)
		}
		if rates[chosen] < near*best {
			t.Errorf("column %d: %s has %.0f of %.0f msg/s", at, chosen, rates[chosen], best)
		}
		if rates[pooled] < near*rates[bytes] {
			t.Errorf("column %d: a pool is slower than new slices", at)
		}
	}
}

func TestChoicesBeatNewSlices(t *testing.T) {
	for _, row := range rowsBelow(t, "By message size") {
		if ratio := number(t, row[4]); ratio >= 1 {
			t.Errorf("%s: %s takes %.2f of the time of new slices", row[0], row[1], ratio)
		}
	}
}

// The README says that small messages move about as fast as in C, and in batches faster
// than with any other binding.
func TestSummaryOfTheREADME(t *testing.T) {
	rates := map[string]float64{}
	best := 0.0
	for line := range strings.Lines(read(t, "../../README.md")) {
		cells := strings.Split(line, " | ")
		if len(cells) < 8 || cells[0] == "| impl" || strings.HasPrefix(cells[0], "| -") {
			continue
		}
		name, rate := strings.TrimPrefix(cells[0], "| ")+" "+cells[1], number(t, cells[2])
		rates[name] = rate
		if !strings.HasPrefix(name, "go-zmq ") && !strings.HasPrefix(name, "C ") {
			best = max(best, rate)
		}
	}
	for _, call := range []string{"`Recv(ctx, buf)`", "`RecvBatch`"} {
		if rates["go-zmq "+call] < near*rates["C `zmq_recv`"] {
			t.Errorf("%s has %.0f msg/s, and C %.0f", call, rates["go-zmq "+call], rates["C `zmq_recv`"])
		}
	}
	if rates["go-zmq `RecvBatch`"] <= best {
		t.Errorf("batches have %.0f msg/s, and another binding %.0f", rates["go-zmq `RecvBatch`"], best)
	}
}

func TestTransportsThatAreEqual(t *testing.T) {
	rates := byChoice(t, rowsBelow(t, "Which transport"), 3)
	if ratio := rates["`tcp://host:port`"] / rates["`ipc:///path`"]; ratio < near || ratio > 1/near {
		t.Errorf("tcp has %.2f of the messages of ipc", ratio)
	}
}

func TestLossesAreLosses(t *testing.T) {
	for _, row := range rowsBelow(t, "What we lose") {
		if ratio := number(t, row[1]); ratio < 1 {
			t.Errorf("%s: %.2f is no loss", row[0], ratio)
		}
	}
}
