package plan_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
)

// A value that cannot be read is said with the others and with all else, and the rest
// of the command line counts.
func TestGather(t *testing.T) {
	t.Parallel()
	p := plan.New(plan.Lat)
	flags := pflag.NewFlagSet("lat", pflag.ContinueOnError)
	p.Flags(flags)
	plan.Gather(flags)
	require.NoError(t, flags.Parse([]string{"-s", "big", "--seed", "-1", "-t", "tcp", "-s", "64", "-d", "1s", "-n", "5"}))
	none := func(string) (string, bool) { return "", false }
	require.EqualError(t, p.Read(flags, none), `--seed: "-1" is no number that it can be; write a whole one, such as 3
--size: "big" is not a size; use bytes, KiB or MiB, such as 64,1KiB,64KiB or 64..64KiB*4
--duration with --count: a run ends after one of them; choose`)
	require.Equal(t, []int{64}, p.Sizes)
	require.Equal(t, []string{"tcp"}, p.Transports)
	require.EqualValues(t, 1, p.Seed)

	// Once read, mistakes are errors again.
	require.Error(t, flags.Set("size", "big"))
}

// A number that cannot be read is no other mistake besides, wherever it is from.
func TestMistakesInNumbers(t *testing.T) {
	t.Parallel()
	none := func(string) (string, bool) { return "", false }
	wrong := func(name string) (string, bool) { return "x", name == "ZBENCH_REPEAT" || name == "ZBENCH_PROCS" }
	file := filepath.Join(t.TempDir(), "plan.yaml")
	require.NoError(t, os.WriteFile(file, []byte("repeat: ten\nprocs: 99999999999999999999\n"), 0o600))
	read := func(getenv func(string) (string, bool), args ...string) (p *plan.Plan, unread error) {
		p = plan.New(plan.Matrix)
		flags := pflag.NewFlagSet("matrix", pflag.ContinueOnError)
		p.Flags(flags)
		plan.Gather(flags)
		require.NoError(t, flags.Parse(args))
		return p, p.Read(flags, getenv)
	}
	fromEnvironment, err := read(wrong)
	require.EqualError(t, err, `ZBENCH_PROCS=x: "x" is no number that it can be; write a whole one, such as 3
ZBENCH_REPEAT=x: "x" is no number that it can be; write a whole one, such as 3`)
	fromFile, err := read(none, "-f", file)
	require.EqualError(t, err, file+`:1: repeat: "ten" is no number that it can be; write a whole one, such as 3
`+file+`:2: procs: "99999999999999999999" is no number that it can be; write a whole one, such as 3`)
	for _, p := range []*plan.Plan{fromEnvironment, fromFile} {
		require.Equal(t, 6, p.Repeat)
		_, err := p.Check(facts())
		require.NoError(t, err, "all that is wrong was said")
	}
}

// What the process may not do is said before libzmq finds out.
func TestMissingRights(t *testing.T) {
	t.Parallel()
	asked := map[string]int{}
	f := facts()
	f.Missing = func(transport string, port int) string {
		asked[transport] = port
		if transport == "pgm" || port == 80 {
			return "not without CAP_OF_SOMETHING"
		}
		return ""
	}
	check := func(verb, pattern, endpoint string, bind bool) error {
		r := plan.NewRole(verb)
		r.Pattern, r.Endpoint, r.Bind = pattern, endpoint, bind
		return r.Check(f)
	}
	require.EqualError(t, check(plan.Recv, "pubsub", "pgm://eth0;239.192.1.1:5555", false),
		"--endpoint pgm://eth0;239.192.1.1:5555: not without CAP_OF_SOMETHING")
	require.ErrorContains(t, check(plan.Recv, "pushpull", "tcp://*:80", false), "--endpoint tcp://*:80: not without")
	require.NoError(t, check(plan.Send, "pushpull", "tcp://host:80", false))
	require.Equal(t, 0, asked["tcp"], "whoever connects binds nothing")
	require.NoError(t, check(plan.Recv, "pushpull", "tcp://*:*", false))
	require.ErrorContains(t, check(plan.Recv, "pushpull", "ws://*:80/path", false), "--endpoint ws://*:80/path: not without")
	require.ErrorContains(t, check(plan.Recv, "radiodish", "udp://*:80", false), "--endpoint udp://*:80: not without")
	for _, portless := range []string{"ipc://80", "ipc:///tmp/z:80", "tipc://{80,0,80}", "vmci://1:80"} {
		require.NoError(t, check(plan.Recv, "pushpull", portless, false), portless)
	}
	require.ErrorContains(t, check(plan.Recv, "pushpull", "epgm://eth0;239.192.1.1:5555", false), "epgm is for pubsub")
}
