package machine

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

// files are those in which the system describes itself, by their absolute paths.
type files struct{ fs.FS }

var system = files{os.DirFS("/")}

// content returns the content of a file, or nothing if the system does not have it.
func (f files) content(path string) []byte {
	data, err := fs.ReadFile(f, strings.TrimPrefix(path, "/"))
	if err != nil {
		return nil
	}
	return data
}

func (f files) line(path string) string { return strings.TrimSpace(string(f.content(path))) }

// field returns the first value of a key in lines such as "key : value".
func (f files) field(path, key string) string {
	for row := range strings.Lines(string(f.content(path))) {
		if k, value, ok := strings.Cut(row, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// groups returns the directories of the control groups (version 2) of this process, from
// its own to the outermost: the limits of all of them hold. Some may be missing in a
// container.
func (f files) groups() (dirs []string) {
	_, name, ok := strings.Cut(f.line("/proc/self/cgroup"), "0::")
	if !ok {
		return nil
	}
	for dir := path.Clean("/" + strings.TrimSpace(name)); ; dir = path.Dir(dir) {
		dirs = append(dirs, path.Join("/sys/fs/cgroup", dir))
		if dir == "/" {
			return dirs
		}
	}
}

// cpuLimit returns how many processors the control groups allow; 0: no limit, or unknown.
func (f files) cpuLimit() (least float64) {
	for _, dir := range f.groups() {
		quota, period, _ := strings.Cut(f.line(dir+"/cpu.max"), " ")
		q, noQuota := strconv.ParseFloat(quota, 64) // "max" is no limit
		p, noPeriod := strconv.ParseFloat(period, 64)
		if noQuota == nil && noPeriod == nil && p > 0 && (least == 0 || q/p < least) {
			least = q / p
		}
	}
	return least
}

// Disturbances are what others took from this process. 0: unknown.
type Disturbances struct {
	Steal     float64       // of the processor time, 0 to 1
	Throttled time.Duration // in which a control group stopped the process

	stolen, all float64 // ticks since the start of the machine
}

// ReadDisturbances reads the counters; their difference counts.
func ReadDisturbances() Disturbances { return system.disturbances() }

func (f files) disturbances() (d Disturbances) {
	for _, dir := range f.groups() {
		for row := range strings.Lines(string(f.content(dir + "/cpu.stat"))) {
			if number, ok := strings.CutPrefix(strings.TrimSpace(row), "throttled_usec "); ok {
				n, _ := strconv.ParseInt(number, 10, 64) // 0: unknown
				d.Throttled += time.Duration(n) * time.Microsecond
			}
		}
	}
	first, _, _ := strings.Cut(string(f.content("/proc/stat")), "\n")
	for i, word := range strings.Fields(first) {
		// After "cpu" come user, nice, system, idle, iowait, irq, softirq, steal, and the
		// guests' time, which user and nice include.
		if ticks, err := strconv.ParseFloat(word, 64); err == nil && i <= 8 {
			d.all += ticks
			d.stolen = ticks
		}
	}
	return d.Since(Disturbances{})
}

// Since returns what happened between two readings.
func (d Disturbances) Since(before Disturbances) Disturbances {
	d.Throttled -= before.Throttled
	d.stolen -= before.stolen
	d.all -= before.all
	d.Steal = 0
	if d.all > 0 {
		d.Steal = d.stolen / d.all
	}
	return d
}
