package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/run"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/slo"
)

// curve measures each cell of the plan at many rates.
func (m *measurement) curve(ctx context.Context) error {
	if len(m.plan.Rates) > 0 {
		return m.sweep(ctx)
	}
	for _, cell := range m.cells {
		if err := m.search(ctx, cell); err != nil {
			return errors.Join(err, m.keepRates())
		}
	}
	return errors.Join(m.curveShown(), m.keepRates())
}

// keepRates writes the plan again, with the rates that the search came to.
func (m *measurement) keepRates() error {
	var rates []float64
	for _, r := range m.data.Runs {
		rates = append(rates, r.Cell.Rate)
	}
	if m.dir == nil || len(rates) == 0 {
		return nil
	}
	slices.Sort(rates)
	m.plan.Rates = slices.Compact(rates)
	return m.keepPlan()
}

// sweep measures the rates that were given. That some are too much is what is to
// be seen, and no failure; that objectives are met at none of them is one.
func (m *measurement) sweep(ctx context.Context) error {
	show, remove := m.progress()
	err := m.runner(m.cells, show).Run(ctx)
	remove()
	if err == nil && len(m.plan.SLO) > 0 {
		err = m.judgeRates()
	}
	return errors.Join(err, m.curveShown())
}

// judgeRates finds the highest of the rates at which each cell was good.
func (m *measurement) judgeRates() error {
	summaries, err := m.data.Summaries()
	if err != nil {
		return err
	}
	var cells []record.Cell
	best := map[record.Cell]float64{}
	for i := range summaries {
		s := &summaries[i]
		cell := s.Cell
		cell.Rate = 0
		if !slices.Contains(cells, cell) {
			cells = append(cells, cell)
		}
		if m.good(s) {
			best[cell] = max(best[cell], s.Cell.Rate)
		}
	}
	for _, cell := range cells {
		if rate := best[cell]; rate > 0 {
			m.found = append(m.found, fmt.Sprintf("highest of these rates meeting %s: %s msg/s (%s)", m.objectives(), slo.Number(rate), cell))
			continue
		}
		m.outcome.missed = append(m.outcome.missed, fmt.Sprintf("%s: none of --rates meets %s; offer less load, or ask for less", cell, m.objectives()))
	}
	return nil
}

// search looks for the highest rate at which a cell is good.
func (m *measurement) search(ctx context.Context, cell record.Cell) error {
	show, remove := m.progress()
	defer remove()
	best, over, err := run.Search(m.plan.From, m.plan.To, func(rate float64) (bool, error) {
		at := cell
		at.Rate, at.Arrivals = rate, m.plan.Arrivals
		runner := m.runner([]record.Cell{at}, show)
		if err := runner.Run(ctx); err != nil {
			return false, err
		}
		s, err := record.Summarize(at, m.data.Of(at))
		return err == nil && m.good(&s), err
	})
	remove()
	if err != nil {
		return errors.Join(err, m.curveShown())
	}
	cell.Rate = 0 // it is where the search began, and no part of its result
	what := "going through"
	if len(m.plan.SLO) > 0 {
		what = "meeting " + m.objectives()
	}
	switch {
	case best == 0:
		m.outcome.missed = append(m.outcome.missed, fmt.Sprintf("%s: no rate is good, not even %s msg/s; begin with a lower --from, or ask for less", cell, slo.Number(m.plan.From)))
	case over == 0:
		m.found = append(m.found, fmt.Sprintf("highest rate %s: %s msg/s or more (%s; the search ended there, with --to)", what, slo.Number(best), cell))
	default:
		m.found = append(m.found, fmt.Sprintf("highest rate %s: %s msg/s (%s; to within 5 %%)", what, slo.Number(best), cell))
	}
	return nil
}

func (m *measurement) objectives() string {
	var texts []string
	for _, o := range m.plan.SLO {
		texts = append(texts, o.Text)
	}
	return strings.Join(texts, " and ")
}

// good reports whether a rate went through and met the objectives.
func (m *measurement) good(s *record.Summary) bool {
	if len(s.Runs) == 0 || s.Saturated() {
		return false
	}
	for _, o := range m.plan.SLO {
		if v, ok := o.Of(s); !ok || !o.Met(v) {
			return false
		}
	}
	return true
}

// curveShown writes what was measured, in the order of the rates.
func (m *measurement) curveShown() error {
	summaries, err := m.data.Summaries()
	if err != nil || m.plan.Format == "json" {
		return err
	}
	if m.plan.Format != "text" && m.plan.Format != "md" {
		return m.show(summaries)
	}
	slices.SortStableFunc(summaries, func(a, b record.Summary) int {
		x, y := a.Cell, b.Cell
		x.Rate, y.Rate = 0, 0
		if c := strings.Compare(x.String(), y.String()); c != 0 {
			return c
		}
		return int(a.Cell.Rate - b.Cell.Rate)
	})
	m.printer().Curve(summaries, m.good)
	for _, line := range m.found {
		fmt.Fprintln(m.out, line)
	}
	if m.plan.Format == "text" && !m.plan.Quiet {
		m.printer().Warnings(summaries)
		m.done()
	}
	return nil
}
