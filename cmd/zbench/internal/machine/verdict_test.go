package machine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	good := machine.Info{Cores: 8, GOMAXPROCS: 8, Load: 0.3}
	with := func(change func(*machine.Info)) machine.Info {
		i := good
		change(&i)
		return i
	}
	const load = "load average 8.5 before the start on 8 processors"
	for name, c := range map[string]struct {
		info machine.Info
		late time.Duration
		want machine.Verdict
		why  []string
	}{
		"idle":      {info: good, late: time.Millisecond, want: machine.Fine},
		"virtual":   {info: with(func(i *machine.Info) { i.Virtual = true }), want: machine.Noisy, why: []string{"virtual machine"}},
		"small":     {info: with(func(i *machine.Info) { i.Cores = 2 }), want: machine.Noisy, why: []string{"processors: 2, busy threads: 3"}},
		"one each":  {info: with(func(i *machine.Info) { i.Load = 8 }), want: machine.Noisy, why: []string{"load average 8.0 before the start on 8 processors"}},
		"half":      {info: with(func(i *machine.Info) { i.Load = 4 }), want: machine.Fine},
		"busy":      {info: with(func(i *machine.Info) { i.Load = 8.5 }), want: machine.Unpublishable, why: []string{load}},
		"powersave": {info: with(func(i *machine.Info) { i.Governor = "powersave" }), want: machine.Unpublishable, why: []string{"a processor that saves power"}},
		"hiccups":   {info: good, late: 6 * time.Millisecond, want: machine.Unpublishable, why: []string{"a sleeping thread woke up 6ms late"}},
		"turbo":     {info: with(func(i *machine.Info) { i.Turbo = "on" }), want: machine.Noisy, why: []string{"processors that are faster while they are cool (turbo)"}},
		"steady":    {info: with(func(i *machine.Info) { i.Turbo, i.HugePages = "off", "madvise" }), want: machine.Fine},
		"battery":   {info: with(func(i *machine.Info) { i.Battery = true }), want: machine.Noisy, why: []string{"a machine that runs on battery"}},
		"huge": {
			info: with(func(i *machine.Info) { i.HugePages = "always" }), want: machine.Noisy,
			why: []string{"transparent huge pages for all memory, which the kernel makes while something is measured"},
		},
		"limit":  {info: with(func(i *machine.Info) { i.CPULimit = 1.5 }), want: machine.Noisy, why: []string{"a control group that allows the time of 1.5 processors, busy threads: 3"}},
		"enough": {info: with(func(i *machine.Info) { i.CPULimit = 3 }), want: machine.Fine},
		"steal":  {info: with(func(i *machine.Info) { i.Steal = 0.031 }), want: machine.Noisy, why: []string{"a host that took 3.1 % of the processors' time since the machine's start"}},
		"instrumented": {
			info: with(func(i *machine.Info) { i.Instrumented = "-race" }), want: machine.Unpublishable,
			why: []string{"built with -race, not to be compared with other builds"},
		},
		"all of it": {
			info: machine.Info{Cores: 2, GOMAXPROCS: 2, Load: 3, Instrumented: "-asan", Virtual: true}, late: time.Second, want: machine.Unpublishable,
			why: []string{
				"built with -asan, not to be compared with other builds", "virtual machine, processors: 2, busy threads: 3",
				"load average 3.0 before the start on 2 processors", "a sleeping thread woke up 1s late",
			},
		},
		"not the last decides": {
			info: with(func(i *machine.Info) { i.Instrumented, i.Virtual = "-race", true }), want: machine.Unpublishable,
			why: []string{"built with -race, not to be compared with other builds", "virtual machine"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			verdict, doubts := c.info.Judge(c.late)
			require.Equal(t, c.want, verdict)
			var why []string
			for _, d := range doubts {
				why = append(why, d.Why)
				require.NotEmpty(t, d.Fix)
			}
			require.Equal(t, c.why, why)
		})
	}
}
