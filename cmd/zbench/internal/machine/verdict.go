package machine

import (
	"fmt"
	"strings"
	"time"
)

// Verdict says what numbers from a machine are good for.
type Verdict string

// The verdicts, from the best on.
const (
	Fine          Verdict = "ok"
	Noisy         Verdict = "noisy: compare ratios only"
	Unpublishable Verdict = "do not publish from here"
)

// A Doubt is a reason for a verdict, and what to do about it.
type Doubt struct {
	Verdict  Verdict // that it leads to by itself
	Why, Fix string
}

func (d Doubt) String() string { return d.Why + "; " + d.Fix }

// TooLate is a hiccup that shows in every latency beyond the median: it is longer than
// any of the kernel's ordinary time slices.
const TooLate = 5 * time.Millisecond

// MuchSteal is the share of the processors' time that a host takes noticeably.
const MuchSteal = 0.02

// busy threads are the sender, the receiver and libzmq's I/O thread.
const busy = 3

// Judge returns a verdict, the worst that a doubt leads to, and all doubts. late is how
// late a sleeping thread woke up at the worst, while nothing was measured; 0: nobody
// looked.
func (i Info) Judge(late time.Duration) (v Verdict, doubts []Doubt) {
	v = Fine
	add := func(leadsTo Verdict, why, fix string) {
		doubts = append(doubts, Doubt{leadsTo, why, fix})
		if v != Unpublishable {
			v = leadsTo
		}
	}
	if i.Instrumented != "" {
		add(Unpublishable, "built with "+i.Instrumented+", not to be compared with other builds", "build without it")
	}
	if why := i.small(); why != "" {
		add(Noisy, why, "compare ratios, not absolute rates")
	}
	load := fmt.Sprintf("load average %.1f before the start on %d processors", i.Load, i.Cores)
	switch {
	case i.Load > float64(i.Cores): // what is measured has to wait for what is not
		add(Unpublishable, load, "stop what else is running")
	case i.Load > float64(i.Cores)/2:
		add(Noisy, load, "stop what else is running")
	}
	if i.Governor == "powersave" {
		add(Unpublishable, "a processor that saves power", "have it at full speed: cpupower frequency-set -g performance")
	}
	if i.Turbo == "on" {
		add(Noisy, "processors that are faster while they are cool (turbo)",
			"switch it off: echo 0 > /sys/devices/system/cpu/cpufreq/boost, or with intel_pstate echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo")
	}
	if i.Battery {
		add(Noisy, "a machine that runs on battery", "plug it in")
	}
	if i.HugePages == "always" {
		add(Noisy, "transparent huge pages for all memory, which the kernel makes while something is measured",
			"have them on request: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled")
	}
	// Above so many processors, the limit stops nobody.
	if i.CPULimit > 0 && i.CPULimit < min(busy, float64(i.Cores)) {
		add(Noisy, fmt.Sprintf("a control group that allows the time of %.3g processors, busy threads: %d", i.CPULimit, busy),
			"raise its limit (cpu.max), or they are stopped when that time is used up")
	}
	if i.Steal > MuchSteal {
		add(Noisy, fmt.Sprintf("a host that took %.1f %% of the processors' time since the machine's start", 100*i.Steal), "measure elsewhere, or compare ratios")
	}
	if late > TooLate {
		add(Unpublishable, fmt.Sprintf("a sleeping thread woke up %v late", late.Round(time.Millisecond/10)),
			"something else uses the processors, or the host does: stop it, or measure elsewhere")
	}
	return v, doubts
}

// small returns why absolute numbers are the machine's more than the library's.
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

// Doubts returns what makes absolute numbers from this machine doubtful, each in
// one line, with what to do about it.
func (i Info) Doubts() (lines []string) {
	_, doubts := i.Judge(0)
	for _, d := range doubts {
		lines = append(lines, d.String())
	}
	return lines
}
