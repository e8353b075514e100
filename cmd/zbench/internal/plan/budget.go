package plan

import (
	"fmt"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
)

// Steps is how many steps a search of curve has at most.
const Steps = 20

const (
	// usualRun and usualWarmup are those of a run without --duration.
	usualRun    = time.Second
	usualWarmup = 200 * time.Millisecond
	// warmupShare is the part of a run that is its warm-up, up to mostWarmup.
	warmupShare = 5
	mostWarmup  = time.Second
)

// Budget is how long a plan takes.
type Budget struct {
	Total    time.Duration // of all runs
	Measured time.Duration // the measured part of each
}

// String says it for people.
func (b Budget) String() string {
	return fmt.Sprintf("%v each, about %v in all", b.Measured.Round(10*time.Millisecond), b.Total.Round(100*time.Millisecond))
}

// Budget returns how long cells take.
func (p *Plan) Budget(cells int) Budget {
	runs := time.Duration(max(cells*p.Repeat, 1))
	if p.Verb == Curve && len(p.Rates) == 0 {
		runs *= Steps
	}
	if p.Duration == 0 {
		return Budget{runs * (usualRun + p.warmup(0) + load.PerRun), usualRun}
	}
	slot := p.Duration / runs
	return Budget{p.Duration, slot - p.warmup(slot) - load.PerRun}
}

// warmup returns the warm-up of a run that takes slot in all; 0: without --duration.
func (p *Plan) warmup(slot time.Duration) time.Duration {
	switch {
	case p.Warmup >= 0:
		return p.Warmup
	case slot == 0:
		return usualWarmup
	}
	return min(slot/warmupShare, mostWarmup)
}

// SetWarmup fixes the warm-up of the runs of so many cells.
func (p *Plan) SetWarmup(cells int) {
	b := p.Budget(cells)
	if p.Duration > 0 {
		p.Warmup = p.Duration/time.Duration(p.runs(cells)) - b.Measured - load.PerRun
	} else {
		p.Warmup = p.warmup(0)
	}
}

func (p *Plan) runs(cells int) int {
	runs := max(cells*p.Repeat, 1)
	if p.Verb == Curve && len(p.Rates) == 0 {
		runs *= Steps
	}
	return runs
}

// checkBudget refuses a duration that is too short for the runs, with the one needed.
func (p *Plan) checkBudget(problems *Problems, cells int) {
	b := p.Budget(cells)
	if b.Measured >= load.Shortest || p.Duration == 0 {
		return
	}
	// With the least measured part m, overhead o and a warm-up of a fifth of the slot,
	// the slot is 5/4 (m + o).
	slot := (load.Shortest + load.PerRun) * warmupShare / (warmupShare - 1)
	if p.Warmup >= 0 {
		slot = load.Shortest + load.PerRun + p.Warmup
	}
	runs := p.runs(cells)
	need := (time.Duration(runs)*slot + 100*time.Millisecond - 1).Truncate(100 * time.Millisecond)
	problems.add("--duration %v: it is the duration of the whole command, and %d runs leave less than %v to measure each; use --duration %v or more, fewer values or a smaller --repeat", p.Duration, runs, load.Shortest, need)
}
