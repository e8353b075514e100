package report_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/report"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// Whatever was measured, and however little of it, there is a report.
func FuzzReport(f *testing.F) {
	f.Add("BenchmarkReceive/pattern=pushpull/transport=tcp/size=64/mode=blocking/impl=go 1 5 ns/msg\nBenchmarkReceive/pattern=pushpull/transport=tcp/size=64/mode=blocking/impl=c 1 5 ns/op\n")
	f.Add("BenchmarkRoundTrip/transport=tcp/size=64/impl=go 1 5 B/op\nBenchmarkRoundTrip/transport=tcp/size=64/impl=c 1 5 B/op\n")
	f.Add("BenchmarkLatency/impl=go 1 5 p50-ns 0 p99-ns 7 p100-ns 8 px-ns\nBenchmarkOpenLoop/rate=0/impl=go 1 5 p50-ns\n")
	f.Add(`{"schema":"zbench/1","kind":"run","cell":{"verb":"lat","rate":5},"latency":{"due":{"count":1,"hdr":"x"}}}` + "\n")
	f.Add(`{"schema":"zbench/1","kind":"run","latency":{"":{}}}` + "\n")
	f.Add(`{"schema":"zbench/1","kind":"run","cell":{"verb":"thr"},"messages":-1,"elapsed_ns":-5}` + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := series.Load([]string{"-"}, strings.NewReader(text))
		if err != nil {
			return
		}
		for _, format := range []string{"text", "md", "csv"} {
			require.NotEmpty(t, report.Render(d, format))
		}
		require.NoError(t, d.WriteBench(io.Discard))
		page, err := report.HTML(d)
		require.NoError(t, err)
		require.Contains(t, string(page), "</html>")
	})
}
