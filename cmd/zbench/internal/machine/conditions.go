package machine

import (
	"fmt"
	"maps"
	"math"
	"path"
	"regexp"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
)

// Conditions are what explains numbers beside the processor's name, most of which can
// be changed. What the system does not tell is left out.
type Conditions struct {
	MHz    float64 `json:"mhz,omitempty"` // of the first processor, just now
	MHzMin float64 `json:"mhz_min,omitempty"`
	MHzMax float64 `json:"mhz_max,omitempty"`
	Turbo  string  `json:"turbo,omitempty"` // "on" or "off": faster, while it is cool
	SMT    string  `json:"smt,omitempty"`   // "on" or "off": several processors of one core

	// Mitigations are by the weakness that they are for, in the kernel's words.
	// Weaknesses that the processor does not have are left out.
	Mitigations map[string]string `json:"mitigations,omitempty"`
	Caches      []string          `json:"caches,omitempty"` // of the first processor: "L1 data 32K"

	Affinity    string  `json:"affinity,omitempty"`           // processors that the process may run on: "0-3,6"
	CPULimit    float64 `json:"cpu_limit,omitempty"`          // processors' time that control groups allow
	MemoryLimit int64   `json:"memory_limit_bytes,omitempty"` // that control groups allow
	ClockSource string  `json:"clock_source,omitempty"`       // of the kernel: "tsc"
	HugePages   string  `json:"huge_pages,omitempty"`         // transparent ones: "always", "madvise", "never"
	Swap        int64   `json:"swap_bytes,omitempty"`
	Battery     bool    `json:"battery,omitempty"` // it is what the machine runs on
	Steal       float64 `json:"steal,omitempty"`   // of the processors' time, taken by the host since the start: 0 to 1

	GOGC       string `json:"gogc,omitempty"` // percent, or "off"
	GOMEMLIMIT int64  `json:"gomemlimit_bytes,omitempty"`
	Revision   string `json:"revision,omitempty"` // that zbench was built from
	Dirty      bool   `json:"dirty,omitempty"`    // with changes to it
}

func (f files) conditions() Conditions {
	c := Conditions{
		Turbo: f.turbo(), SMT: onOff(f.line("/sys/devices/system/cpu/smt/active"), "1", "0"),
		Mitigations: f.mitigations(), Caches: f.caches(), CPULimit: f.cpuLimit(), MemoryLimit: f.memoryLimit(),
		ClockSource: f.line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
		HugePages:   chosen(f.line("/sys/kernel/mm/transparent_hugepage/enabled")),
		Affinity:    field(f.content("/proc/self/status"), "Cpus_allowed_list"),
		Swap:        kib(field(f.content("/proc/meminfo"), "SwapTotal")),
		Battery:     f.battery(),
	}
	const frequency = "/sys/devices/system/cpu/cpu0/cpufreq/"
	c.MHz, c.MHzMin, c.MHzMax = mhz(f.line(frequency+"scaling_cur_freq")), mhz(f.line(frequency+"cpuinfo_min_freq")), mhz(f.line(frequency+"cpuinfo_max_freq"))
	if c.MHz == 0 {
		c.MHz, _ = strconv.ParseFloat(field(f.content("/proc/cpuinfo"), "cpu MHz"), 64) // 0 says unknown as well
	}
	if d := f.disturbances(); d.all > 0 {
		c.Steal = d.stolen / d.all
	}
	return c
}

// takeProgram adds what Go tells.
func (c *Conditions) takeProgram() {
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		c.GOMEMLIMIT = limit
	}
	percent := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(percent)
	if v := percent[0].Value; v.Kind() == metrics.KindUint64 {
		c.GOGC = strconv.FormatUint(v.Uint64(), 10)
		if v.Uint64() == math.MaxUint64 {
			c.GOGC = "off"
		}
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				c.Revision = s.Value
			case "vcs.modified":
				c.Dirty = s.Value == "true"
			}
		}
	}
}

func (f files) turbo() string {
	if s := onOff(f.line("/sys/devices/system/cpu/intel_pstate/no_turbo"), "0", "1"); s != "" {
		return s
	}
	return onOff(f.line("/sys/devices/system/cpu/cpufreq/boost"), "1", "0")
}

func (f files) mitigations() map[string]string {
	all := map[string]string{}
	for _, p := range f.matching("/sys/devices/system/cpu/vulnerabilities/*") {
		if text := f.line(p); text != "" && text != "Not affected" {
			all[path.Base(p)] = text
		}
	}
	return all
}

func (f files) caches() (all []string) {
	for _, p := range f.matching("/sys/devices/system/cpu/cpu0/cache/index*") {
		level, size := f.line(p+"/level"), f.line(p+"/size")
		if level == "" || size == "" {
			continue
		}
		words := []string{"L" + level}
		if kind := strings.ToLower(f.line(p + "/type")); kind != "unified" && kind != "" {
			words = append(words, kind)
		}
		all = append(all, strings.Join(append(words, size), " "))
	}
	return all
}

// battery reports whether a battery that is not a mouse's is being emptied.
func (f files) battery() bool {
	for _, p := range f.matching("/sys/class/power_supply/*") {
		if f.line(p+"/type") == "Battery" && f.line(p+"/scope") != "Device" && f.line(p+"/status") == "Discharging" {
			return true
		}
	}
	return false
}

// Rows are for people: what it is, and its value.
func (c Conditions) Rows() (rows [][2]string) {
	row := func(name, value string) {
		if value != "" {
			rows = append(rows, [2]string{name, value})
		}
	}
	number := func(n float64) string {
		if n == 0 {
			return ""
		}
		return strconv.FormatFloat(n, 'g', 4, 64)
	}
	size := func(bytes int64) string {
		if bytes == 0 {
			return ""
		}
		return fmt.Sprintf("%.4g MiB", float64(bytes)/(1<<20))
	}
	speed := number(c.MHz)
	if c.MHzMax > 0 {
		speed = strings.TrimSpace(fmt.Sprintf("%s (%.0f to %.0f)", speed, c.MHzMin, c.MHzMax))
	}
	row("MHz", speed)
	row("turbo", c.Turbo)
	row("SMT", c.SMT)
	row("caches", strings.Join(c.Caches, ", "))
	for _, weakness := range slices.Sorted(maps.Keys(c.Mitigations)) {
		row("mitigation", weakness+": "+c.Mitigations[weakness])
	}
	row("affinity", c.Affinity)
	row("cpu limit", number(c.CPULimit))
	row("memory limit", size(c.MemoryLimit))
	row("clock source", c.ClockSource)
	row("huge pages", c.HugePages)
	row("swap", size(c.Swap))
	if c.Battery {
		row("battery", "discharging")
	}
	if c.Steal > 0 {
		row("steal", fmt.Sprintf("%.2g %% since the start", 100*c.Steal))
	}
	row("GOGC", c.GOGC)
	row("GOMEMLIMIT", size(c.GOMEMLIMIT))
	revision := c.Revision
	if c.Dirty {
		revision += " with changes"
	}
	row("revision", revision)
	return rows
}

// onOff translates a switch. What is neither is not known.
func onOff(text, on, off string) string {
	switch text {
	case on:
		return "on"
	case off:
		return "off"
	}
	return ""
}

var brackets = regexp.MustCompile(`\[(\w+)\]`)

// chosen returns which of several words the kernel marks: "always [madvise] never".
func chosen(text string) string {
	if m := brackets.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// field returns the first value of a key in lines such as "key : value".
func field(text []byte, key string) string {
	for row := range strings.Lines(string(text)) {
		if k, value, ok := strings.Cut(row, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// kib returns the bytes of a text such as "1024 kB"; 0 says unknown as well.
func kib(text string) int64 {
	n, _ := strconv.ParseInt(strings.TrimSuffix(text, " kB"), 10, 64)
	return n << 10
}

// mhz takes kHz; 0 says unknown as well.
func mhz(text string) float64 {
	n, _ := strconv.ParseFloat(text, 64)
	return n / 1000
}
