package pace_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
)

// BenchmarkPacer measures how late the pacer alone is, at 100,000 messages per second that
// are not sent. An iteration is a message. The lateness that zbench shows beside latencies
// includes the sending, and the other users of the processors.
func BenchmarkPacer(b *testing.B) {
	const rate = 100_000
	for _, c := range []struct {
		name    string
		spin    bool
		prepare func() func()
	}{
		{"spin", true, pace.Precise},
		{"sleep", false, pace.Precise},
	} {
		b.Run("pace="+c.name, func(b *testing.B) {
			schedule, err := pace.New(pace.Uniform, rate, 0)
			if err != nil {
				b.Fatal(err)
			}
			late := make([]time.Duration, 0, b.N)
			clock := pace.Real{Spin: c.spin}
			undo := c.prepare()
			p := pace.Pacer{Clock: clock, Schedule: schedule, Start: clock.Now(), Limit: int64(b.N)}
			_, err = p.Run(context.Background(), func(due, now time.Duration) error {
				late = append(late, now-due)
				return nil
			})
			undo()
			if err != nil {
				b.Fatal(err)
			}
			slices.Sort(late)
			for _, q := range []struct {
				unit string
				part float64
			}{{"p50-ns", 0.5}, {"p99-ns", 0.99}, {"p99.9-ns", 0.999}, {"max-ns", 1}} {
				b.ReportMetric(float64(late[int(q.part*float64(len(late)-1))]), q.unit)
			}
		})
	}
}
