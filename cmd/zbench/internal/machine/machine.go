// Package machine tells what a measurement was made with and on, and what about
// it makes the numbers doubtful.
package machine

import (
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Info describes the program, the libraries and the machine. What the system
// does not tell is empty. It holds nothing that names a person or a host.
type Info struct {
	Zbench       string   `json:"zbench"`
	Go           string   `json:"go"`
	System       string   `json:"system"` // GOOS/GOARCH and the kernel's version
	Libzmq       string   `json:"libzmq"`
	Library      string   `json:"library"` // the file that libzmq was loaded from
	Capabilities []string `json:"capabilities"`
	CPU          string   `json:"cpu"`
	Cores        int      `json:"cores"`
	GOMAXPROCS   int      `json:"gomaxprocs"`
	Virtual      bool     `json:"virtual"`
	Governor     string   `json:"governor,omitempty"`
	Load         float64  `json:"load"` // runnable processes, mean of the last minute
	Instrumented string   `json:"instrumented,omitempty"`
	Conditions
}

// Look collects an Info. It fails when libzmq cannot be loaded.
func Look() (Info, error) {
	if err := libzmq.Load(); err != nil {
		return Info{}, err
	}
	major, minor, patch := libzmq.Version()
	i := Info{
		Zbench:       Version(),
		Go:           runtime.Version(),
		System:       strings.TrimSpace(runtime.GOOS + "/" + runtime.GOARCH + " " + system.line("/proc/sys/kernel/osrelease")),
		Libzmq:       fmt.Sprintf("%d.%d.%d", major, minor, patch),
		Library:      libraryFile(),
		CPU:          runtime.GOARCH,
		Cores:        runtime.NumCPU(),
		GOMAXPROCS:   runtime.GOMAXPROCS(0),
		Governor:     system.line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
		Instrumented: instrumented(),
		Conditions:   system.conditions(),
	}
	i.takeProgram()
	for _, name := range []string{"ipc", "curve", "draft", "tipc", "pgm", "norm", "gssapi", "vmci", "WS", "WSS"} {
		if libzmq.Has(name) {
			i.Capabilities = append(i.Capabilities, name)
		}
	}
	i.CPU, i.Virtual = processor(i.CPU)
	if fields := strings.Fields(system.line("/proc/loadavg")); len(fields) > 0 {
		i.Load, _ = strconv.ParseFloat(fields[0], 64) // 0 says unknown as well
	}
	return i, nil
}

// Version returns zbench's own version.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// processor returns the processor's name, and whether it is a virtual machine's.
func processor(otherwise string) (name string, virtual bool) {
	name = otherwise
	for l := range strings.Lines(string(system.content("/proc/cpuinfo"))) {
		key, value, _ := strings.Cut(l, ":")
		switch strings.TrimSpace(key) {
		case "model name":
			name = strings.TrimSpace(value)
		case "flags":
			virtual = slices.Contains(strings.Fields(value), "hypervisor")
		}
	}
	return name, virtual
}

// libraryFile returns the file that libzmq is mapped from, whose name has the
// version, or else the name under which it was opened.
func libraryFile() string {
	opened := libzmq.Path()
	for l := range strings.Lines(string(system.content("/proc/self/maps"))) {
		fields := strings.Fields(l)
		if len(fields) < 6 {
			continue
		}
		if base := filepath.Base(fields[5]); strings.HasPrefix(base, "libzmq") || base == filepath.Base(opened) {
			return fields[5]
		}
	}
	return opened
}

func instrumented() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Value == "true" && (s.Key == "-race" || s.Key == "-asan" || s.Key == "-msan") {
			return s.Key
		}
	}
	return ""
}
