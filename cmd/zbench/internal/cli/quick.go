package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/quick"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/run"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/table"
	"github.com/go-zmq/go-zmq/internal/workload"
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

Each repeat measures all cells once. BENCHMARKS.md says how to read the table.

Then it measures round trips, REQ to REP with 64 bytes, over each transport.`

func newQuick() *cobra.Command {
	plan := quick.DefaultPlan()
	asJSON := false
	cmd := &cobra.Command{
		Use:   "quick",
		Short: "a short tour: five ways to receive, beside the same loops in C, and round trips",
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
	flags.IntVar(&plan.Messages, "messages", 0, fmt.Sprintf("messages of a run; 0: %d, or fewer where they would be more than %d MiB", workload.DefaultMessages, workload.DefaultBytes>>20))
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
	var trips []record.Run
	if err == nil {
		progress, done := progressLine(cmd.ErrOrStderr())
		trips, err = quickTrips(cmd.Context(), info, plan.Repeat, progress)
		done()
	}
	if err != nil {
		return err
	}
	if asJSON {
		return quick.JSON(out, info, cells, trips)
	}
	quick.Text(out, plan, cells)
	fmt.Fprintln(out)
	summaries, err := (&record.Data{Runs: trips}).Summaries()
	if err != nil {
		return err
	}
	(&table.Printer{W: out}).Results(summaries)
	return nil
}

// quickTrips measures round trips over each transport.
func quickTrips(ctx context.Context, info machine.Info, repeat int, show func(done, all int, what string)) (runs []record.Run, err error) {
	var cells []record.Cell
	for _, transport := range []string{"inproc", "ipc", "tcp"} {
		cells = append(cells, record.Cell{Verb: record.Lat, Pattern: "reqrep", Transport: transport, Size: 64, Impl: "go"})
	}
	r := run.Runner{
		Cells: cells, Repeat: repeat, Timeout: time.Minute,
		Method:  record.Method{Warmup: 50 * time.Millisecond, Duration: 200 * time.Millisecond},
		Measure: run.InProcess(info), Progress: show,
		Keep: func(r record.Run, _ record.Env) error {
			runs = append(runs, r)
			if !r.Valid() {
				return errors.New(r.Invalid)
			}
			return nil
		},
	}
	err = r.Run(ctx)
	return runs, err
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
