package quick

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/go-zmq/go-zmq/internal/workload"
)

// wide is the spread of a cell's repeats above which it is called noisy.
const wide = 0.25

// Text writes the cells as a table, Go's with C's beside them.
func Text(w io.Writer, p Plan, cells []Cell) {
	fmt.Fprintf(w, "ROUTER -> ROUTER over tcp loopback, median of %d\n\n", p.Repeat)
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Options.SeparateColumns = false
	t.Style().Options.DrawBorder = false
	t.AppendHeader(table.Row{"mode", "size", "msg/s", "GB/s", "ns/msg", "allocs/msg", "C ns/msg", "% of C"})
	var right []table.ColumnConfig
	for column := 2; column <= 8; column++ {
		right = append(right, table.ColumnConfig{Number: column, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(right)
	noisy, stalls := 0, 0
	size, ahead := 0, false
	for i, c := range cells {
		stalls += c.Stalls
		if c.Spread() > wide {
			noisy++
		}
		if c.Spec.Impl != workload.Go {
			continue
		}
		if size != 0 && size != c.Spec.Size {
			t.AppendSeparator()
		}
		size = c.Spec.Size
		ahead = ahead || c.Spec.Mode == workload.ReadAhead
		floor := cells[i+1]
		t.AppendRow(table.Row{
			c.Spec.Mode, size, rate(c.Rate()),
			fmt.Sprintf("%.3f", c.GB()),
			fmt.Sprintf("%.0f", c.NsPerMessage()),
			fmt.Sprintf("%.3f", c.Median(workload.Result.AllocsPerMessage)),
			fmt.Sprintf("%.0f", floor.NsPerMessage()),
			fmt.Sprintf("%.0f %%", percentOfC(c, floor)),
		})
	}
	t.Render()
	fmt.Fprintln(w, "\n% of C: the speed of this binding, where 100 is the same loop in C on the same libzmq.")
	if ahead {
		fmt.Fprintln(w, "readahead: C has no such mode, so its batch loop stands there.")
	}
	if noisy > 0 {
		fmt.Fprintf(w, "! %d of %d cells: repeats lie more than %.0f %% apart; stop other programs or use more --repeat\n", noisy, len(cells), 100*wide)
	}
	if stalls > 0 {
		fmt.Fprintf(w, "! runs that stood still for 100 ms or more: %d (see BENCHMARKS.md); the medians leave them out\n", stalls)
	}
}

func percentOfC(c, floor Cell) float64 {
	return 100 * (floor.NsPerMessage() / c.NsPerMessage())
}

func rate(perSecond float64) string {
	switch {
	case perSecond >= 1e6:
		return fmt.Sprintf("%.2f M", perSecond/1e6)
	case perSecond >= 1e3:
		return fmt.Sprintf("%.1f k", perSecond/1e3)
	}
	return fmt.Sprintf("%.0f", perSecond)
}
