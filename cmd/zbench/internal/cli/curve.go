package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// curve searches the highest good rate of each cell.
func (s *session) curve() error {
	return s.watched(func(total time.Duration, tell func(string)) error {
		var unsure, failed []error
		for _, cell := range s.cells {
			v, err := s.search(s.cmd.Context(), cell, total/time.Duration(len(s.cells)*plan.Steps), tell)
			if err == nil {
				err = s.verdict(v)
			}
			switch {
			case err != nil:
				return err
			case v.Unsure:
				unsure = append(unsure, record.Exitf(record.Unfit, "%s: %s; use a longer --duration", v.Cell, v.Result))
			case !v.Met:
				failed = append(failed, record.Exitf(record.Missed, "%s: no rate is good, not even %s; use a lower --from, or a weaker --slo", v.Cell, record.Number(s.plan.From)))
			}
		}
		return errors.Join(append(unsure, failed...)...)
	})
}

// search finds the highest rate at which a cell is good.
func (s *session) search(ctx context.Context, cell record.Cell, step time.Duration, tell func(string)) (record.Verdict, error) {
	search := load.Search{From: s.plan.From, To: s.plan.To, Steps: plan.Steps, Measure: func(rate float64) (load.Step, error) {
		at := cell
		at.Rate, at.Arrivals = rate, s.plan.Arrivals
		sum, err := s.attempt(ctx, at, step, tell)
		if err == nil && len(sum.Invalid) > 0 && rate == s.plan.From { // no load is to blame
			err = errors.New(sum.Invalid[0].Invalid)
		}
		return load.Step{Good: s.good(&sum), Disturbed: sum.Disturbed() > 0}, err
	}}
	found, err := search.Run()
	v := record.Verdict{Cell: cell.AnyRate().String(), Objective: s.objectives(), Result: "none"}
	switch {
	case err != nil:
		return v, err
	case found.Best == 0:
		return v, nil
	}
	v.Met, v.Unsure = found.Confirmed, !found.Confirmed
	v.Result = record.Number(found.Best) + " msg/s" + precision(found, s.plan.To)
	return v, nil
}

// precision says how well the result of a search is known.
func precision(f load.Found, to float64) string {
	switch {
	case !f.Confirmed:
		return ", not confirmed"
	case f.Over == 0 && f.Best >= to:
		return " or more, the last that was tried (--to)"
	case f.Over == 0:
		return " or more; begin with a higher --from"
	case f.Precise:
		return ", to within 5 %"
	case f.Low > 0 && f.High > 0:
		return fmt.Sprintf("; repeats place the limit between %s and %s", record.Number(f.Low), record.Number(f.High))
	case f.High > 0:
		return fmt.Sprintf("; repeats place the limit below %s", record.Number(f.High))
	}
	return "; repeats do not agree on a limit"
}

// attempt measures a rate. Its runs are kept when it is known whether they are good.
func (s *session) attempt(ctx context.Context, at record.Cell, step time.Duration, tell func(string)) (record.Summary, error) {
	var runs []record.Run
	r := s.runner([]record.Cell{at}, step, tell)
	r.Keep = func(r record.Run) error {
		runs = append(runs, r)
		return nil
	}
	err := r.Run(ctx)
	sum, e := record.Summarize(at, runs)
	judged := record.Judgement(s.good(&sum))
	for _, r := range runs {
		r.Judged = judged
		err = errors.Join(err, s.keep(r))
	}
	return sum, errors.Join(err, e)
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
