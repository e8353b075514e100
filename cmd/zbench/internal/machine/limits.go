package machine

// Limits are what the system allows the process. 0: not known.
type Limits struct {
	Files  uint64 // file descriptors
	Memory int64  // bytes: the machine's, or the control group's if that is less
}

// ReadLimits reads them.
func ReadLimits() Limits { return system.limits() }

func (f files) limits() Limits {
	l := Limits{Files: fileLimit(), Memory: kib(field(f.content("/proc/meminfo"), "MemTotal"))}
	if group := f.memoryLimit(); group > 0 && (l.Memory == 0 || group < l.Memory) {
		l.Memory = group
	}
	return l
}
