package machine

import (
	"fmt"
	"strings"
	"time"
)

// Verdict says what numbers from a machine are good for.
type Verdict string

// The verdicts, the best first.
const (
	Fine          Verdict = "ok"
	Noisy         Verdict = "noisy: compare ratios only"
	Unpublishable Verdict = "do not publish from here"
)

const (
	// TooLate is a hiccup that shows in every latency beyond the median: it is longer
	// than the ordinary time slices of the kernel.
	TooLate = 5 * time.Millisecond
	// MuchSteal is the share of the processor time that a host takes noticeably.
	MuchSteal = 0.02
	// busy threads are the sender, the receiver and libzmq's I/O thread.
	busy = 3
)

// Judge returns a verdict, and each doubt with what to do about it. late is how late a
// sleeping thread woke up at worst while nothing was measured; 0: unknown.
func (i Info) Judge(late time.Duration) (v Verdict, doubts []string) {
	v = Fine
	add := func(applies bool, leadsTo Verdict, why, fix string) {
		if !applies {
			return
		}
		doubts = append(doubts, why+"; "+fix)
		if v != Unpublishable {
			v = leadsTo
		}
	}
	add(i.Instrumented != "", Unpublishable, "built with "+i.Instrumented+", not to be compared with other builds", "build without it")
	small := i.small()
	add(small != "", Noisy, small, "compare ratios, not absolute rates")
	load := fmt.Sprintf("load average %.1f before the start on %d processors", i.Load, i.Cores)
	full := i.Load > float64(i.Cores) // the measurement has to wait
	add(full, Unpublishable, load, "stop other programs")
	add(!full && i.Load > float64(i.Cores)/2, Noisy, load, "stop other programs")
	add(i.Governor == "powersave", Unpublishable, "a processor that saves power", "set full speed: cpupower frequency-set -g performance")
	add(i.Turbo == "on", Noisy, "processors that are faster while they are cool (turbo)",
		"switch it off: echo 0 > /sys/devices/system/cpu/cpufreq/boost, or with intel_pstate echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo")
	add(i.HugePages == "always", Noisy, "transparent huge pages for all memory, which the kernel makes during a measurement",
		"make them on request: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled")
	// A higher limit stops no thread.
	add(i.CPULimit > 0 && i.CPULimit < min(busy, float64(i.Cores)), Noisy, fmt.Sprintf("a control group that allows %.3g processors, busy threads: %d", i.CPULimit, busy),
		"raise its limit (cpu.max)")
	add(late > TooLate, Unpublishable, fmt.Sprintf("a sleeping thread woke up %v late", late.Round(time.Millisecond/10)), "stop other programs, or measure elsewhere")
	return v, doubts
}

// Processors returns how many processors the process may use.
func (i Info) Processors() int {
	n := min(i.Cores, i.GOMAXPROCS)
	if i.CPULimit > 0 {
		n = min(n, int(i.CPULimit))
	}
	return n
}

// small returns why absolute numbers say more about the machine than about the library.
func (i Info) small() string {
	var why []string
	if i.Virtual {
		why = append(why, "virtual machine")
	}
	if cores := min(i.Cores, i.GOMAXPROCS); cores < busy+1 {
		why = append(why, fmt.Sprintf("processors: %d, busy threads: %d", cores, busy))
	}
	return strings.Join(why, ", ")
}

// Doubts returns what makes absolute numbers from this machine doubtful.
func (i Info) Doubts() (doubts []string) {
	_, doubts = i.Judge(0)
	return doubts
}
