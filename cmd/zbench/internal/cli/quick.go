package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/quick"
)

const quickLong = `Measures ROUTER to ROUTER over tcp loopback, in each of five modes at a few
sizes, and the same loops in C on the same libzmq beside them:

  blocking   every receive waits for its message
  batch      one receive waits and takes all that is there, in one call; the sender
             sends batches
  readahead  every receive waits for its message, on a socket that takes many at
             once; the sender sends batches
  sleep      no receive waits; when nothing is there, 1 ms of sleep
  poll       a wait for readability, then what is there is taken without waiting

C has no calls for batches. Beside both batch and readahead stands its loop of one
receive that waits, then others that do not until nothing is left.

Each repeat measures all cells once. BENCHMARKS.md says how to read the table.`

func newQuick() *cobra.Command {
	plan := quick.DefaultPlan()
	asJSON := false
	cmd := &cobra.Command{
		Use:   "quick",
		Short: "a short tour: five ways to receive, beside the same loops in C",
		Long:  quickLong,
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := plan.Validate(); err != nil {
				return usageError{err}
			}
			return runQuick(cmd, plan, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.Var((*sizes)(&plan.Sizes), "sizes", "payload sizes: bytes, or with KiB or MiB")
	flags.IntVar(&plan.Messages, "messages", 0, "messages of a run; 0: 10000, or fewer where they would be more than 64 MiB")
	flags.IntVar(&plan.Repeat, "repeat", plan.Repeat, "how often everything is measured")
	flags.BoolVar(&asJSON, "json", false, "print JSON lines instead of a table")
	return cmd
}

func runQuick(cmd *cobra.Command, plan quick.Plan, asJSON bool) error {
	info, err := machine.Look()
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if !asJSON {
		printInfo(out, info)
		fmt.Fprintln(out)
	}
	progress, done := progressLine(cmd.ErrOrStderr())
	cells, err := quick.Run(cmd.Context(), plan, progress)
	done()
	if err != nil {
		return err
	}
	if asJSON {
		return quick.JSON(out, info, cells)
	}
	quick.Text(out, plan, cells)
	return nil
}

// printInfo writes the line that heads every table, and the doubts.
func printInfo(w io.Writer, i machine.Info) {
	fmt.Fprintf(w, "zbench %s · %s · libzmq %s (%s) · %s · %d cores · GOMAXPROCS %d\n",
		i.Zbench, i.Go, i.Libzmq, i.Library, i.CPU, i.Cores, i.GOMAXPROCS)
	for _, doubt := range i.Doubts() {
		fmt.Fprintln(w, "!", doubt)
	}
}

// progressLine returns what shows progress on a terminal, twice a second, and
// what removes it. Elsewhere both do nothing: a log is no place for it.
func progressLine(w io.Writer) (show func(done, all int, what string), remove func()) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return func(int, int, string) {}, func() {}
	}
	var bar *progressbar.ProgressBar
	show = func(done, all int, what string) {
		if bar == nil {
			bar = progressbar.NewOptions(all, progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(20),
				progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true),
				progressbar.OptionThrottle(500*time.Millisecond), progressbar.OptionClearOnFinish())
		}
		bar.Describe(what)
		_ = bar.Set(done) // that a terminal cannot be written to is no reason to stop
	}
	return show, func() {
		if bar != nil {
			_ = bar.Clear()
		}
	}
}
