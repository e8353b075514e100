package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/spf13/cobra"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/slo"
)

func newEnv() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "env",
		Short: "what is measured with and on, and whether to trust the numbers",
		Long: `Prints the versions, the library and the machine, what makes absolute numbers from
it doubtful, and as its last line a verdict: ok, noisy (compare ratios only), or do
not publish from here. For half a second it looks how late a sleeping thread wakes
up and what a look at the clock costs. It names neither the host nor the user.

Of what explains numbers it has the processor's speed in MHz, turbo, SMT, caches and
mitigations, the processors that the process may run on, what control groups allow,
the clock source, transparent huge pages, swap, steal, GOGC, GOMEMLIMIT, and the
revision that zbench was built from. What the system does not tell is left out.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, err := machine.Look()
			if err != nil {
				return err
			}
			t := look(cmd.Context())
			if asJSON {
				return record.NewWriter(cmd.OutOrStdout()).Env(judged(info, t))
			}
			printEnv(cmd.OutOrStdout(), info, t)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a line of JSON")
	return cmd
}

// timing is how well the machine keeps time.
type timing struct {
	late  *hdr.Histogram // how much longer than 1 ms a thread slept
	clock time.Duration  // what a look at the clock costs
}

// watch is how long the machine is looked at, unless it is interrupted.
const watch = 500 * time.Millisecond

func look(ctx context.Context) timing {
	const looks = 100_000
	begin := time.Now()
	for range looks {
		pace.Now()
	}
	t := timing{clock: time.Since(begin) / looks}
	meter := pace.StartHiccups()
	select {
	case <-time.After(watch):
	case <-ctx.Done():
	}
	t.late = meter.Stop()
	return t
}

// judged returns all that the text has as a record.
func judged(i machine.Info, t timing) record.Env {
	e := record.NewEnv(i)
	late := func(p float64) time.Duration { return time.Duration(t.late.ValueAtPercentile(p)) }
	e.Timing = &record.Timing{Clock: t.clock, Late50: late(50), Late99: late(99), LateMax: late(100)}
	verdict, doubts := i.Judge(time.Duration(t.late.Max()))
	e.Verdict, e.Doubts = verdict, nil
	for _, d := range doubts {
		e.Doubts = append(e.Doubts, d.String())
	}
	return e
}

func printEnv(w io.Writer, i machine.Info, t timing) {
	row := func(name string, value any) { fmt.Fprintf(w, "%-13s %v\n", name, value) }
	row("zbench", i.Zbench)
	row("go", i.Go)
	row("libzmq", i.Libzmq)
	row("library", i.Library)
	row("capabilities", strings.Join(i.Capabilities, " "))
	row("system", i.System)
	row("cpu", i.CPU)
	row("cores", i.Cores)
	row("GOMAXPROCS", i.GOMAXPROCS)
	row("virtual", i.Virtual)
	if i.Governor != "" {
		row("governor", i.Governor)
	}
	row("load", i.Load)
	for _, r := range i.Rows() {
		row(r[0], r[1])
	}
	row("clock", fmt.Sprintf("%s a look", slo.Duration(float64(t.clock))))
	late := func(p float64) string { return slo.Duration(float64(t.late.ValueAtPercentile(p))) }
	row("sleep", fmt.Sprintf("of 1 ms is late by %s (p50), %s (p99), %s (max)", late(50), late(99), late(100)))
	verdict, doubts := i.Judge(time.Duration(t.late.Max()))
	for _, doubt := range doubts {
		fmt.Fprintln(w, "!", doubt)
	}
	row("verdict", verdict)
}
