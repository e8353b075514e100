package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/result"
)

// announce says what will be measured, and for how long in all.
func (s *session) announce() time.Duration {
	b := s.plan.Budget(len(s.cells))
	what := s.cells[0].String()
	if n := len(s.cells); n > 1 {
		what = fmt.Sprintf("%d cells, %s and so on", n, what)
	}
	runs := record.Count(s.plan.Repeat, "run")
	if s.plan.Verb == plan.Curve {
		what, runs = s.cells[0].AnyRate().String(), fmt.Sprintf("at most %d steps", plan.Steps)
	}
	fmt.Fprintln(s.out, wrap(fmt.Sprintf("%s: %s of %v each, about %v in all%s", what, runs, b.Measured.Round(10*time.Millisecond), b.Total.Round(100*time.Millisecond), s.paced()), "  ")+"\n")
	s.plan.Warmup = b.Warmup
	return b.Total
}

// paced says how senders wait, if that was chosen.
func (s *session) paced() string {
	switch {
	case !s.plan.Chosen || !s.cells[0].Open():
		return ""
	case s.plan.Pace == load.Sleep:
		return fmt.Sprintf("; senders sleep (--pace), because %s are too few to spin", record.Count(s.info.Processors(), "processor"))
	}
	return "; senders spin (--pace)"
}

// runner returns what measures cells.
func (s *session) runner(cells []record.Cell, total time.Duration, tell func(string)) *load.Runner {
	return &load.Runner{
		Cells: slices.Clone(cells), Repeat: s.plan.Repeat, Total: total, Method: s.plan.Method(),
		Measure: s.one, Tally: s.tally, Keep: s.keep,
		Progress: tell,
	}
}

// watched announces work, waits for --start-at, does the work with progress and shows the
// results, with what makes them doubtful.
func (s *session) watched(work func(total time.Duration, tell func(string)) error) error {
	total := s.announce()
	if err := pace.WaitUntil(s.cmd.Context(), s.plan.StartAt); err != nil {
		return err
	}
	err := s.bar.during(total, &s.live, func(tell func(string)) error { return work(total, tell) })
	return errors.Join(err, result.Text(s.out, &s.data, result.Detail{Wide: s.plan.Wide, Verbose: s.plan.Verbose}))
}

// measure measures all cells and shows them.
func (s *session) measure() error {
	return s.watched(func(total time.Duration, tell func(string)) error {
		if err := s.runner(s.cells, total, tell).Run(s.cmd.Context()); err != nil {
			return err
		}
		return s.judge()
	})
}

// judge returns the worst of what happened: failed runs, saturation, missed objectives.
func (s *session) judge() error {
	all, err := s.data.Summaries()
	if err != nil {
		return err
	}
	var failed, saturated, missed, unsure []string
	for _, sum := range all {
		for _, r := range sum.Invalid {
			failed = append(failed, fmt.Sprintf("run %d: %s", r.Repeat, strings.TrimPrefix(r.Invalid, sum.Cell.String()+": ")))
		}
		for i := range sum.Runs {
			if err := load.Unanswered(&sum.Runs[i]); err != nil {
				unsure = append(unsure, fmt.Sprintf("run %d: %v", sum.Runs[i].Repeat, err))
			}
		}
		if sum.Saturated() {
			saturated = append(saturated, sum.Cell.String())
		}
		more, unknown, err := s.missed(&sum)
		if err != nil {
			return err
		}
		missed, unsure = append(missed, more...), append(unsure, unknown...)
	}
	slices.Sort(failed)
	switch failed = slices.Compact(failed); {
	case len(failed) > 0:
		return errors.New(strings.Join(failed, "\n"))
	case len(saturated) > 0:
		return record.Exitf(record.Unfit, "saturated: %s: less went through than was offered; offer less, or find the limit with zbench curve", strings.Join(saturated, ", "))
	case len(unsure) > 0:
		return record.Exitf(record.Unfit, "%s", strings.Join(unsure, "\n"))
	case len(missed) > 0:
		return record.Exitf(record.Missed, "%s", strings.Join(missed, "\n"))
	}
	return nil
}

// missed compares a result with the objectives, and returns a line for each that it misses
// and for each that it has too few messages for.
func (s *session) missed(sum *record.Summary) (missed, unsure []string, err error) {
	for _, o := range s.plan.SLO {
		v := record.Verdict{Cell: sum.Cell.String(), Objective: o.Text, Result: "no such figure"}
		value, ok := o.Of(sum)
		switch need := record.Samples(o.Unit); {
		case ok && need > 1 && float64(sum.Main().Count) < 0.9*float64(need):
			v.Unsure, v.Result = true, fmt.Sprintf("unknown, %s where it needs %d", record.Count(sum.Main().Count, "message"), need)
			unsure = append(unsure, fmt.Sprintf("%s: %s is %s; use a longer --duration", v.Cell, v.Objective, v.Result))
		case ok:
			v.Result, v.Met = o.Format(value), o.Met(value)
		}
		if !v.Met && !v.Unsure {
			missed = append(missed, fmt.Sprintf("%s: %s, not %s", v.Cell, v.Result, v.Objective))
		}
		err = errors.Join(err, s.verdict(v))
	}
	return missed, unsure, err
}
