package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/result"
)

// quickTime is how long quick measures.
const quickTime = 10 * time.Second

func newQuick() *cobra.Command {
	return &cobra.Command{
		Use: "quick", Short: "a 10-second tour: throughput compared with C, and a round trip", Args: noArguments,
		Long: wrap(`Measures ROUTER to ROUTER over tcp, at 64 B and 1 KiB: blocking, a message per
call, and batch, many messages per call. A ROUTER sends and receives an address with
each message, so that this is the pattern with the most work for a binding. Beside
blocking is the same loop in C on the same libzmq; C has no calls for batches. Then
it measures a round trip of 64 B.`, ""),
		RunE: stoppable(runQuick),
	}
}

// quickCells are the cells of the tour.
func quickCells() (cells []record.Cell) {
	for _, size := range []int{64, 1024} {
		for _, mode := range []string{"blocking", "batch"} {
			for _, impl := range []string{"go", "c"} {
				if impl == "c" && mode == "batch" {
					continue // it has no such calls
				}
				cells = append(cells, record.Cell{Verb: record.Thr, Pattern: "routerrouter", Transport: "tcp", Size: size, Mode: mode, Impl: impl})
			}
		}
	}
	return append(cells, record.Cell{Verb: record.Lat, Pattern: "reqrep", Transport: "tcp", Size: 64, Impl: "go"})
}

func runQuick(cmd *cobra.Command) error {
	info, err := machine.Look()
	if err != nil {
		return err
	}
	out, bar := cmd.OutOrStdout(), newProgress(cmd.ErrOrStderr())
	printInfo(out, info, false)
	cells := quickCells()
	fmt.Fprintf(out, "%d cells, 2 runs each, about %v in all\n\n", len(cells), quickTime)
	var data record.Data
	r := load.Runner{
		Cells: slices.Clone(cells), Repeat: 2, Total: quickTime, Method: record.Method{Warmup: 50 * time.Millisecond},
		Measure: load.Measure,
		Keep: func(r record.Run) error {
			data.Runs = append(data.Runs, r)
			if !r.Valid() && r.Invalid != record.Interrupted {
				return errors.New(r.Invalid)
			}
			return nil
		},
	}
	err = bar.during(quickTime, func(tell func(string)) error {
		r.Progress = tell
		return r.Run(cmd.Context())
	})
	if err != nil {
		return err
	}
	all, err := data.Summaries()
	if err != nil {
		return err
	}
	table, trip := quickTables(cells, all)
	noise, _, _ := strings.Cut(result.Noise(all), ";") // it has no --repeat to advise
	fmt.Fprintf(out, "%s\n%s\n%s\n", table.In("text"), trip, noise)
	return nil
}

// quickTables returns the table of throughput, and a line for the round trip.
func quickTables(cells []record.Cell, all []record.Summary) (t result.Table, trip string) {
	t = result.Table{Title: "ROUTER to ROUTER over tcp, the pattern with the most work for a binding", Words: 2, Head: []string{"size", "api", "msg/s", "ns/msg", "allocs/msg", "C msg/s", "% of C"}}
	of := map[record.Cell]record.Summary{}
	for _, s := range all {
		of[s.Cell] = s
	}
	figures := map[record.Cell]float64{} // of C
	for c, s := range of {
		if v, ok := s.Figure("msg/s"); ok && c.Impl == "c" {
			figures[c] = v
		}
	}
	figure := func(c record.Cell, unit string) float64 {
		s := of[c]
		v, _ := s.Figure(unit)
		return v
	}
	for _, c := range cells {
		if c.Impl != "go" || c.Verb != record.Thr {
			continue
		}
		inC := c
		inC.Impl = "c"
		rate, share, rateOfC := figure(c, "msg/s"), "", ""
		if of, ok := figures[inC]; ok {
			rateOfC = record.Number(of)
			share = fmt.Sprintf("%.0f %%", 100*rate/of)
		}
		t.Rows = append(t.Rows, []string{
			fmt.Sprint(c.Size), c.Mode, record.Number(rate), fmt.Sprintf("%.0f", 1e9/rate),
			fmt.Sprintf("%.2f", figure(c, "allocs/msg")), rateOfC, share,
		})
	}
	t.Notes = []string{"% of C: the same loop in C on the same libzmq is 100 %."}
	last := cells[len(cells)-1]
	trip = fmt.Sprintf("Round trip, REQ to REP over tcp, 64 B: p50 %s, p99 %s", record.Duration(figure(last, "p50-ns")), record.Duration(figure(last, "p99-ns")))
	return t, trip
}
