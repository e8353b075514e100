package machine

import (
	"strconv"
	"strings"
)

// Limits are what the system allows the process. 0: not known.
type Limits struct {
	Files  uint64 // file descriptors
	Memory int64  // bytes: the machine's, or the control group's if that is less
}

// ReadLimits reads them.
func ReadLimits() Limits {
	l := Limits{Files: fileLimit()}
	for row := range strings.Lines(string(content("/proc/meminfo"))) {
		if number, ok := strings.CutPrefix(row, "MemTotal:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(number), " kB"), 10, 64) // 0 says unknown as well
			l.Memory = kib << 10
		}
	}
	if group, err := strconv.ParseInt(line("/sys/fs/cgroup/memory.max"), 10, 64); err == nil && (l.Memory == 0 || group < l.Memory) {
		l.Memory = group
	}
	return l
}
