package table

import (
	"fmt"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// warnings returns a line for each of the first cells that were disturbed.
func warnings(all []record.Summary) (lines []string) {
	lines = disturbed(all)
	const most = 5
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("disturbed, too: %d more cells (see --json)", len(lines)-most))
	}
	return lines
}

// Noise returns what makes results doubtful, a line for each reason: all cells that
// were disturbed, and all whose interval is wide.
func Noise(all []record.Summary) []string {
	lines := disturbed(all)
	for i := range all {
		s := &all[i]
		unit := "ns/msg"
		if s.Cell.Verb == record.Lat {
			unit = "mean-ns"
		}
		if s.Cell.Open() {
			continue
		}
		values := s.Values(unit)
		if len(values) == 0 {
			continue
		}
		if _, reach, _ := interval(values); reach > wide {
			lines = append(lines, fmt.Sprintf("%s: the confidence interval is ± %.0f %%, wider than ± %.0f %%", s.Cell, 100*reach, 100*wide))
		}
	}
	return lines
}

// disturbed returns a line for each cell that was disturbed: the number of runs, and
// the first that says how.
func disturbed(all []record.Summary) (lines []string) {
	for _, s := range all {
		n, first := 0, ""
		for _, r := range s.Runs {
			if len(r.Warnings) > 0 {
				n++
				if first == "" {
					first = r.Warnings[0]
				}
			}
		}
		if n > 0 {
			lines = append(lines, fmt.Sprintf("%s: %d of %d runs were disturbed: %s", s.Cell, n, len(s.Runs), first))
		}
	}
	return lines
}
