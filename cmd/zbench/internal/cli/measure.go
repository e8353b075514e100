package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/result"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/run"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/table"
	"github.com/go-zmq/go-zmq/internal/libzmq/cfloor"
	"github.com/go-zmq/go-zmq/zmq"
)

// newMeasure returns the command of a verb with a plan. act does the measuring, once
// the plan is known to be possible.
func newMeasure(verb, short, long string, act func(*measurement, context.Context) error) *cobra.Command {
	return thisHost.newMeasure(verb, short, long, act)
}

// host is what measures.
type host struct {
	look func() (machine.Info, error)
	late func(context.Context) time.Duration // how late a sleeping thread wakes up
}

var thisHost = host{machine.Look, func(ctx context.Context) time.Duration { return time.Duration(look(ctx).late.Max()) }}

func (h host) newMeasure(verb, short, long string, act func(*measurement, context.Context) error) *cobra.Command {
	p := plan.New(verb)
	cmd := &cobra.Command{
		Use:   verb,
		Short: short,
		Long:  long,
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			unread := p.Read(cmd.Flags(), os.LookupEnv)
			info, facts, err := h.survey(cmd.Context(), unread)
			if err != nil {
				return err
			}
			cells, err := p.Check(facts)
			if err := errors.Join(unread, err); err != nil {
				return usageError{err}
			}
			m := &measurement{cmd: cmd, plan: p, cells: cells, info: info, out: cmd.OutOrStdout(), began: time.Now()}
			return m.run(act)
		},
	}
	cmd.Flags().SortFlags = false
	p.Flags(cmd.Flags())
	plan.Gather(cmd.Flags())
	completeWords(cmd, p.Choices())
	return cmd
}

// survey returns the machine, and what of it decides on plans, which are checked with
// what libzmq can do. Without libzmq that is impossible, and what could not be read of
// the plan is all that is wrong with it.
func (h host) survey(ctx context.Context, unread error) (machine.Info, plan.Facts, error) {
	info, err := h.look()
	if err != nil {
		if unread != nil {
			err = usageError{unread}
		}
		return info, plan.Facts{}, err
	}
	return info, plan.Facts{
		Has: zmq.Has, Limits: machine.ReadLimits(), TempDir: os.TempDir(), CPUs: cfloor.Affinity(), Missing: machine.Missing, Urgent: pace.Allowed,
		Machine: &info, Late: func() time.Duration { return h.late(ctx) },
	}, nil
}

// measurement is one run of zbench with a plan.
type measurement struct {
	cmd   *cobra.Command
	plan  *plan.Plan
	cells []record.Cell
	info  machine.Info
	out   io.Writer
	began time.Time

	id   string
	dir  *result.Directory // nil: none
	json *record.Writer    // nil: another format
	data record.Data

	outcome outcome
	found   []string // what a curve's searches came to

	live    *load.Live   // nil: nobody looks on
	measure run.Measure  // nil: in this process
	after   func() error // if any, called after each run: its error ends all

	measured func(error) // if any, called when all is measured, with why if it is not
}

// run opens what results go to, measures, and says how it went. The results that it
// replaces are there until all else is open.
func (m *measurement) run(act func(*measurement, context.Context) error) (err error) {
	m.id = newID()
	ctx := m.cmd.Context()
	if m.plan.MetricsAddr != "" {
		m.live = &load.Live{}
		ctx = load.WithLive(ctx, m.live)
		server, e := m.metrics()
		if e != nil {
			return e
		}
		defer func() { err = errors.Join(err, server.Close()) }()
	}
	if err := m.open(); err != nil {
		return err
	}
	if m.plan.Format == "text" && !m.plan.Quiet {
		printInfo(m.out, m.info)
		fmt.Fprintln(m.out)
	}
	err = act(m, ctx)
	complete := err == nil && len(m.data.Runs) > 0
	if err == nil {
		err = m.scrutinize()
	}
	if err == nil {
		err = m.outcome.err()
	}
	e := m.close(record.End{Plan: m.id, Complete: complete, Exit: exitCode(err)})
	return errors.Join(err, e)
}

// newID returns a name for a plan's records.
func newID() string {
	var id [4]byte
	rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

func (m *measurement) open() error {
	if m.plan.Format == "json" {
		m.json = record.NewWriter(m.out)
	}
	if m.plan.Out != "" {
		var err error
		if m.dir, err = openResult(m.plan.Out, m.plan.Append); err != nil {
			return err
		}
		if err := m.keepPlan(); err != nil {
			return err
		}
	}
	p := record.Plan{
		ID: m.id, Start: m.began.UTC(), Command: m.cmd.Name(),
		Flags: plan.Given(m.cmd.Flags()), Args: plan.Args(m.cmd.Flags()), Repeat: m.plan.Repeat,
	}
	return m.write(func(w *record.Writer) error { return w.Plan(p) })
}

// keepPlan writes the plan beside the results.
func (m *measurement) keepPlan() error {
	return m.plan.WriteFile(m.dir.Path("plan.yaml"), m.cmd.Flags())
}

// write writes to all that take records.
func (m *measurement) write(f func(*record.Writer) error) (err error) {
	if m.json != nil {
		err = f(m.json)
	}
	if m.dir != nil {
		err = errors.Join(err, f(m.dir.Writer))
	}
	return err
}

func (m *measurement) close(end record.End) error {
	err := m.write(func(w *record.Writer) error { return w.End(end) })
	if m.dir != nil {
		err = errors.Join(err, m.dir.Close(), addPages(m.plan.Out))
	}
	return err
}

// keep writes a run, and notes how it went.
func (m *measurement) keep(r record.Run, e record.Env) error {
	m.data.Runs = append(m.data.Runs, r)
	m.live.Ended(&r)
	if e.ID != "" && !slices.ContainsFunc(m.data.Envs, func(o record.Env) bool { return o.ID == e.ID }) {
		m.data.Envs = append(m.data.Envs, e)
	}
	if !r.Valid() && r.Invalid != "interrupted" {
		m.outcome.fail(r)
	}
	err := m.write(func(w *record.Writer) error {
		if e.ID != "" {
			if err := w.Env(e); err != nil {
				return err
			}
		}
		return w.Run(r)
	})
	if err == nil && m.after != nil {
		err = m.after()
	}
	return err
}

// runner returns what measures cells as the plan says.
func (m *measurement) runner(cells []record.Cell, progress func(done, all int, what string)) *run.Runner {
	p := m.plan
	r := &run.Runner{
		Cells: cells, Repeat: p.Repeat, Seed: p.Seed, Timeout: p.CellTimeout(),
		Method:  p.Method(slices.ContainsFunc(cells, record.Cell.Open)),
		Measure: m.measure, Keep: m.keep, Progress: progress,
	}
	if m.measure == nil {
		r.Measure = run.InProcess(m.info)
	}
	ours := 0
	for _, c := range m.cells {
		if c.Impl == "go" {
			ours++
		}
	}
	if profiler := (run.Profiler{Files: p.Profile, Many: ours > 1 || p.Verb == plan.Curve}); profiler.Wanted() {
		r.Profile = profiler.Start
	}
	return r
}

// progress returns what shows progress, and what removes it.
func (m *measurement) progress() (show func(done, all int, what string), remove func()) {
	if m.plan.NoBar || m.plan.Quiet {
		return func(int, int, string) {}, func() {}
	}
	return progressLine(m.cmd.ErrOrStderr())
}

// all measures all cells and shows them.
func (m *measurement) all(ctx context.Context) error {
	show, remove := m.progress()
	err := m.runner(m.cells, show).Run(ctx)
	if m.measured != nil {
		m.measured(err)
	}
	remove()
	summaries, e := m.data.Summaries()
	if e == nil {
		e = m.show(summaries)
	}
	if err = errors.Join(err, e); err != nil {
		return err
	}
	m.judge(summaries)
	return nil
}

// show writes the results in the format that was asked for. JSON is there already.
func (m *measurement) show(summaries []record.Summary) error {
	switch m.plan.Format {
	case "bench":
		return result.Bench(m.out, &m.data)
	case "csv":
		return result.CSV(m.out, &m.data)
	case "text", "md":
		m.printer().Results(m.inOrder(summaries))
		if m.plan.Format == "text" && !m.plan.Quiet {
			m.done()
		}
	}
	return nil
}

func (m *measurement) printer() *table.Printer {
	return &table.Printer{W: m.out, Markdown: m.plan.Format == "md", Quiet: m.plan.Quiet, Floor: m.plan.Floor}
}

// inOrder returns summaries in the order of the plan, not in the one by chance in
// which they were measured.
func (m *measurement) inOrder(summaries []record.Summary) []record.Summary {
	at := map[record.Cell]int{}
	for i, c := range m.cells {
		at[c] = i
	}
	slices.SortStableFunc(summaries, func(a, b record.Summary) int { return at[a.Cell] - at[b.Cell] })
	return summaries
}

// done says what was done: the last line.
func (m *measurement) done() {
	valid := 0
	for _, r := range m.data.Runs {
		if r.Valid() {
			valid++
		}
	}
	where := ""
	if m.dir != nil {
		where = ", kept in " + m.plan.Out
	}
	fmt.Fprintf(m.out, "done: %d of %d runs valid, in %s%s\n", valid, len(m.data.Runs), table.Took(time.Since(m.began)), where)
}

// judge compares the results with what was asked for.
func (m *measurement) judge(summaries []record.Summary) {
	var lines bytes.Buffer
	told := map[string]bool{} // objectives by their text
	for i := range summaries {
		s := &summaries[i]
		if s.Cell.Impl != "go" {
			continue
		}
		if s.Saturated() {
			m.outcome.saturated = append(m.outcome.saturated, s.Cell.String())
		}
		for _, o := range m.plan.SLO {
			v, ok := o.Of(s)
			told[o.Text] = told[o.Text] || ok
			switch {
			case !ok:
				continue
			case o.Met(v):
				fmt.Fprintf(&lines, "SLO %s  %s  ok    %s\n", o.Text, o.Format(v), s.Cell)
			default:
				fmt.Fprintf(&lines, "SLO %s  %s  MISSED  %s\n", o.Text, o.Format(v), s.Cell)
				m.outcome.missed = append(m.outcome.missed, fmt.Sprintf("%s: %s, not %s", s.Cell, o.Format(v), o.Text))
			}
		}
	}
	for _, o := range m.plan.SLO {
		if !told[o.Text] {
			fmt.Fprintf(&lines, "SLO %s  -  MISSED  no result has this figure\n", o.Text)
			m.outcome.missed = append(m.outcome.missed, fmt.Sprintf("%s: no result has this figure", o.Text))
		}
	}
	if m.plan.Format == "text" || m.plan.Format == "md" {
		_, _ = m.out.Write(lines.Bytes()) // as with all that is printed, there is nobody to tell
	}
}

// outcome is how a measurement went, beside its numbers.
type outcome struct {
	failed    []string // runs, and why
	saturated []string // cells
	noisy     []string // with --strict: what makes numbers doubtful
	missed    []string // objectives
}

func (o *outcome) fail(r record.Run) {
	text := fmt.Sprintf("%s, run %d: %s", r.Cell, r.Repeat, r.Invalid)
	if strings.HasPrefix(r.Invalid, r.Cell.String()+":") { // the error says so itself
		text = r.Invalid
	}
	if !slices.Contains(o.failed, text) {
		o.failed = append(o.failed, text)
	}
}

// err returns the worst of what happened, which decides on the exit code.
func (o *outcome) err() error {
	switch {
	case len(o.failed) > 0:
		return errors.New(strings.Join(o.failed, "\n"))
	case len(o.saturated) > 0:
		return codeError{exitUnfit, fmt.Errorf("saturated, less than the offered load went through: %s; offer less, or look for the limit with zbench curve", strings.Join(o.saturated, ", "))}
	case len(o.noisy) > 0:
		return codeError{exitUnfit, fmt.Errorf("--strict: the numbers are not to be relied on; stop what else is running, and measure again:\n%s", strings.Join(o.noisy, "\n"))}
	case len(o.missed) > 0:
		return codeError{exitMissed, errors.New(strings.Join(o.missed, "\n"))}
	}
	return nil
}

func newChild() *cobra.Command {
	return &cobra.Command{
		Use:    run.ChildVerb,
		Hidden: true,
		Short:  "measures one cell for another process of zbench",
		Args:   noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return run.Child(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}
