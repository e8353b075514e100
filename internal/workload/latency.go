package workload

import (
	"math"
	"time"
)

// Percentile returns the least of the samples, which are sorted, that this many percent
// of them do not exceed; 0 of none.
func Percentile(sorted []time.Duration, percent float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(math.Ceil(percent / 100 * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}
