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

func TestLook(t *testing.T) {
	t.Parallel()
	i, err := Look()
	require.NoError(t, err)
	require.Regexp(t, `^\d+\.\d+\.\d+$`, i.Libzmq)
	require.Contains(t, i.Library, "zmq")
	require.NotEmpty(t, i.CPU)
	require.Positive(t, i.Cores)
	require.Contains(t, i.Capabilities, "ipc")
	require.NotEmpty(t, i.Rows())
}

func TestSystem(t *testing.T) {
	t.Parallel()
	var i Info
	i.takeSystem(tree(map[string]string{
		"proc/loadavg":     "1.50 1.00 0.50 1/2 3",
		"proc/self/cgroup": "0::/a.slice/b.scope",
		"proc/cpuinfo":     "model name : Model T\nflags : a hypervisor b",

		"sys/devices/system/cpu/intel_pstate/no_turbo":         "0",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave",
		"sys/kernel/mm/transparent_hugepage/enabled":           "always [madvise] never",
		"sys/fs/cgroup/a.slice/cpu.max":                        "150000 100000",
	}))
	require.Equal(t, Info{CPU: "Model T", Virtual: true, Load: 1.5, Governor: "powersave", Turbo: "on", HugePages: "madvise", CPULimit: 1.5}, i)

	stolen := tree(map[string]string{"proc/stat": "cpu  50 0 20 20 0 0 0 10 0 0\ncpu0 1 2 3"}).disturbances()
	require.Equal(t, 0.1, stolen.Steal)

	var amd, nothing Info
	amd.takeSystem(tree(map[string]string{"sys/devices/system/cpu/cpufreq/boost": "0"}))
	require.Equal(t, "off", amd.Turbo)
	nothing.takeSystem(tree(nil))
	require.Equal(t, Info{}, nothing)
	text, err := json.Marshal(nothing)
	require.NoError(t, err)
	require.NotContains(t, string(text), "turbo", "what the system does not tell is absent")
}

// The least limit of all groups around the process holds.
func TestGroups(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files     map[string]string
		cpu       float64
		throttled time.Duration
	}{
		"none": {},
		"no limit": {files: map[string]string{
			"proc/self/cgroup":      "0::/",
			"sys/fs/cgroup/cpu.max": "max 100000",
		}},
		"container": {
			files: map[string]string{
				"proc/self/cgroup": "0::/../outside", "sys/fs/cgroup/cpu.max": "50000 100000",
				"sys/fs/cgroup/cpu.stat": "nr_throttled 1\nthrottled_usec 7",
			},
			cpu: 0.5, throttled: 7 * time.Microsecond,
		},
		"nested": {
			files: map[string]string{
				"proc/self/cgroup":          "0::/pod/box",
				"sys/fs/cgroup/pod/cpu.max": "100000 100000", "sys/fs/cgroup/pod/cpu.stat": "throttled_usec 5",
				"sys/fs/cgroup/pod/box/cpu.max": "300000 100000", "sys/fs/cgroup/pod/box/cpu.stat": "throttled_usec 1", "sys/fs/cgroup/other/cpu.max": "1 100000",
			},
			cpu: 1, throttled: 6 * time.Microsecond,
		},
	} {
		f := tree(c.files)
		require.Equal(t, c.cpu, f.cpuLimit(), name)
		require.Equal(t, c.throttled, f.disturbances().Throttled, name)
	}
}

// An environment is the same as long as nothing of it has changed that matters.
func TestIdentity(t *testing.T) {
	t.Parallel()
	was := Info{CPU: "Model T", HugePages: "never"}
	is := was
	is.Load = 3
	require.Equal(t, was.ID(), is.ID())
	is.HugePages = "always"
	require.NotEqual(t, was.ID(), is.ID())
}

func TestJudge(t *testing.T) {
	t.Parallel()
	with := func(change func(*Info)) Info {
		i := Info{Cores: 8, GOMAXPROCS: 8, Load: 0.3}
		change(&i)
		return i
	}
	for why, c := range map[string]struct {
		info Info
		late time.Duration
		want Verdict
	}{
		"":                               with(func(*Info) {}).verdict(time.Millisecond, Fine),
		"virtual machine":                with(func(i *Info) { i.Virtual = true }).verdict(0, Noisy),
		"processors: 2, busy threads: 3": with(func(i *Info) { i.Cores = 2 }).verdict(0, Noisy),
		"processors: 1, busy threads: 3": with(func(i *Info) { i.GOMAXPROCS = 1 }).verdict(0, Noisy),
		"load average 8.0 before the start on 8 processors": with(func(i *Info) { i.Load = 8 }).verdict(0, Noisy),
		"load average 8.5 before the start on 8 processors": with(func(i *Info) { i.Load = 8.5 }).verdict(0, Unpublishable),
		"a processor that saves power":                      with(func(i *Info) { i.Governor = "powersave" }).verdict(0, Unpublishable),
		"a sleeping thread woke up 6ms late":                with(func(*Info) {}).verdict(6*time.Millisecond, Unpublishable),
		"processors that are faster while they are cool":    with(func(i *Info) { i.Turbo = "on" }).verdict(0, Noisy),
		"transparent huge pages for all memory":             with(func(i *Info) { i.HugePages = "always" }).verdict(0, Noisy),
		"a control group that allows 1.5 processors":        with(func(i *Info) { i.CPULimit = 1.5 }).verdict(0, Noisy),
		"built with -race, not to be compared":              with(func(i *Info) { i.Instrumented = "-race" }).verdict(0, Unpublishable),
	} {
		verdict, doubts := c.info.Judge(c.late)
		require.Equal(t, c.want, verdict, why)
		if why == "" {
			require.Empty(t, doubts)
			continue
		}
		require.Len(t, doubts, 1, why)
		require.Contains(t, doubts[0], why)
	}
	worst, doubts := with(func(i *Info) { i.Instrumented, i.Virtual = "-asan", true }).Judge(0)
	require.Equal(t, Unpublishable, worst, "not the last decides")
	require.Len(t, doubts, 2)
}

type judged = struct {
	info Info
	late time.Duration
	want Verdict
}

func (i Info) verdict(late time.Duration, want Verdict) judged { return judged{i, late, want} }
