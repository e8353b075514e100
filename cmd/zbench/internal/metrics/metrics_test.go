package metrics

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// The metrics have names and types by convention, and a histogram whose buckets are the
// same everywhere.
func TestServe(t *testing.T) {
	t.Parallel()
	h := record.NewHistogram()
	for _, d := range []time.Duration{time.Microsecond / 2, 3 * time.Microsecond, time.Millisecond, time.Minute} {
		record.Observe(h, d)
	}
	cell := record.Cell{Verb: record.Lat, Pattern: "reqrep", Transport: "tcp", Size: 64, Impl: "go", Rate: 1000, Arrivals: "uniform"}
	s, err := Serve("127.0.0.1:0", "lat", func() []load.State {
		return []load.State{{Cell: cell, Messages: 4, Bytes: 256, Lost: 1, Latency: h}}
	})
	require.NoError(t, err)
	get := func(path string) string {
		r, err := http.Get("http://" + s.Addr() + path)
		require.NoError(t, err)
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		return string(text)
	}
	text := get("/metrics")
	var own strings.Builder // without those of Go
	for line := range strings.Lines(text) {
		if strings.Contains(line, "zbench_") {
			own.WriteString(line)
		}
	}
	problems, err := promlint.New(strings.NewReader(own.String())).Lint()
	require.NoError(t, err)
	require.Empty(t, problems)
	const labels = `{cell="lat reqrep tcp 64 at 1000/s",pattern="reqrep",verb="lat"`
	for _, want := range []string{
		"# TYPE zbench_latency_seconds histogram", "zbench_messages_total" + labels + "} 4", "zbench_payload_bytes_total" + labels + "} 256",
		"zbench_messages_missing" + labels + "} 1", "zbench_offered_messages_per_second" + labels + "} 1000",
		"zbench_latency_seconds_bucket" + labels + `,le="1e-06"} 1`, "zbench_latency_seconds_bucket" + labels + `,le="5e-06"} 2`,
		"zbench_latency_seconds_bucket" + labels + `,le="10"} 3`, "zbench_latency_seconds_bucket" + labels + `,le="+Inf"} 4`, "zbench_latency_seconds_count" + labels + "} 4",
		"go_goroutines",
	} {
		require.Contains(t, text, want)
	}
	require.Contains(t, get("/debug/pprof/cmdline"), "metrics")
	require.NoError(t, s.Close())
	_, err = http.Get("http://" + s.Addr() + "/metrics")
	require.Error(t, err)
	_, err = Serve("203.0.113.1:1", "lat", nil)
	require.ErrorContains(t, err, "--metrics-addr: ")
}
