// Package cli is zbench's command line: verbs, help, output and exit codes.
package cli

import (
	"context"
	_ "embed" // for the help
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/result"
	"github.com/go-zmq/go-zmq/zmq"
)

func usagef(format string, args ...any) error {
	return record.Exitf(record.Usage, format, args...)
}

// signalError is the cause with which a signal ends the work.
type signalError struct{ syscall.Signal }

func (e signalError) Error() string { return "stopped by signal: " + e.Signal.String() }

// narrowest is the width of the narrowest terminal that texts fit.
const narrowest = 40

// Main runs zbench and returns the exit code of the process.
func Main(args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if p := newProgress(stdout); p.terminal {
		result.SetColumns(max(min(p.width(), terminalWidth), narrowest))
	}
	err := root.Execute()
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			if line = "zbench: " + strings.TrimSuffix(line, "\n"); newProgress(stderr).terminal {
				line = wrap(line, "  ")
			}
			fmt.Fprintln(stderr, line)
		}
	}
	return exitCode(err)
}

// stoppable returns the RunE of a verb that measures. The first signal cancels the context
// of the command, so that the results until then are kept. It ends the other verbs.
func stoppable(run func(cmd *cobra.Command) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		ctx, cancel := context.WithCancelCause(cmd.Context())
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
		cmd.SetContext(ctx)
		return run(cmd)
	}
}

func exitCode(err error) int {
	var stopped signalError
	if errors.As(err, &stopped) {
		return 128 + int(stopped.Signal)
	}
	return record.ExitCode(err)
}

// intro is the help without arguments. It fits a terminal of 80 columns and 24 lines.
//
//go:embed intro.txt
var intro string

// help has a section for each verb: its name and what it does in a line, then a text, and
// indented examples.
//
//go:embed help.txt
var help string

// described returns the command of a verb, with its help.
func described(verb, use string, run func(*cobra.Command, []string) error) *cobra.Command {
	_, section, _ := strings.Cut("\n"+help, "\n# "+verb+": ")
	section, _, _ = strings.Cut(section, "\n# ")
	short, text, _ := strings.Cut(section, "\n")
	long, examples, _ := strings.Cut(text, "\n\n  ")
	cmd := &cobra.Command{Use: use, Short: short, Long: wrap(long, ""), RunE: run}
	if examples != "" {
		cmd.Example = "  " + strings.TrimSpace(examples)
	}
	return cmd
}

// alone returns the command of a verb that has no arguments and that a signal stops.
func alone(verb string, run func(*cobra.Command) error) *cobra.Command {
	cmd := described(verb, verb, stoppable(run))
	cmd.Args = noArguments
	return cmd
}

// newRoot returns the command tree. Main prints the errors.
func newRoot() *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:           "zbench",
		Short:         "load and latency tool for ZeroMQ",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownVerb(cmd, args[0])
			}
			return nil
		},
		Run: func(cmd *cobra.Command, _ []string) {
			if version {
				printVersion(cmd.OutOrStdout())
				return
			}
			printIntro(cmd.OutOrStdout())
		},
	}
	root.Flags().BoolVar(&version, "version", false, "print versions")
	root.SetFlagErrorFunc(flagError)
	usual := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd == root {
			printIntro(cmd.OutOrStdout())
			return
		}
		usual(cmd, args)
	})
	root.SetUsageTemplate(usage)
	root.AddCommand(alone("quick", runQuick), newPlanned(plan.Thr, (*session).measure, "throughput"), newPlanned(plan.Lat, (*session).measure, "latency"),
		newPlanned(plan.Curve, (*session).curve), newPlanned(plan.Churn, (*session).measure), newPlanned(plan.Recv, (*session).side), newPlanned(plan.Send, (*session).side),
		newPlanned(plan.Echo, (*session).side), newReport(), newCompare(), alone("env", runEnv), newVersion())
	root.InitDefaultCompletionCmd()
	return root
}

// usage is the template of a verb's help.
const usage = `usage: {{.UseLine}}{{if .HasAvailableLocalFlags}}

{{.LocalFlags.FlagUsagesWrapped 80 | trimTrailingWhitespaces}}{{end}}{{if .HasExample}}

{{.Example}}{{end}}
`

// flagError suggests the nearest flag.
func flagError(cmd *cobra.Command, err error) error {
	// With an unknown verb its flags are unknown, too: the verb is wrong.
	if words := cmd.Flags().Args(); cmd.Parent() == nil && len(words) > 0 {
		return unknownVerb(cmd, words[0])
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1 {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := plan.Nearest(unknown.GetSpecifiedName(), names); near != "" {
			return usagef("unknown flag: --%s; did you mean --%s?", unknown.GetSpecifiedName(), near)
		}
	}
	return usagef("%w; see '%s -h'", err, cmd.CommandPath())
}

// otherNames are words for verbs that other tools use.
var otherNames = map[string]string{
	"tput": "thr", "bandwidth": "thr", "ping": "lat", "rtt": "lat", "capacity": "curve", "receive": "recv", "pull": "recv", "sub": "recv",
	"push": "send", "pub": "send", "serve": "echo", "diff": "compare", "benchstat": "compare", "html": "report", "demo": "quick",
}

func unknownVerb(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(append(names, c.Name()), c.Aliases...)
		}
	}
	near := otherNames[name]
	if near == "" {
		near = plan.Nearest(name, names)
	}
	if near != "" {
		return usagef("unknown verb %q; did you mean %q?", name, near)
	}
	return usagef("unknown verb %q; run zbench without arguments for the list", name)
}

// noArguments is the Args of verbs without arguments.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("unexpected argument %q; see '%s -h'", args[0], cmd.CommandPath())
	}
	return nil
}

func printIntro(w io.Writer) {
	fmt.Fprintf(w, "zbench %s, load and latency tool for ZeroMQ\n%s", machine.Version(), intro)
}

// printVersion names what zbench is and runs on. Help works without libzmq.
func printVersion(w io.Writer) {
	libzmq := "libzmq not found"
	if major, minor, patch := zmq.Version(); major > 0 {
		libzmq = fmt.Sprintf("libzmq %d.%d.%d", major, minor, patch)
	}
	fmt.Fprintf(w, "zbench %s (%s, %s)\n", machine.Version(), runtime.Version(), libzmq)
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the versions of zbench, Go and libzmq", Args: noArguments,
		Run: func(cmd *cobra.Command, _ []string) { printVersion(cmd.OutOrStdout()) },
	}
}
