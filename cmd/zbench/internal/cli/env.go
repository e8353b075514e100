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
)

func runEnv(cmd *cobra.Command, asJSON bool) error {
	info, err := machine.Look()
	if err != nil {
		return err
	}
	late, clock := timing(cmd.Context())
	if asJSON {
		return record.NewWriter(cmd.OutOrStdout()).Env(judged(info, late, clock))
	}
	printEnv(cmd.OutOrStdout(), info, late, clock)
	return nil
}

// watch is how long the machine is observed.
const watch = 500 * time.Millisecond

// timing returns how late a sleeping thread wakes up, and the cost of reading the clock.
func timing(ctx context.Context) (late *hdr.Histogram, clock time.Duration) {
	const reads = 100_000
	begin := time.Now()
	for range reads {
		pace.Now()
	}
	clock = time.Since(begin) / reads
	meter := pace.StartHiccups()
	select {
	case <-time.After(watch):
	case <-ctx.Done():
	}
	return meter.Stop(), clock
}

// judged returns the record of an environment, with what the text has.
func judged(i machine.Info, late *hdr.Histogram, clock time.Duration) record.Env {
	e := record.NewEnv(i)
	at := func(p float64) time.Duration { return time.Duration(late.ValueAtPercentile(p)) }
	e.Timing = &record.Timing{Clock: clock, Late50: at(50), Late99: at(99), LateMax: at(100)}
	verdict, doubts := i.Judge(at(100))
	e.Verdict, e.Doubts = verdict, nil
	for _, d := range doubts {
		e.Doubts = append(e.Doubts, d.String())
	}
	return e
}

func printEnv(w io.Writer, i machine.Info, late *hdr.Histogram, clock time.Duration) {
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
	row("clock", record.Duration(float64(clock))+" per reading")
	at := func(p float64) string { return record.Duration(float64(late.ValueAtPercentile(p))) }
	row("sleep", fmt.Sprintf("of 1 ms is late by %s (p50), %s (p99), %s (max)", at(50), at(99), at(100)))
	verdict, doubts := i.Judge(time.Duration(late.Max()))
	for _, doubt := range doubts {
		fmt.Fprintln(w, "!", doubt)
	}
	row("verdict", verdict)
}
