package load

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Connections are measured with each handshake, until their first reply, and what one takes.
func TestChurn(t *testing.T) { // not parallel: memory and descriptors are the process's
	for _, security := range []string{"", "plain", "curve"} {
		t.Run(security, func(t *testing.T) {
			cell := record.Cell{Verb: record.Churn, Pattern: "dealerrouter", Transport: "tcp", Size: 64, Impl: "go", Security: security}
			r, err := Measure(t.Context(), cell, record.Method{Warmup: 20 * time.Millisecond, Duration: 200 * time.Millisecond}, NewTally(cell))
			require.NoError(t, err)
			require.Positive(t, r.Messages)
			require.Equal(t, r.Messages, r.Main().Count)
			require.Positive(t, r.Elapsed)
			require.GreaterOrEqual(t, r.ConnFiles, 2.0, "a descriptor at each end")
		})
	}
}
