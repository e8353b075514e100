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
	err = bar.during(quickTime, &live{}, func(tell func(string)) error {
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
	tables := result.Tables(&data, all, false)
	noise, _, _ := strings.Cut(result.Noise(all), ";") // it has no --repeat to advise
	fmt.Fprintf(out, "%s%s\n\n%s%s\n", tables[0].In("text"), wrap(besideC(all), "  "), tables[1].In("text"), noise)
	return nil
}

// besideC says which share of the rate of C each cell of Go has that C has, too.
func besideC(all []record.Summary) string {
	var shares []string
	for _, s := range all {
		inC := s.Cell
		inC.Impl = "c"
		for _, c := range all {
			if c.Cell == inC && s.Cell != inC {
				a, _ := s.Figure("msg/s")
				b, _ := c.Figure("msg/s")
				shares = append(shares, fmt.Sprintf("%.0f %% at %d B", 100*a/b, inC.Size))
			}
		}
	}
	return "Blocking has " + strings.Join(shares, " and ") + " of the rate of the same loop in C; C has no calls for batches."
}
