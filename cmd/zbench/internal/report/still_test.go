package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A result of one run or two cannot say that a run of it stood still; that it took 200 ms
// more than the others do shows it.
func TestStoodStill(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for run := range 10 {
		for _, impl := range []string{"go", "c"} {
			ms, said := 60.0+float64(run), 0
			switch {
			case impl == "c" && run == 0:
				ms = 260 // a run
			case impl == "c" && run == 1:
				said = 1
			}
			iterations := 1
			if impl == "c" && run == 2 {
				iterations, ms = 2, 160 // one of two, by 200 ms
			}
			if impl == "c" && run == 3 {
				iterations, ms = 3, 120 // the one in the middle, by less than 100 ms
			}
			fmt.Fprintf(&b, "BenchmarkReceive/pattern=pushpull/transport=tcp/size=64/mode=batch/impl=%s-2\t%d\t%g ns/op\t%g ns/msg\t1e5 msg/op\t%d stalls/op\n",
				impl, iterations, ms*1e6, ms*10, said)
			fmt.Fprintf(&b, "BenchmarkStrategy/pattern=pushpull/transport=tcp/size=64/strategy=copy/impl=%s-2\t%d\t%g ns/op\t%g ns/msg\t1e5 msg/op\t%d stalls/op\n",
				impl, iterations, ms*1e6, ms*10, said)
		}
	}
	d := load(t, b.String())
	require.Contains(t, named(t, d, "pushpull"), "Results in which a run stood still for 100 ms or more: 0 of Go's 10, 3 of C's 10.")
	require.Contains(t, named(t, d, "strategies-pushpull"), "Results in which a run stood still for 100 ms or more: 3 of 20.")
}
