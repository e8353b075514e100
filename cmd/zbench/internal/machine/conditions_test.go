package machine

import (
	"encoding/json"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
)

// tree is a system whose files have these contents.
func tree(contents map[string]string) files {
	m := fstest.MapFS{}
	for name, text := range contents {
		m[name] = &fstest.MapFile{Data: []byte(text + "\n")}
	}
	return files{m}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	laptop := tree(map[string]string{
		"proc/stat":        "cpu  50 0 20 20 0 0 0 10 0 0\ncpu0 1 2 3",
		"proc/meminfo":     "MemTotal:       1024 kB\nSwapTotal:       2048 kB",
		"proc/self/status": "Name:\tzbench\nCpus_allowed:\t4f\nCpus_allowed_list:\t0-3,6",
		"proc/self/cgroup": "0::/a.slice/b.scope",
		"proc/cpuinfo":     "cpu MHz\t\t: 1111.5\ncpu MHz\t\t: 2222.5",

		"sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "2596130",
		"sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_min_freq": "800000",
		"sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq": "4200000",
		"sys/devices/system/cpu/intel_pstate/no_turbo":         "0",
		"sys/devices/system/cpu/smt/active":                    "1",
		"sys/devices/system/cpu/vulnerabilities/meltdown":      "Not affected",
		"sys/devices/system/cpu/vulnerabilities/spectre_v2":    "Mitigation: Retpolines",
		"sys/devices/system/cpu/vulnerabilities/mds":           "Vulnerable",

		"sys/devices/system/cpu/cpu0/cache/index0/level": "1",
		"sys/devices/system/cpu/cpu0/cache/index0/type":  "Data",
		"sys/devices/system/cpu/cpu0/cache/index0/size":  "32K",
		"sys/devices/system/cpu/cpu0/cache/index3/level": "3",
		"sys/devices/system/cpu/cpu0/cache/index3/type":  "Unified",
		"sys/devices/system/cpu/cpu0/cache/index3/size":  "8192K",

		"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
		"sys/kernel/mm/transparent_hugepage/enabled":                      "[always] madvise never",

		"sys/class/power_supply/AC/type":     "Mains",
		"sys/class/power_supply/BAT0/type":   "Battery",
		"sys/class/power_supply/BAT0/status": "Discharging",
		"sys/fs/cgroup/a.slice/cpu.max":      "150000 100000",
		"sys/fs/cgroup/a.slice/memory.max":   "1048576",
	})
	want := Conditions{
		MHz: 2596.13, MHzMin: 800, MHzMax: 4200, Turbo: "on", SMT: "on",
		Mitigations: map[string]string{"spectre_v2": "Mitigation: Retpolines", "mds": "Vulnerable"},
		Caches:      []string{"L1 data 32K", "L3 8192K"},
		Affinity:    "0-3,6", CPULimit: 1.5, MemoryLimit: 1 << 20, ClockSource: "tsc", HugePages: "always", Swap: 2 << 20, Battery: true, Steal: 0.1,
	}
	require.Equal(t, want, laptop.conditions())
	want.GOGC, want.Revision, want.Dirty = "off", "abc", true
	require.Equal(t, [][2]string{
		{"MHz", "2596 (800 to 4200)"},
		{"turbo", "on"},
		{"SMT", "on"},
		{"caches", "L1 data 32K, L3 8192K"},
		{"mitigation", "mds: Vulnerable"},
		{"mitigation", "spectre_v2: Mitigation: Retpolines"},
		{"affinity", "0-3,6"},
		{"cpu limit", "1.5"},
		{"memory limit", "1 MiB"},
		{"clock source", "tsc"},
		{"huge pages", "always"},
		{"swap", "2 MiB"},
		{"battery", "discharging"},
		{"steal", "10 % since the start"},
		{"GOGC", "off"},
		{"revision", "abc with changes"},
	}, want.Rows())

	// What the system does not tell is absent, in the record as well.
	nothing := tree(nil).conditions()
	require.Empty(t, nothing.Rows())
	text, err := json.Marshal(nothing)
	require.NoError(t, err)
	require.JSONEq(t, `{}`, string(text))
}

// Other processors have their switches in other files, and a mouse's battery is none
// of the machine's.
func TestConditionsElsewhere(t *testing.T) {
	t.Parallel()
	c := tree(map[string]string{
		"proc/cpuinfo":                         "cpu MHz\t\t: 1111.5\ncpu MHz\t\t: 2222.5",
		"sys/devices/system/cpu/cpufreq/boost": "0",
		"sys/devices/system/cpu/smt/active":    "0",
		"sys/class/power_supply/BAT0/type":     "Battery",
		"sys/class/power_supply/BAT0/status":   "Charging",
		"sys/class/power_supply/mouse/type":    "Battery",
		"sys/class/power_supply/mouse/scope":   "Device",
		"sys/class/power_supply/mouse/status":  "Discharging",
	}).conditions()
	require.Equal(t, 1111.5, c.MHz)
	require.Equal(t, "off", c.Turbo)
	require.Equal(t, "off", c.SMT)
	require.False(t, c.Battery)
}

func TestProgramsConditions(t *testing.T) {
	t.Parallel()
	var c Conditions
	c.takeProgram()
	require.Regexp(t, `^(\d+|off)$`, c.GOGC)
}

// The least limit of all groups around the process holds, with version 1 of control
// groups as with version 2.
func TestGroups(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files     map[string]string
		cpu       float64
		memory    int64
		throttled time.Duration
	}{
		"none": {},
		"no limit": {files: map[string]string{
			"proc/self/cgroup":         "0::/",
			"sys/fs/cgroup/cpu.max":    "max 100000",
			"sys/fs/cgroup/memory.max": "max",
		}},
		"container": {
			files: map[string]string{
				"proc/self/cgroup":         "0::/../outside",
				"sys/fs/cgroup/cpu.max":    "50000 100000",
				"sys/fs/cgroup/memory.max": "4096",
				"sys/fs/cgroup/cpu.stat":   "nr_throttled 1\nthrottled_usec 7",
			},
			cpu: 0.5, memory: 4096, throttled: 7 * time.Microsecond,
		},
		"nested": {
			files: map[string]string{
				"proc/self/cgroup":               "0::/pod/box",
				"sys/fs/cgroup/pod/cpu.max":      "100000 100000",
				"sys/fs/cgroup/pod/memory.max":   "8192",
				"sys/fs/cgroup/pod/cpu.stat":     "throttled_usec 5",
				"sys/fs/cgroup/pod/box/cpu.max":  "300000 100000",
				"sys/fs/cgroup/pod/box/cpu.stat": "throttled_usec 1",
				"sys/fs/cgroup/other/cpu.max":    "1 100000",
			},
			cpu: 1, memory: 8192, throttled: 6 * time.Microsecond,
		},
		"version 1": {
			files: map[string]string{
				"proc/self/cgroup":                                  "4:memory:/box\n1:cpu,cpuacct:/box\n0::/",
				"sys/fs/cgroup/cpu/cpu.cfs_quota_us":                "-1",
				"sys/fs/cgroup/cpu/cpu.cfs_period_us":               "100000",
				"sys/fs/cgroup/cpu/box/cpu.cfs_quota_us":            "250000",
				"sys/fs/cgroup/cpu/box/cpu.cfs_period_us":           "100000",
				"sys/fs/cgroup/cpu/box/cpu.stat":                    "throttled_time 9",
				"sys/fs/cgroup/memory/memory.limit_in_bytes":        "9223372036854771712",
				"sys/fs/cgroup/memory/box/memory.limit_in_bytes":    "1024",
				"sys/fs/cgroup/memory/others/memory.limit_in_bytes": "1",
			},
			cpu: 2.5, memory: 1024, throttled: 9,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := tree(c.files)
			require.Equal(t, c.cpu, f.cpuLimit())
			require.Equal(t, c.memory, f.memoryLimit())
			require.Equal(t, c.throttled, f.disturbances().Throttled)
			require.Equal(t, c.memory, f.limits().Memory)
		})
	}
}

// An environment is the same as long as nothing of it has changed that matters.
func TestIdentity(t *testing.T) {
	t.Parallel()
	was := Info{CPU: "Model T", Conditions: Conditions{MHz: 800, Steal: 0.01, HugePages: "never"}}
	is := was
	is.MHz, is.Steal, is.Load = 900, 0.02, 3
	require.Equal(t, was.ID(), is.ID())
	is.HugePages = "always"
	require.NotEqual(t, was.ID(), is.ID())
}
