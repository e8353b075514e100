package cli

import (
	"fmt"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/metrics"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/table"
)

// metrics serves what is measured while it is.
func (m *measurement) metrics() (*metrics.Server, error) {
	server, err := metrics.Serve(m.plan.MetricsAddr, metrics.Run{
		Labels: map[string]string{"verb": m.plan.Verb, "plan": m.id},
		Each: func() (all []metrics.Sample) {
			for _, s := range m.live.Seen() {
				all = append(all, metrics.Sample{
					Cell: s.Cell.String(), Pattern: s.Cell.Pattern, Offered: s.Cell.Rate, Began: s.Began,
					Messages: s.Messages, Bytes: s.Bytes, Lost: s.Lost, Doubled: s.Doubled, Latency: s.Latency,
				})
			}
			return all
		},
	})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(m.cmd.ErrOrStderr(), "zbench: metrics on http://%s/metrics\n", server.Addr())
	return server, nil
}

// scrutinize looks, with --strict, for what makes the numbers doubtful.
func (m *measurement) scrutinize() error {
	if !m.plan.Strict {
		return nil
	}
	summaries, err := m.data.Summaries()
	m.outcome.noisy = table.Noise(summaries)
	return err
}
