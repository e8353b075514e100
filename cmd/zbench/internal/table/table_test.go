package table_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/table"
)

func thr(impl string, ns ...time.Duration) record.Summary {
	c := record.Cell{Verb: record.Thr, Pattern: "pushpull", Transport: "tcp", Size: 64, Mode: "batch", Impl: impl}
	s := record.Summary{Cell: c}
	for _, d := range ns {
		s.Runs = append(s.Runs, record.Run{Cell: c, Messages: 1000, Bytes: 64_000, Elapsed: 1000 * d})
	}
	return s
}

func floor(c record.Cell) (record.Cell, bool) {
	c.Impl = "c"
	return c, true
}

func TestThroughput(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	p := table.Printer{W: &b, Floor: floor}
	noisy := thr("go", 490, 500, 500, 500, 510, 700)
	noisy.Runs[3].Warnings = []string{"the host took 3.0 % of the processors' time"}
	p.Results([]record.Summary{noisy, thr("c", 250, 250, 250, 250, 250, 250)})
	require.Equal(t, `Throughput, one way at full speed: median of 6 runs

 PATTERN   TRANSPORT  API    SIZE   MSG/S       ±   GB/S  NS/MSG  CPU NS/MSG  ALLOCS/MSG  CGO/MSG  % OF C 
──────────────────────────────────────────────────────────────────────────────────────────────────────────
 pushpull  tcp        batch    64  2.00 M  ! 40 %  0.128     500           0       0.000    0.000    50 % 

% of C: the speed of this binding, where 100 is the same loop in C on the same libzmq.
±: confidence interval of the median, 95 %
! 1 of 2 cells: the interval is wider than ± 10 %; stop other programs or use more --repeat
! thr pushpull tcp 64 batch: 1 of 6 runs were disturbed: the host took 3.0 % of the processors' time
`, b.String())

	b.Reset()
	p = table.Printer{W: &b, Markdown: true, Quiet: true}
	p.Results([]record.Summary{thr("go", 500)})
	require.Contains(t, b.String(), "| pushpull | tcp | batch | 64 | 2.00 M | - | 0.128 |")
	require.NotContains(t, b.String(), "median")

	// A mode and a strategy have the same name.
	b.Reset()
	batch, copying := thr("go", 500), thr("go", 500)
	copying.Cell.Mode, copying.Cell.Strategy = "", "batch"
	p.Results([]record.Summary{batch, copying})
	require.Contains(t, b.String(), "| tcp | batch | 64 |")
	require.Contains(t, b.String(), "| tcp | batchcopy | 64 |")
}

func open(t *testing.T, rate float64, saturated bool, latency time.Duration) record.Summary {
	t.Helper()
	h := record.NewHistogram()
	record.Observe(h, latency)
	l, err := record.NewLatency(h)
	require.NoError(t, err)
	c := record.Cell{Verb: record.Lat, Pattern: "dealerrouter", Transport: "tcp", Size: 64, Impl: "go", Rate: rate, Arrivals: "uniform"}
	r := record.Run{
		Cell: c, Messages: 1000, Elapsed: time.Second, Due: 1000, Planned: time.Second, Saturated: saturated, Method: record.Method{Duration: time.Second},
		Latency: map[string]*record.Latency{record.Due: l, record.Sent: l},
	}
	if saturated {
		r.Due = 2000
	}
	s, err := record.Summarize(c, []record.Run{r})
	require.NoError(t, err)
	return s
}

func TestOpenLoop(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	p := table.Printer{W: &b}
	p.Results([]record.Summary{open(t, 1000, false, time.Millisecond)})
	require.Contains(t, b.String(), "dealerrouter over tcp, 64 B: offered 1000 msg/s (uniform), achieved 100.0 %; 1 run together")
	require.Regexp(t, `(?m)^ due +1\.00 ms .*<- report this *$`, b.String())
	require.Regexp(t, `(?m)^ sent +1\.00 ms `, b.String())

	b.Reset()
	p.Results([]record.Summary{open(t, 1000, true, time.Millisecond)})
	require.Contains(t, b.String(), "SATURATED: 50.0 % of the load went through in time")
	require.NotContains(t, b.String(), " due ", "no percentiles of a queue that grows")
}

func TestLoadCurveTable(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	p := table.Printer{W: &b}
	failed := open(t, 4000, false, time.Millisecond)
	failed.Invalid, failed.Runs, failed.Latency = failed.Runs, nil, nil
	failed.Invalid[0].Invalid = "a socket broke"
	p.Curve([]record.Summary{
		open(t, 1000, false, 100*time.Microsecond), open(t, 2000, false, 10*time.Millisecond), open(t, 3000, true, time.Second), failed,
	}, func(s *record.Summary) bool { return s.Cell.Rate < 1500 })
	rows := strings.Split(b.String(), "\n")
	require.Regexp(t, `^  1\.00 k   100\.0 %   100 µs   100 µs   100 µs   100 µs  █{10} +$`, rows[4])
	require.Regexp(t, `^  2\.00 k   100\.0 %  10\.0 ms  .*█{20}  <- missed +$`, rows[5])
	require.Regexp(t, `^  3\.00 k    50\.0 %  +SATURATED +$`, rows[6])
	require.Regexp(t, `^  4\.00 k    failed  +a socket broke +$`, rows[7])
}

func TestTook(t *testing.T) {
	t.Parallel()
	require.Equal(t, "1.2s", table.Took(1234*time.Millisecond))
	require.Equal(t, "1m1s", table.Took(61*time.Second+300*time.Millisecond))
}
