package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/metrics"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/result"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/role"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/run"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/slo"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/table"
)

// newRole returns the command of a role.
func newRole(verb, short, long, example string) *cobra.Command {
	r := plan.NewRole(verb)
	cmd := &cobra.Command{
		Use:     verb,
		Short:   short,
		Long:    long,
		Example: example,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			unread := r.Read(cmd.Flags(), os.LookupEnv)
			info, facts, err := thisHost.survey(cmd.Context(), unread)
			if err != nil {
				return err
			}
			if err := errors.Join(unread, r.Check(facts)); err != nil {
				return usageError{err}
			}
			p := &part{cmd: cmd, role: r, info: info, out: cmd.OutOrStdout(), errs: cmd.ErrOrStderr()}
			return p.run(cmd.Context())
		},
	}
	cmd.Flags().SortFlags = false
	r.Flags(cmd.Flags())
	plan.Gather(cmd.Flags())
	completeWords(cmd, r.Choices())
	return cmd
}

// part is one run of a role.
type part struct {
	cmd  *cobra.Command
	role *plan.Role
	info machine.Info
	out  io.Writer
	errs io.Writer
	mu   sync.Mutex // of errs

	live role.Tally
	id   string
	dir  *result.Directory // nil: none
	json *record.Writer    // nil: text
}

// say tells the user something on standard error.
func (p *part) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.errs, "zbench: "+format+"\n", args...)
}

// run opens what the result goes to, does the role's part, and says how it went. The
// result that it replaces is there until the metrics' port is open.
func (p *part) run(ctx context.Context) (err error) {
	p.id = newID()
	if p.role.MetricsAddr != "" {
		server, e := p.metrics()
		if e != nil {
			return e
		}
		defer func() { err = errors.Join(err, server.Close()) }()
		p.say("metrics on http://%s/metrics", server.Addr())
	}
	if err := p.open(); err != nil {
		return err
	}
	kept := false
	// Once there are records, they have an end.
	defer func() {
		var stopped signalError
		e := p.write(func(w *record.Writer) error {
			return w.End(record.End{Plan: p.id, Complete: kept && !errors.As(err, &stopped), Exit: exitCode(err)})
		})
		if p.dir != nil {
			e = errors.Join(e, p.dir.Close(), addPages(p.role.Out))
		}
		err = errors.Join(err, e)
	}()
	if p.json == nil && !p.role.Quiet {
		printInfo(p.out, p.info)
		fmt.Fprintln(p.out)
	}
	res, err := p.act(ctx)
	if res == nil {
		return err
	}
	switch {
	case role.Unfit(err):
		err = codeError{exitUnfit, err}
	case ctx.Err() != nil && res.Messages > 0 && !role.Harmed(err):
		res.Warnings = append(res.Warnings, "interrupted: what was measured until then")
	case err != nil:
		res.Invalid = strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	if e := p.keep(res); e != nil {
		return errors.Join(err, e)
	}
	kept = true
	if p.json == nil {
		p.show(res)
	}
	judged := p.judge(res)
	if err == nil {
		err = judged
	}
	return err
}

// act does the role's part, with what looks on.
func (p *part) act(ctx context.Context) (res *role.Result, err error) {
	if profiler := (run.Profiler{Files: p.role.Profile}); profiler.Wanted() {
		stop := profiler.Start(record.Cell{})
		defer func() { err = errors.Join(err, stop()) }()
	}
	defer p.progress()()
	return role.Run(ctx, p.role, &p.live, p.say)
}

func (p *part) metrics() (*metrics.Server, error) {
	r := p.role
	return metrics.Serve(r.MetricsAddr, metrics.Run{
		Labels:  map[string]string{"verb": r.Verb, "pattern": r.Pattern, "plan": p.id},
		Offered: r.Rate,
		Sample: func() metrics.Sample {
			s := p.live.State()
			return metrics.Sample{
				Messages: s.Messages, Bytes: s.Bytes, Lost: s.Lost, Doubled: s.Doubled,
				Reordered: s.Reordered, Latency: s.Latency,
			}
		},
	})
}

// progress shows on a terminal how far it is, twice a second; stop removes it.
func (p *part) progress() (stop func()) {
	if p.role.Quiet || p.role.NoBar {
		return func() {}
	}
	show, remove := progressLine(p.errs)
	if !isTerminal(p.errs) {
		return func() {}
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticks := time.NewTicker(500 * time.Millisecond)
		defer ticks.Stop()
		begin, before := time.Now(), int64(0)
		for {
			select {
			case <-quit:
				return
			case <-ticks.C:
			}
			n := p.live.Count()
			at, all := 0, -1
			switch {
			case p.role.Count > 0:
				at, all = int(min(n, int64(p.role.Count))), p.role.Count
			case p.role.Verb == plan.Send:
				at, all = int(min(time.Since(begin), p.role.Duration)/time.Millisecond), int(p.role.Duration/time.Millisecond)
			}
			p.mu.Lock()
			show(at, all, fmt.Sprintf("%s %s · %s messages · %s msg/s", p.role.Verb, p.role.Pattern, slo.Number(float64(n)), slo.Number(2*float64(n-before))))
			p.mu.Unlock()
			before = n
		}
	}()
	return func() {
		close(quit)
		<-done
		remove()
	}
}

func (p *part) open() error {
	if p.role.JSON {
		p.json = record.NewWriter(p.out)
	}
	if p.role.Out != "" {
		var err error
		if p.dir, err = openResult(p.role.Out, p.role.Append); err != nil {
			return err
		}
	}
	given := record.Plan{
		ID: p.id, Start: time.Now().UTC(), Command: p.cmd.Name(),
		Flags: plan.Given(p.cmd.Flags()), Args: plan.Args(p.cmd.Flags()), Repeat: 1,
	}
	return p.write(func(w *record.Writer) error { return w.Plan(given) })
}

// write writes to all that take records.
func (p *part) write(f func(*record.Writer) error) (err error) {
	if p.json != nil {
		err = f(p.json)
	}
	if p.dir != nil {
		err = errors.Join(err, f(p.dir.Writer))
	}
	return err
}

func (p *part) keep(res *role.Result) error {
	env := record.NewEnv(p.info)
	res.Env = env.ID
	return p.write(func(w *record.Writer) error { return errors.Join(w.Env(env), w.Run(res.Run)) })
}

// judge compares the result with the objectives.
func (p *part) judge(res *role.Result) error {
	if len(p.role.SLO) == 0 && !res.Saturated {
		return nil
	}
	if res.Saturated {
		return codeError{exitUnfit, fmt.Errorf("saturated: %.1f %% of the offered load went through; offer less", 100*res.Achieved())}
	}
	s, err := record.Summarize(res.Cell, []record.Run{res.Run})
	if err != nil {
		return err
	}
	var missed []string
	for _, o := range p.role.SLO {
		v, ok := o.Of(&s)
		verdict := "ok"
		switch {
		case !ok:
			missed = append(missed, fmt.Sprintf("%s: there is no such figure in the result", o.Text))
			continue
		case !o.Met(v):
			verdict = "MISSED"
			missed = append(missed, fmt.Sprintf("%s, not %s", o.Format(v), o.Text))
		}
		if p.json == nil {
			fmt.Fprintf(p.out, "SLO %s  %s  %s\n", o.Text, o.Format(v), verdict)
		}
	}
	if len(missed) > 0 {
		return codeError{exitMissed, errors.New(strings.Join(missed, "\n"))}
	}
	return nil
}

// show writes the result for people.
func (p *part) show(res *role.Result) {
	(&table.Printer{W: p.out, Quiet: p.role.Quiet}).Role(&table.RoleResult{
		Run: &res.Run, Senders: res.Senders, Shared: res.Shared, Dropped: res.Dropped, Lines: res.Lines,
		Numbered: !p.role.Raw && p.role.Verb == plan.Recv, Lossy: p.role.Ends().Lossy, OneWay: p.role.OneWay,
	})
}
