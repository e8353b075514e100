package load

import (
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// timeline has the latencies of the intervals of a run, in microseconds.
type timeline struct {
	step  time.Duration
	start time.Duration // of the first message; 0: none came
	parts []*hdr.Histogram
}

const (
	mostMoments = 30
	leastMoment = 100 * time.Millisecond
	// mostTimelines bounds the memory: a timeline takes up to 600 KiB.
	mostTimelines = 16
)

// newBrief returns a histogram of microseconds with two digits, which is small.
func newBrief() *hdr.Histogram { return hdr.New(1, int64(time.Minute/time.Microsecond), 2) }

func observeBrief(h *hdr.Histogram, took time.Duration) {
	_ = h.RecordValue(min(max(int64(took/time.Microsecond), 1), int64(time.Minute/time.Microsecond)))
}

// newTimeline allocates all memory of a timeline, before anything is measured.
func newTimeline(duration time.Duration, clients int) timeline {
	n := int(min(mostMoments, duration/leastMoment))
	if n < 2 || clients > mostTimelines {
		return timeline{}
	}
	t := timeline{step: duration / time.Duration(n)}
	for range n {
		t.parts = append(t.parts, newBrief())
	}
	return t
}

// observe notes a latency. Messages belong to the interval in which they began.
func (t *timeline) observe(began, took time.Duration) {
	if len(t.parts) == 0 {
		return
	}
	if t.start == 0 {
		t.start = began
	}
	i := min(max(int((began-t.start)/t.step), 0), len(t.parts)-1)
	observeBrief(t.parts[i], took)
}

// merge returns the moments of the clients together. There is at least one client.
func merge(all []timeline) (moments []record.Moment) {
	for i, sum := range all[0].parts {
		for _, other := range all[1:] {
			sum.Merge(other.parts[i])
		}
		if sum.TotalCount() > 0 {
			ns := func(us int64) int64 { return us * int64(time.Microsecond) }
			moments = append(moments, record.Moment{
				At:  time.Duration(i+1) * all[0].step,
				P50: ns(record.ValueAt(sum, 50)), P99: ns(record.ValueAt(sum, 99)), Max: ns(sum.Max()),
			})
		}
	}
	return moments
}
