package cli

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/metrics"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/result"
	"github.com/go-zmq/go-zmq/zmq"
)

// session is one run of a verb with a plan: where its results go.
type session struct {
	cmd   *cobra.Command
	plan  *plan.Plan
	info  machine.Info
	cells []record.Cell
	out   io.Writer // of text: standard output or, with -o -, standard error
	bar   *progress
	one   load.Measured // measures a cell: load.Measure, but in tests

	id    string
	env   record.Env
	data  record.Data
	sink  *record.Writer // nil: none
	store *result.Store  // nil: none

	live    live
	mu      sync.Mutex
	tallies []*load.Tally // of all cells that were begun
}

// newPlanned returns the command of a verb with a plan. run does the work.
func newPlanned(verb string, run func(*session) error, aliases ...string) *cobra.Command {
	p := plan.New(verb)
	cmd := alone(verb, func(cmd *cobra.Command) error {
		p.Read()
		info, err := machine.Look()
		if err != nil {
			return err
		}
		cells, err := p.Check(plan.Facts{Has: zmq.Has, Now: time.Now(), Processors: info.Processors()})
		if err != nil {
			return usagef("%w", err)
		}
		s := &session{cmd: cmd, plan: p, info: info, cells: cells, out: cmd.OutOrStdout(), env: record.NewEnv(info), id: newID(), one: load.Measure}
		return s.run(run)
	})
	cmd.Aliases = aliases
	p.Flags(cmd.Flags())
	completeFlags(cmd, p.Choices())
	return cmd
}

// newID returns the ID of a plan.
func newID() string {
	var id [4]byte
	rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// run opens what results go to, does the work, and writes the end.
func (s *session) run(work func(*session) error) (err error) {
	if s.plan.Out == "-" {
		s.out = s.cmd.ErrOrStderr()
	}
	s.bar = newProgress(s.cmd.ErrOrStderr())
	if s.plan.MetricsAddr != "" {
		server, e := metrics.Serve(s.plan.MetricsAddr, s.plan.Verb, s.states)
		if e != nil {
			return e
		}
		defer func() { err = errors.Join(err, server.Close()) }()
		fmt.Fprintf(s.cmd.ErrOrStderr(), "zbench: metrics on http://%s/metrics\n", server.Addr())
	}
	if err := s.open(); err != nil {
		return err
	}
	printInfo(s.out, s.info, s.plan.Verbose)
	err = work(s)
	var stopped signalError
	complete := !errors.As(err, &stopped) && len(s.data.Runs) > 0
	e := s.write(record.End{Plan: s.id, Complete: complete, Exit: exitCode(err)})
	if s.store != nil {
		e = errors.Join(e, s.close())
	}
	return errors.Join(err, e)
}

// close ends the store. The plan is kept if --file takes it.
func (s *session) close() error {
	if s.cmd.Flags().Lookup("file") == nil {
		return s.store.Close(nil)
	}
	text, err := s.plan.File()
	return errors.Join(err, s.store.Close(text))
}

func (s *session) open() error {
	switch s.plan.Out {
	case "":
	case "-":
		s.sink = record.NewWriter(s.cmd.OutOrStdout())
	default:
		var err error
		if s.store, err = result.Open(s.plan.Out); err != nil {
			return err
		}
		s.sink = s.store.Writer
	}
	given := record.Plan{
		ID: s.id, Start: time.Now().UTC(), Command: s.plan.Verb, Args: s.plan.Args(), Repeat: s.plan.Repeat, StartAt: s.plan.StartAt.UTC(),
	}
	if !s.plan.StartAt.IsZero() {
		given.Host, _ = os.Hostname() // "" if the system does not say
	}
	return errors.Join(s.write(given), s.write(s.env))
}

// write writes a record, unless there is no --out.
func (s *session) write(v any) error {
	if s.sink == nil {
		return nil
	}
	return s.sink.Write(v)
}

// keep writes a run.
func (s *session) keep(r record.Run) error {
	r.Plan, r.Env = s.id, s.env.ID
	s.data.Runs = append(s.data.Runs, r)
	return s.write(r)
}

// verdict writes the result of an objective.
func (s *session) verdict(v record.Verdict) error {
	v.Plan = s.id
	s.data.Verdicts = append(s.data.Verdicts, v)
	return s.write(v)
}

// tally returns the tally of a cell, which is then live.
func (s *session) tally(c record.Cell) (t *load.Tally) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.tallies, func(t *load.Tally) bool { return t.State().Cell == c })
	if i < 0 {
		i = len(s.tallies)
		s.tallies = append(s.tallies, load.NewTally(c))
	}
	s.live.follow(s.tallies[i])
	return s.tallies[i]
}

// states returns what has been counted.
func (s *session) states() (all []load.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tallies {
		all = append(all, t.State())
	}
	return all
}

const terminalWidth = 80

// wrap breaks a text into lines of a terminal.
var wrap = result.Wrap

// printInfo writes what is measured with and on and, if verbose, what makes it doubtful.
func printInfo(w io.Writer, i machine.Info, verbose bool) {
	fmt.Fprintln(w, wrap(fmt.Sprintf("zbench %s · %s · libzmq %s · %s · %s", i.Zbench, i.Go, i.Libzmq, i.CPU, record.Count(i.Cores, "core")), "  "))
	if !verbose {
		return
	}
	for _, doubt := range i.Doubts() {
		fmt.Fprintln(w, wrap("! "+doubt, "  "))
	}
}
