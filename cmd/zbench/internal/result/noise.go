package result

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

const (
	// confidence is that of all intervals, alpha the chance of a false difference.
	confidence, alpha = 0.95, 0.05
	// enough is the least number of runs for a confidence interval, fewest that for a
	// significant difference.
	enough, fewest = 6, 4
)

func sample(values []float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
}

// Spread returns how far values reach from their median, as a share of it: the confidence
// interval of the median or, of fewer than six values, all of them.
func Spread(values []float64) float64 {
	center := record.Median(values)
	if center == 0 {
		return 0
	}
	low, high := slices.Min(values), slices.Max(values)
	if len(values) >= enough {
		s := benchmath.AssumeNothing.Summary(sample(values), confidence)
		low, high = max(s.Lo, low), min(s.Hi, high)
	}
	return max(high-center, center-low) / center
}

// Visible returns the smallest change, as a share, that a comparison with values like
// these would find to be significant (Mann-Whitney) if so many cells were compared. It
// returns ok false if there are too few values to find any.
func Visible(values []float64, cells int) (share float64, ok bool) {
	if len(values) < fewest {
		return 0, false
	}
	found := func(share float64) bool {
		changed := make([]float64, len(values))
		for i, v := range values {
			changed[i] = v * (1 + share)
		}
		return benchmath.AssumeNothing.Compare(sample(values), sample(changed)).P*float64(cells) < alpha
	}
	low, high := 0.0, 0.001
	for !found(high) {
		if low, high = high, 2*high; high > 100 {
			return 0, false
		}
	}
	for range 10 {
		if middle := (low + high) / 2; found(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high, true
}

// mainUnit is the figure of a cell by which noise is judged.
func mainUnit(c record.Cell) string {
	if c.Open() {
		return "p99-ns" // the rate is the offered one
	}
	return "msg/s"
}

// Noise says in one line how much the results vary, and what changes they could show.
func Noise(all []record.Summary) string {
	spread, visible, runs, disturbed, least := 0.0, 0.0, 0, 0, 0
	shows := true
	for _, s := range all {
		values := s.Values(mainUnit(s.Cell))
		runs += len(s.Runs)
		disturbed += s.Disturbed()
		if len(values) == 0 {
			continue
		}
		if least == 0 || len(values) < least {
			least = len(values)
		}
		spread = max(spread, Spread(values))
		v, ok := Visible(values, 1)
		visible, shows = max(visible, v), shows && ok
	}
	if least == 0 {
		return "noise: unknown" + disturbance(disturbed, runs)
	}
	level := "high"
	switch {
	case least < 2:
		return "noise: unknown" + disturbance(disturbed, runs) + "; use --repeat 3 or more"
	case 2*disturbed >= runs && disturbed > 0: // the runs may agree by chance
	case spread <= 0.05 && disturbed == 0:
		level = "low"
	case spread <= 0.15:
		level = "moderate"
	}
	power := fmt.Sprintf("changes below %.0f %% are invisible", max(100*visible, 1))
	if !shows {
		power = fmt.Sprintf("too few runs to show any change, use --repeat %d or more", enough)
	}
	return fmt.Sprintf("noise: %s (±%.0f %%)%s; %s", level, 100*spread, disturbance(disturbed, runs), power)
}

func disturbance(disturbed, runs int) string {
	if disturbed == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of %s disturbed", disturbed, record.Count(runs, "run"))
}

// Disturbances returns a line for each cell with disturbed runs: how many, and how.
func Disturbances(all []record.Summary) (lines []string) {
	for _, s := range all {
		var how []string
		for _, r := range s.Runs {
			for _, w := range r.Warnings {
				if !slices.Contains(how, w) {
					how = append(how, w)
				}
			}
		}
		if len(how) > 0 {
			lines = append(lines, fmt.Sprintf("%s: %d of %s disturbed: %s", s.Cell, s.Disturbed(), record.Count(len(s.Runs), "run"), strings.Join(how, "; ")))
		}
	}
	return lines
}
