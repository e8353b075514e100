package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

func newThr() *cobra.Command {
	cmd := newPlanned(plan.Thr, "throughput, one way at full speed", `Sends messages one way at full speed, and counts them where they arrive.
Latency is not shown: at full speed it reflects only the length of a queue. A lost
message fails the run: publishers wait for slow subscribers (ZMQ_XPUB_NODROP).`,
		`  zbench thr -t inproc,ipc,tcp -s 64,1k,64k -a blocking,batch -o results
  zbench thr -f results/plan.yaml -o again`, (*session).measure)
	cmd.Aliases = []string{"throughput"}
	return cmd
}

func newLat() *cobra.Command {
	cmd := newPlanned(plan.Lat, "latency of round trips; with --rate under an offered load", `Without --rate: sends a message from a REQ, waits for its reply, sends the next one.
With --rate: sends messages from a DEALER when they are due, answered or not. --pattern
chooses other sockets. Latency counts from the due time, so that a message that could
not be sent in time is late (coordinated omission). The next rows are the latency from
the send, and how late the sender and the machine were. If less than 99 % of the
load goes through in time, the exit code is 3.`,
		`  zbench lat --rate 10k,100k -d 30s --slo 'p99<1ms'
  zbench lat -e tcp://host:5555 --rate 10k --start-at 12:00:00 -o host1.jsonl`, (*session).measure)
	cmd.Aliases = []string{"latency"}
	return cmd
}

func newCurve() *cobra.Command {
	return newPlanned(plan.Curve, "the highest rate that meets an objective", `Doubles the offered load until the objectives of --slo are missed or the load does
not go through, and then finds the highest rate that is good, to within 5 %. A bad
step that the machine disturbed is measured again, and the result is confirmed. The
exit code is 99 if no rate is good. Given rates are measured by zbench lat --rate.`,
		`  zbench curve -t tcp --slo 'p99<1ms'
  zbench curve -e tcp://host:5555 --slo 'p99.9<5ms' -d 60s`, (*session).curve)
}

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
	fmt.Fprintln(s.out, wrap(fmt.Sprintf("%s: %s of %v each, about %v in all", what, runs, b.Measured.Round(10*time.Millisecond), b.Total.Round(100*time.Millisecond)), "  ")+"\n")
	s.plan.Warmup = b.Warmup
	return b.Total
}

// runner returns what measures cells.
func (s *session) runner(cells []record.Cell, total time.Duration, tell func(string)) *load.Runner {
	return &load.Runner{
		Cells: slices.Clone(cells), Repeat: s.plan.Repeat, Total: total, Method: s.plan.Method(),
		Measure: load.Measure, Tally: s.tally, Keep: s.keep,
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
	err := s.bar.during(total, func(tell func(string)) error { return work(total, tell) })
	return errors.Join(err, printResults(s.out, &s.data, "text", s.plan.Wide, s.plan.Verbose))
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
	var failed, saturated, missed []string
	for _, sum := range all {
		for _, r := range sum.Invalid {
			failed = append(failed, fmt.Sprintf("run %d: %s", r.Repeat, strings.TrimPrefix(r.Invalid, sum.Cell.String()+": ")))
		}
		if sum.Saturated() {
			saturated = append(saturated, sum.Cell.String())
		}
		more, err := s.missed(&sum)
		if err != nil {
			return err
		}
		missed = append(missed, more...)
	}
	slices.Sort(failed)
	switch failed = slices.Compact(failed); {
	case len(failed) > 0:
		return errors.New(strings.Join(failed, "\n"))
	case len(saturated) > 0:
		return record.Exitf(record.Unfit, "saturated: %s: less went through than was offered; offer less, or find the limit with zbench curve", strings.Join(saturated, ", "))
	case len(missed) > 0:
		return record.Exitf(record.Missed, "%s", strings.Join(missed, "\n"))
	}
	return nil
}

// missed compares a result with the objectives, and returns a line for each that it misses.
func (s *session) missed(sum *record.Summary) (missed []string, err error) {
	for _, o := range s.plan.SLO {
		v := record.Verdict{Cell: sum.Cell.String(), Objective: o.Text, Result: "no such figure"}
		if value, ok := o.Of(sum); ok {
			v.Result, v.Met = o.Format(value), o.Met(value)
		}
		if !v.Met {
			missed = append(missed, fmt.Sprintf("%s: %s, not %s", v.Cell, v.Result, v.Objective))
		}
		err = errors.Join(err, s.verdict(v))
	}
	return missed, err
}

// errSteps ends a search that has used all of its steps.
var errSteps = errors.New("no steps are left")

// curve searches the highest good rate of each cell.
func (s *session) curve() error {
	return s.watched(func(total time.Duration, tell func(string)) (failed error) {
		for _, cell := range s.cells {
			v, err := s.search(s.cmd.Context(), cell, total/time.Duration(len(s.cells)*plan.Steps), tell)
			if err == nil {
				err = s.verdict(v)
			}
			if err != nil {
				return err
			}
			if !v.Met {
				failed = record.Exitf(record.Missed, "%s: no rate is good, not even %s; use a lower --from, or a weaker --slo", v.Cell, record.Number(s.plan.From))
			}
		}
		return failed
	})
}

// search finds the highest rate at which a cell is good.
func (s *session) search(ctx context.Context, cell record.Cell, step time.Duration, tell func(string)) (record.Verdict, error) {
	steps, failure := 0, ""
	best, over, err := load.Search(s.plan.From, s.plan.To, func(rate float64) (load.Step, error) {
		if steps++; steps > plan.Steps {
			return load.Step{}, errSteps
		}
		at := cell
		at.Rate, at.Arrivals = rate, s.plan.Arrivals
		before := len(s.data.Runs)
		if err := s.runner([]record.Cell{at}, step, tell).Run(ctx); err != nil {
			return load.Step{}, err
		}
		sum, err := record.Summarize(at, s.data.Runs[before:])
		if len(sum.Invalid) > 0 {
			failure = sum.Invalid[0].Invalid
		}
		return load.Step{Good: s.good(&sum), Disturbed: sum.Disturbed() > 0}, err
	})
	v := record.Verdict{Cell: cell.AnyRate().String(), Objective: s.objectives(), Met: best > 0}
	precision := ", to within 5 %"
	switch {
	case errors.Is(err, errSteps):
		precision = fmt.Sprintf(", below %s, not confirmed; use a longer --duration", record.Number(over))
		if over == 0 {
			precision = " or more; begin with a higher --from"
		}
	case err != nil:
		return v, err
	case best == 0 && failure != "": // no load is to blame
		return v, errors.New(failure)
	case over == 0:
		precision = " or more, the last that was tried (--to)"
	}
	v.Result = record.Number(best) + " msg/s" + precision
	if best == 0 {
		v.Result = "none"
	}
	return v, nil
}

// objectives names what a search looks for.
func (s *session) objectives() string {
	var texts []string
	for _, o := range s.plan.SLO {
		texts = append(texts, o.Text)
	}
	if len(texts) == 0 {
		return "highest rate that goes through"
	}
	return "highest rate with " + strings.Join(texts, " and ")
}

// good reports whether a rate went through and met the objectives.
func (s *session) good(sum *record.Summary) bool {
	if len(sum.Runs) == 0 || sum.Saturated() {
		return false
	}
	for _, o := range s.plan.SLO {
		if v, ok := o.Of(sum); !ok || !o.Met(v) {
			return false
		}
	}
	return true
}
