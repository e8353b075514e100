package plan

import (
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
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
	Total            time.Duration // of all runs
	Warmup, Measured time.Duration // of each run
}

// runs returns how many runs so many cells have.
func (p *Plan) runs(cells int) time.Duration {
	runs := max(cells*p.Repeat, 1)
	if p.Verb == Curve {
		runs *= Steps
	}
	return time.Duration(runs)
}

// Budget returns how long cells take.
func (p *Plan) Budget(cells int) Budget {
	warmup, runs := p.Warmup, p.runs(cells)
	if p.Duration == 0 {
		if warmup < 0 {
			warmup = usualWarmup
		}
		return Budget{runs * (usualRun + warmup + load.PerRun), warmup, usualRun}
	}
	slot := p.Duration / runs
	if warmup < 0 {
		warmup = min(slot/warmupShare, mostWarmup)
	}
	return Budget{p.Duration, warmup, slot - warmup - load.PerRun}
}

// fit lowers the usual number of repeats to what fits into the duration.
func (p *Plan) fit(cells int) {
	for p.Verb != Curve && !p.values["repeat"].given && p.Repeat > 1 && p.Duration > 0 && cells > 0 && p.Budget(cells).Measured < load.Shortest {
		p.Repeat--
	}
}

// checkBudget refuses a duration that is too short for the runs, with the one needed.
func (p *Plan) checkBudget(problems *Problems, cells int) {
	if p.Duration == 0 || p.Budget(cells).Measured >= load.Shortest {
		return
	}
	// With the least measured part m, overhead o and a warm-up of a fifth of the slot,
	// the slot is 5/4 (m + o).
	slot := (load.Shortest + load.PerRun) * warmupShare / (warmupShare - 1)
	if p.Warmup >= 0 {
		slot = load.Shortest + load.PerRun + p.Warmup
	}
	need := (p.runs(cells)*slot + 100*time.Millisecond - 1).Truncate(100 * time.Millisecond)
	less := ""
	if cells*p.Repeat > 1 {
		less = ", fewer values or a smaller --repeat"
	}
	problems.add("--duration %v is for the whole command, which leaves %s less than %v each to measure; use --duration %v or more%s", p.Duration, record.Count(int(p.runs(cells)), "run"), load.Shortest, need, less)
}
