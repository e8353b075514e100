package table

import (
	"fmt"
	"io"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/slo"
)

// Agents writes, for each cell that was measured on many hosts, which agents were the
// slowest and the fastest, and how well their clocks are known.
func Agents(w io.Writer, d *record.Data) {
	for _, cell := range d.Cells() {
		all := d.Shares(cell)
		if len(all) == 0 {
			continue
		}
		line := "slowest " + share(all[0])
		if len(all) > 1 {
			line += ", fastest " + share(all[len(all)-1])
		}
		var worst, drift time.Duration
		for _, s := range all {
			worst, drift = max(worst, s.Clock), max(drift, s.Drift)
		}
		fmt.Fprintf(w, "%s: %s; clocks known to %v, moved by %v at most\n", cell, line, worst.Round(time.Microsecond), drift.Round(time.Microsecond))
	}
}

func share(s record.Share) string {
	if s.P99 > 0 {
		return fmt.Sprintf("%s p99 %s", s.Agent, slo.Duration(s.P99))
	}
	return fmt.Sprintf("%s %s msg/s", s.Agent, slo.Number(s.Rate))
}
