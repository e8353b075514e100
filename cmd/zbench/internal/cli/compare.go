package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/compare"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

const compareLong = `Says what changed between two results, whether that is more than chance, and whether
it is for the better. A result is a file of zbench's records or of go test -bench
output, or a directory that has one; a list separated by commas is one result.

It compares medians with the Mann-Whitney test, as benchstat does, and corrects for
how many benchmarks there are (Holm): of all changes that it reports one in twenty
times one is chance. Six runs on each side give a confidence interval, four are the
least that can show a change at all, and with many benchmarks it takes more: ten.

--fail-on UNIT:±N% makes the exit code 99 when a unit got worse, significantly and by
more than N percent. Results of different machines are refused, as are those that have
runs of several, instrumented builds and results without a benchmark in common.`

// errGate is what compare fails with when a gate is broken.
var errGate = errors.New("a --fail-on limit is passed")

func newCompare() *cobra.Command {
	var gates []string
	var o compare.Options
	format, all := "text", false
	choices := []string{"text", "md", "csv", "html"}
	cmd := &cobra.Command{
		Use:   "compare OLD NEW",
		Short: "what changed between two results, and is it noise?",
		Long:  compareLong,
		Example: `  zbench compare results/main results/branch
  zbench compare old.txt new.txt --fail-on 'msg/s:-5%' --fail-on 'allocs/op:+0'
  zbench compare results/main results/branch --format md
  zbench compare results/main results/branch --format html > comparison.html`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var wrong []error
			if len(args) != 2 {
				wrong = append(wrong, fmt.Errorf("%d results: name two, the old and the new", len(args)))
			}
			if !slices.Contains(choices, format) {
				wrong = append(wrong, fmt.Errorf("--format %q: use one of %s", format, strings.Join(choices, ", ")))
			}
			for _, text := range gates {
				g, err := compare.ParseGate(text)
				wrong = append(wrong, err)
				o.Gates = append(o.Gates, g)
			}
			if err := errors.Join(wrong...); err != nil {
				return usageError{err}
			}
			return runCompare(cmd, args, o, format, all)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&gates, "fail-on", nil, "exit with 99 when `UNIT:±N%` is passed, such as 'msg/s:-5%'; may be repeated")
	flags.StringVar(&format, "format", format, "what is printed: "+strings.Join(choices, ", "))
	flags.BoolVar(&all, "all", false, "list what did not change, too; html does always")
	flags.BoolVar(&o.CrossMachine, "cross-machine", false, "show results of different machines, without verdicts")
	flags.BoolVar(&o.AllowPartial, "allow-partial", false, "take results of which runs failed or are missing")
	completeWords(cmd, map[string][]string{"format": choices})
	return cmd
}

func runCompare(cmd *cobra.Command, args []string, o compare.Options, format string, all bool) error {
	if args[0] == "-" && args[1] == "-" {
		return usagef("standard input is there twice: it can be read once")
	}
	var sets [2]*series.Set
	for i, arg := range args {
		var err error
		if sets[i], err = series.Load(strings.Split(arg, ","), cmd.InOrStdin()); err != nil {
			return err
		}
	}
	r, err := compare.Compare(sets[0], sets[1], o)
	if refused := (compare.RefusedError{}); errors.As(err, &refused) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	text := []byte(nil)
	if format == "html" {
		if text, err = r.HTML(sets[0], sets[1]); err != nil {
			return err
		}
	} else {
		text = []byte(r.Render(format, all))
	}
	if _, err := cmd.OutOrStdout().Write(text); err != nil {
		return err
	}
	if n := len(r.Failed()); n > 0 {
		return fmt.Errorf("%d of %d changes: %w", n, len(r.Changes), errGate)
	}
	return nil
}
