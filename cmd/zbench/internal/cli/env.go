package cli

import (
	"fmt"
	"io"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/spf13/cobra"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

func runEnv(cmd *cobra.Command) error {
	info, err := machine.Look()
	if err != nil {
		return err
	}
	meter := pace.StartHiccups(pace.Nap)
	time.Sleep(watch)
	printEnv(cmd.OutOrStdout(), info, meter.Stop())
	return nil
}

// watch is how long the machine is observed.
const watch = 500 * time.Millisecond

// printEnv writes what env shows. late is how late a sleeping thread wakes up.
func printEnv(w io.Writer, i machine.Info, late *hdr.Histogram) {
	row := func(name, value string) { fmt.Fprintf(w, "%-13s %s\n", name, value) }
	for _, r := range i.Rows() {
		row(r[0], r[1])
	}
	at := func(p float64) string { return record.Duration(float64(late.ValueAtPercentile(p))) }
	row("sleep", fmt.Sprintf("of 1 ms is late by %s (p50), %s (p99), %s (max)", at(50), at(99), at(100)))
	verdict, doubts := i.Judge(time.Duration(late.Max()))
	for _, doubt := range doubts {
		fmt.Fprintln(w, "!", doubt)
	}
	row("verdict", string(verdict))
}
