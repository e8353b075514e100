package record

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// Percentiles are those that results show. Every percentile of several runs or hosts is
// that of their merged histogram: a median of percentiles may lie outside all of them.
var Percentiles = []float64{50, 90, 99, 99.9, 99.99}

// PercentileName returns a percentile's name: "p99.9".
func PercentileName(p float64) string { return "p" + strconv.FormatFloat(p, 'f', -1, 64) }

// parsePercentile parses the unit of a figure.
func parsePercentile(unit string) (p float64, ok bool) {
	name, isTime := strings.CutSuffix(unit, "-ns")
	number, isPercentile := strings.CutPrefix(name, "p")
	p, err := strconv.ParseFloat(number, 64)
	return p, isTime && isPercentile && err == nil && p >= 0 && p <= 100
}

// Samples returns how many values a figure needs: a percentile of fewer is the maximum.
func Samples(unit string) int64 {
	if p, ok := parsePercentile(unit); ok && p < 100 {
		return int64(math.Ceil(100/(100-p) - 1e-6))
	}
	return 1
}

// The range of every histogram, in nanoseconds, and its digits: about 216 KiB.
const (
	lowest, highest = 1, int64(time.Minute)
	digits          = 3
)

// NewHistogram returns a histogram of nanoseconds up to a minute. It is for one
// goroutine at a time.
func NewHistogram() *hdr.Histogram { return hdr.New(lowest, highest, digits) }

// ValueAt returns a percentile: the least value that is not less than p percent of all,
// which are ceil(p n / 100) values. Rounded otherwise, as hdrhistogram does, a percentile of
// merged histograms can lie outside those of its parts.
func ValueAt(h *hdr.Histogram, p float64) int64 {
	const unit = 1_000_000 // of a percent
	n := h.TotalCount()
	if n == 0 {
		return 0
	}
	rank := (int64(math.Round(p*unit))*n + 100*unit - 1) / (100 * unit)
	return h.ValueAtPercentile(100 * float64(rank) / float64(n))
}

// Observe records a duration. One outside the range counts as the nearest in it.
func Observe(h *hdr.Histogram, d time.Duration) {
	// It has no error within the range.
	_ = h.RecordValue(min(max(int64(d), lowest), highest))
}

// Latency is a distribution of durations in nanoseconds. HDR has all of it; the other
// fields are for programs that only read the JSON.
type Latency struct {
	Count int64            `json:"count"`
	Min   int64            `json:"min"`
	Mean  float64          `json:"mean"`
	Max   int64            `json:"max"`
	P     map[string]int64 `json:"p"` // by the percentile's number: "99.9"

	// HDR is a HdrHistogram in its V2 compressed form, in base64.
	HDR string `json:"hdr"`
}

// NewLatency returns what h has recorded; nil if that is nothing.
func NewLatency(h *hdr.Histogram) (*Latency, error) {
	if h == nil || h.TotalCount() == 0 {
		return nil, nil
	}
	encoded, err := h.EncodeV2()
	if err != nil {
		return nil, fmt.Errorf("cannot encode a histogram: %w", err)
	}
	l := &Latency{
		Count: h.TotalCount(), Min: h.Min(), Mean: h.Mean(), Max: h.Max(),
		P: map[string]int64{}, HDR: string(encoded),
	}
	for _, p := range Percentiles {
		l.P[strconv.FormatFloat(p, 'f', -1, 64)] = ValueAt(h, p)
	}
	return l, nil
}

// Percentile returns any percentile, in nanoseconds. One that is not in P comes from the
// histogram, and is 0 if that is damaged.
func (l *Latency) Percentile(p float64) float64 {
	if v, ok := l.P[strconv.FormatFloat(p, 'f', -1, 64)]; ok {
		return float64(v)
	}
	h, err := l.Histogram()
	if err != nil {
		return 0
	}
	return float64(ValueAt(h, p))
}

// Histogram returns the whole distribution.
func (l *Latency) Histogram() (*hdr.Histogram, error) {
	h, err := hdr.Decode([]byte(l.HDR))
	if err != nil {
		return nil, fmt.Errorf("cannot read the histogram of a record: %w", err)
	}
	return h, nil
}

// Merge returns the latencies of several runs as one distribution, by name.
func Merge(runs []Run) (map[string]*Latency, error) {
	merged := map[string]*hdr.Histogram{}
	for _, r := range runs {
		for name, l := range r.Latency {
			h, err := l.Histogram()
			if err != nil {
				return nil, err
			}
			if merged[name] == nil {
				merged[name] = NewHistogram()
			}
			merged[name].Merge(h)
		}
	}
	all := map[string]*Latency{}
	for name, h := range merged {
		l, err := NewLatency(h)
		if err != nil {
			return nil, err
		}
		if l != nil {
			all[name] = l
		}
	}
	return all, nil
}
