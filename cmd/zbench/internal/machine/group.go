package machine

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// groups returns the directories of the control groups that a controller has this
// process in, from its own to the outermost: the limits of all of them hold. Some may
// not be there, as in a container that sees its own group only.
func (f files) groups(controller string) (dirs []string) {
	for row := range strings.Lines(string(f.content("/proc/self/cgroup"))) {
		parts := strings.SplitN(strings.TrimSpace(row), ":", 3)
		if len(parts) < 3 {
			continue
		}
		top := "/sys/fs/cgroup"
		if parts[0] != "0" { // version 1: a tree for each controller
			if !slices.Contains(strings.Split(parts[1], ","), controller) {
				continue
			}
			top = path.Join(top, controller)
		}
		for dir := path.Clean("/" + parts[2]); ; dir = path.Dir(dir) {
			dirs = append(dirs, path.Join(top, dir))
			if dir == "/" {
				break
			}
		}
	}
	return dirs
}

// cpuLimit returns how many processors' time the control groups allow. 0: there is no
// limit, or it is not known.
func (f files) cpuLimit() (least float64) {
	for _, dir := range f.groups("cpu") {
		quota, period, ok := strings.Cut(f.line(dir+"/cpu.max"), " ")
		if !ok {
			quota, period = f.line(dir+"/cpu.cfs_quota_us"), f.line(dir+"/cpu.cfs_period_us")
		}
		q, noQuota := strconv.ParseFloat(quota, 64)
		p, noPeriod := strconv.ParseFloat(period, 64)
		// "max" and -1 are no limit.
		if noQuota == nil && noPeriod == nil && q > 0 && p > 0 && (least == 0 || q/p < least) {
			least = q / p
		}
	}
	return least
}

// memoryLimit returns how many bytes the control groups allow. 0: there is no limit, or
// it is not known.
func (f files) memoryLimit() (least int64) {
	// Version 1 says of no limit that it is the highest number, less part of a page.
	const noLimit = 1 << 62
	for _, dir := range f.groups("memory") {
		text := f.line(dir + "/memory.max")
		if text == "" {
			text = f.line(dir + "/memory.limit_in_bytes")
		}
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n < noLimit && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// throttled returns for how long the control groups' limits have stopped the process,
// and the others in them.
func (f files) throttled() (all time.Duration) {
	for _, dir := range f.groups("cpu") {
		for row := range strings.Lines(string(f.content(dir + "/cpu.stat"))) {
			key, number, _ := strings.Cut(strings.TrimSpace(row), " ")
			n, _ := strconv.ParseInt(number, 10, 64) // 0 says unknown as well
			switch key {
			case "throttled_usec":
				all += time.Duration(n) * time.Microsecond
			case "throttled_time": // of version 1
				all += time.Duration(n)
			}
		}
	}
	return all
}
