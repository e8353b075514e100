package machine

import (
	"strconv"
	"strings"
	"time"
)

// Disturbances are what others took from this process. Where the system does not
// say, they are 0.
type Disturbances struct {
	Steal     float64       // of the processors' time, 0 to 1
	Throttled time.Duration // in which the control group's limit stopped the process

	stolen, all float64 // the kernel's ticks since it started
}

// ReadDisturbances reads the counters; what counts is the difference of two.
func ReadDisturbances() Disturbances { return system.disturbances() }

func (f files) disturbances() Disturbances {
	d := Disturbances{Throttled: f.throttled()}
	first, _, _ := strings.Cut(string(f.content("/proc/stat")), "\n")
	for i, word := range strings.Fields(first) {
		ticks, err := strconv.ParseFloat(word, 64)
		// Behind "cpu" come user, nice, system, idle, iowait, irq, softirq, steal,
		// and the guests' time, which user and nice have already.
		if err != nil || i > 8 {
			continue
		}
		d.all += ticks
		if i == 8 {
			d.stolen = ticks
		}
	}
	return d
}

// Since returns what happened between two readings.
func (d Disturbances) Since(before Disturbances) Disturbances {
	d.Throttled -= before.Throttled
	d.stolen -= before.stolen
	d.all -= before.all
	if d.all > 0 {
		d.Steal = d.stolen / d.all
	}
	return d
}
