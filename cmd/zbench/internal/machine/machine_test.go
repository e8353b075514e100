package machine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
)

func TestLook(t *testing.T) {
	t.Parallel()
	i, err := machine.Look()
	require.NoError(t, err)
	require.Regexp(t, `^\d+\.\d+\.\d+$`, i.Libzmq)
	require.Contains(t, i.Library, "zmq")
	require.NotEmpty(t, i.CPU)
	require.Positive(t, i.Cores)
	require.Contains(t, i.Capabilities, "ipc")
}

func TestDoubts(t *testing.T) {
	t.Parallel()
	good := machine.Info{Cores: 8, GOMAXPROCS: 8, Load: 0.3}
	require.Empty(t, good.Doubts())
	cases := map[string]struct {
		info machine.Info
		want string
	}{
		"virtual":      {machine.Info{Cores: 8, GOMAXPROCS: 8, Virtual: true}, "virtual machine; compare ratios, not absolute rates"},
		"small":        {machine.Info{Cores: 2, GOMAXPROCS: 2}, "processors: 2, busy threads: 3; compare ratios, not absolute rates"},
		"limited":      {machine.Info{Cores: 8, GOMAXPROCS: 1}, "processors: 1, busy threads: 3; compare ratios, not absolute rates"},
		"busy":         {machine.Info{Cores: 8, GOMAXPROCS: 8, Load: 5}, "load average 5.0 before the start on 8 processors; stop what else is running"},
		"powersave":    {machine.Info{Cores: 8, GOMAXPROCS: 8, Governor: "powersave"}, "a processor that saves power; have it at full speed: cpupower frequency-set -g performance"},
		"instrumented": {machine.Info{Cores: 8, GOMAXPROCS: 8, Instrumented: "-race"}, "built with -race, not to be compared with other builds; build without it"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, []string{c.want}, c.info.Doubts())
		})
	}
}
