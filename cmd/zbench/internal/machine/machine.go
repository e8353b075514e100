// Package machine describes what a measurement was made with and on, and what makes its
// numbers doubtful.
package machine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Info describes the program, the library and the machine. What the system does not tell
// is empty. Nothing in it names a person or a host.
type Info struct {
	Zbench       string   `json:"zbench"`
	Go           string   `json:"go"`
	System       string   `json:"system"` // GOOS/GOARCH and the version of the kernel
	Libzmq       string   `json:"libzmq"`
	Library      string   `json:"library"` // the file that libzmq was loaded as
	Capabilities []string `json:"capabilities"`
	CPU          string   `json:"cpu"`
	Cores        int      `json:"cores"`
	GOMAXPROCS   int      `json:"gomaxprocs"`
	Virtual      bool     `json:"virtual"`
	Governor     string   `json:"governor,omitempty"`
	Load         float64  `json:"load"` // runnable processes, mean of the last minute
	Instrumented string   `json:"instrumented,omitempty"`

	Turbo     string  `json:"turbo,omitempty"`      // "on" or "off": faster while it is cool
	CPULimit  float64 `json:"cpu_limit,omitempty"`  // processors that control groups allow
	HugePages string  `json:"huge_pages,omitempty"` // transparent ones: "always", "madvise", "never"
}

// Look collects an Info. It fails if libzmq cannot be loaded.
func Look() (Info, error) {
	if err := libzmq.Load(); err != nil {
		return Info{}, err
	}
	major, minor, patch := libzmq.Version()
	i := Info{
		Zbench:     Version(),
		Go:         runtime.Version(),
		System:     strings.TrimSpace(runtime.GOOS + "/" + runtime.GOARCH + " " + system.line("/proc/sys/kernel/osrelease")),
		Libzmq:     fmt.Sprintf("%d.%d.%d", major, minor, patch),
		Library:    libzmq.Path(),
		CPU:        runtime.GOARCH,
		Cores:      runtime.NumCPU(),
		GOMAXPROCS: runtime.GOMAXPROCS(0),
	}
	for _, name := range []string{"ipc", "curve", "draft", "tipc", "pgm", "norm", "gssapi", "vmci", "WS", "WSS"} {
		if libzmq.Has(name) {
			i.Capabilities = append(i.Capabilities, name)
		}
	}
	i.takeSystem(system)
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Value == "true" && (s.Key == "-race" || s.Key == "-asan" || s.Key == "-msan") {
				i.Instrumented = s.Key
			}
		}
	}
	return i, nil
}

// takeSystem adds what the system tells.
func (i *Info) takeSystem(f files) {
	if name := f.field("/proc/cpuinfo", "model name"); name != "" {
		i.CPU = name
	}
	i.Virtual = slices.Contains(strings.Fields(f.field("/proc/cpuinfo", "flags")), "hypervisor")
	load, _, _ := strings.Cut(f.line("/proc/loadavg"), " ")
	i.Load, _ = strconv.ParseFloat(load, 64) // 0: unknown
	const cpu = "/sys/devices/system/cpu/"
	i.Governor = f.line(cpu + "cpu0/cpufreq/scaling_governor")
	i.Turbo = map[string]string{"0": "on", "1": "off"}[f.line(cpu+"intel_pstate/no_turbo")]
	if i.Turbo == "" {
		i.Turbo = map[string]string{"1": "on", "0": "off"}[f.line(cpu+"cpufreq/boost")]
	}
	// The kernel marks one of several words: "always [madvise] never".
	_, marked, _ := strings.Cut(f.line("/sys/kernel/mm/transparent_hugepage/enabled"), "[")
	i.HugePages, _, _ = strings.Cut(marked, "]")
	i.CPULimit = f.cpuLimit()
}

// Rows are for people: names and values.
func (i Info) Rows() [][2]string {
	rows := [][2]string{
		{"zbench", i.Zbench},
		{"go", i.Go},
		{"libzmq", i.Libzmq},
		{"library", i.Library},
		{"capabilities", strings.Join(i.Capabilities, " ")},
		{"system", i.System},
		{"cpu", i.CPU},
		{"cores", strconv.Itoa(i.Cores)},
		{"GOMAXPROCS", strconv.Itoa(i.GOMAXPROCS)},
		{"virtual", strconv.FormatBool(i.Virtual)},
		{"governor", i.Governor},
		{"turbo", i.Turbo},
		{"huge pages", i.HugePages},
		{"cpu limit", strconv.FormatFloat(i.CPULimit, 'g', 3, 64)},
		{"load", strconv.FormatFloat(i.Load, 'g', 3, 64)},
	}
	return slices.DeleteFunc(rows, func(r [2]string) bool { return r[1] == "" || r[1] == "0" })
}

// ID returns a short name of what i says, without what changes from minute to minute.
func (i Info) ID() string {
	i.Load = 0
	data, err := json.Marshal(i)
	if err != nil {
		panic(err) // it has only strings and numbers
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:4])
}

// Version returns the version of zbench.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// Minor cuts a version after its second number: "go1.26.8" is "go1.26".
func Minor(version string) string {
	parts := strings.Split(version, ".")
	return strings.Join(parts[:min(len(parts), 2)], ".")
}
