package workload

import (
	"math"
	"time"
)

// Percentile returns the smallest sample that the given percentage of the samples does
// not exceed. The samples must be sorted. It returns 0 if there are none.
func Percentile(sorted []time.Duration, percent float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(math.Ceil(percent / 100 * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}
