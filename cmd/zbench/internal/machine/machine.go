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
	i.takeBuild()
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

// takeBuild adds what the program was built from.
func (i *Info) takeBuild() {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	for _, s := range info.Settings {
		if s.Value == "true" && (s.Key == "-race" || s.Key == "-asan" || s.Key == "-msan") {
			i.Instrumented = s.Key
		}
	}
}

// Rows are for people: names and values.
func (i Info) Rows() (rows [][2]string) {
	row := func(name, value string) {
		if value != "" && value != "0" {
			rows = append(rows, [2]string{name, value})
		}
	}
	row("zbench", i.Zbench)
	row("go", i.Go)
	row("libzmq", i.Libzmq)
	row("library", i.Library)
	row("capabilities", strings.Join(i.Capabilities, " "))
	row("system", i.System)
	row("cpu", i.CPU)
	row("cores", strconv.Itoa(i.Cores))
	row("GOMAXPROCS", strconv.Itoa(i.GOMAXPROCS))
	row("virtual", strconv.FormatBool(i.Virtual))
	row("governor", i.Governor)
	row("turbo", i.Turbo)
	row("huge pages", i.HugePages)
	row("cpu limit", strconv.FormatFloat(i.CPULimit, 'g', 3, 64))
	row("load", strconv.FormatFloat(i.Load, 'g', 3, 64))
	return rows
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
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 3 {
		return version
	}
	return parts[0] + "." + parts[1]
}
