// Package cli is zbench's command line: verbs, flags, texts and exit codes. What
// the verbs do is in the packages beside it.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/zmq"
)

// Exit codes. A signal adds its number to 128, as in a shell.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	exitUnfit  = 3  // measured, but not what was asked for
	exitMissed = 99 // an objective; compare --fail-on: what was asked for does not hold
)

// usageError is a mistake in the command line: nothing was run.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// codeError is an error with an exit code of its own.
type codeError struct {
	code int
	error
}

func (e codeError) Unwrap() error { return e.error }

// signalError is the cause with which a signal ends the work.
type signalError struct{ syscall.Signal }

func (e signalError) Error() string { return "stopped by signal: " + e.Signal.String() }

// Main runs zbench and returns the process's exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		select {
		case s := <-signals:
			cancel(signalError{s.(syscall.Signal)})
			signal.Stop(signals) // a second one ends the process
		case <-ctx.Done():
		}
	}()

	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err != nil {
		// Several problems are a line each.
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintln(stderr, "zbench:", strings.TrimSuffix(line, "\n"))
		}
	}
	return exitCode(err)
}

func exitCode(err error) int {
	var usage usageError
	var stopped signalError
	var coded codeError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &stopped):
		return 128 + int(stopped.Signal)
	case errors.Is(err, errGate), errors.Is(err, errReference):
		return exitMissed
	case errors.As(err, &coded):
		return coded.code
	}
	return exitFailed
}

const verbs = `
  zbench quick                             a short tour: five ways to receive, beside the same loops in C
  zbench thr  -t tcp -s 1KiB               how many messages a second?
  zbench lat  -t ipc -s 64                 how long is a round trip?
  zbench lat  -t tcp --rate 100k -d 30s    latency under a fixed load
  zbench curve -t tcp --slo 'p99<1ms'      how much load before p99 passes 1 ms?
  zbench matrix -o results/                all combinations, kept in a directory
  zbench recv -e 'tcp://*:5555'            one end, the other being zbench send or any ZeroMQ program (--raw)
  zbench send -e tcp://host:5555           the other end; echo answers, proxy forwards
  zbench compare OLD NEW                   what changed between two results, and is it noise?
  zbench report results/                   tables and plots of a result: text, Markdown, CSV, HTML, SVG
  zbench env                               what is measured with and on, and whether to trust the numbers
  zbench completion bash                   completion for bash, fish, powershell or zsh
  zbench version

'zbench COMMAND -h' for flags; those of all but quick, compare, report and env are also environment
variables: ZBENCH_SIZE is --size.
`

// newRoot returns the command tree. Cobra prints neither errors nor usage: Main
// prints one line.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "zbench",
		Short:         "load and latency tool for ZeroMQ",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		Run: func(cmd *cobra.Command, _ []string) { intro(cmd.OutOrStdout()) },
	}
	root.SuggestionsMinimumDistance = 2 // letters that may be wrong
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		// A flag of a verb that does not exist: the verb is what is wrong.
		if words := cmd.Flags().Args(); cmd == root && len(words) > 0 {
			return unknownCommand(cmd, words[0])
		}
		return usagef("%w; see '%s -h'", err, cmd.CommandPath())
	})
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd == root {
			intro(cmd.OutOrStdout())
			return
		}
		help(cmd, args)
	})
	root.AddCommand(newQuick(), newThr(), newLat(), newCurve(), newMatrix(), newSend(), newRecv(), newEcho(), newProxy(), newCompare(), newReport(), newEnv(), newVersion(), newDocs(), newChild())
	addCompletion(root)
	completeRest(root)
	return root
}

func unknownCommand(root *cobra.Command, name string) error {
	if near := root.SuggestionsFor(name); len(near) > 0 {
		return usagef("unknown command %q; did you mean %q?", name, near[0])
	}
	return usagef("unknown command %q; run zbench without arguments for the list", name)
}

// noArguments is what verbs without arguments have as their Args.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("unexpected argument %q; see '%s -h'", args[0], cmd.CommandPath())
	}
	return nil
}

func intro(w io.Writer) {
	fmt.Fprintf(w, "zbench %s - load and latency tool for ZeroMQ (%s)\n%s", machine.Version(), versions(), verbs)
}

// versions names what zbench runs on. Help has to work without libzmq.
func versions() string {
	major, minor, patch := zmq.Version()
	if major == 0 {
		return runtime.Version() + ", libzmq not found"
	}
	return fmt.Sprintf("%s, libzmq %d.%d.%d", runtime.Version(), major, minor, patch)
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the versions of zbench, Go and libzmq",
		Args:  noArguments,
		Run: func(cmd *cobra.Command, _ []string) {
			fmt.Fprintf(cmd.OutOrStdout(), "zbench %s (%s)\n", machine.Version(), versions())
		},
	}
}
