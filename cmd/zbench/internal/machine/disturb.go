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
func ReadDisturbances() Disturbances {
	var d Disturbances
	first, _, _ := strings.Cut(string(content("/proc/stat")), "\n")
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
	for l := range strings.Lines(string(content("/sys/fs/cgroup/cpu.stat"))) {
		if number, ok := strings.CutPrefix(l, "throttled_usec "); ok {
			us, _ := strconv.ParseInt(strings.TrimSpace(number), 10, 64) // 0 says unknown as well
			d.Throttled = time.Duration(us) * time.Microsecond
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
