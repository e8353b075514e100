package report

import (
	"fmt"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// fewest is the least number of runs that have a 95 % confidence interval.
const fewest = 6

// Allowed are the results that a document takes although its readers cannot rely on
// them.
type Allowed struct{ Dirty, Few, Instrumented, Noisy bool }

// RefusedError says why results are not for a document.
type RefusedError struct{ why []string }

func (e RefusedError) Error() string { return strings.Join(e.why, "\n") }

// refuse returns a RefusedError with all that is wrong with results, or nil.
func (a Allowed) refuse(d *series.Set) error {
	var why []string
	if !a.Dirty {
		for _, reason := range d.Dirty {
			why = append(why, reason+": commit and repeat it, or --allow-dirty")
		}
	}
	if !a.Few {
		for _, s := range d.Series {
			if n := len(s.Iters); n < fewest {
				why = append(why, fmt.Sprintf("%s has %d runs of %s, and fewer than %d have no confidence interval: repeat it, or --allow-few", d.From, n, s.Name, fewest))
				break
			}
		}
	}
	if !a.Instrumented {
		for _, reason := range d.Instrumented {
			why = append(why, reason+", which changes every time: measure without, or --allow-instrumented")
		}
	}
	if !a.Noisy {
		for _, reason := range d.Unfit {
			why = append(why, reason+": repeat it when nothing else runs, or --allow-noisy")
		}
	}
	if len(why) > 0 {
		return RefusedError{why}
	}
	return nil
}
