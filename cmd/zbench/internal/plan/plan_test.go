package plan_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// read returns a plan of a command line, and its flags.
func read(t *testing.T, verb string, env map[string]string, args ...string) (*plan.Plan, *pflag.FlagSet, error) {
	t.Helper()
	p := plan.New(verb)
	flags := pflag.NewFlagSet(verb, pflag.ContinueOnError)
	p.Flags(flags)
	require.NoError(t, flags.Parse(args))
	return p, flags, p.Read(flags, func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	})
}

func facts() plan.Facts {
	return plan.Facts{
		Has:     func(string) bool { return true },
		Limits:  machine.Limits{Files: 1024, Memory: 8 << 30},
		TempDir: "/tmp",
		CPUs:    []int{0, 1, 2, 5},
		Machine: &machine.Info{Zbench: "v1.0.0", CPU: "Model T", Cores: 8, GOMAXPROCS: 8},
		Late:    func() time.Duration { return time.Millisecond },
	}
}

func names(cells []record.Cell) (all []string) {
	for _, c := range cells {
		all = append(all, c.String())
	}
	return all
}

func TestCells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verb, args string
		want       []string
	}{
		{plan.Thr, "-s 64 -t tcp", []string{"thr pushpull tcp 64 batch", "thr pushpull tcp 64 batch in C"}},
		{plan.Thr, "-s 64..1KiB*4 --baseline none", []string{"thr pushpull inproc 64 batch", "thr pushpull inproc 256 batch", "thr pushpull inproc 1024 batch"}},
		{plan.Thr, "-s 64 -a bytes,pool", []string{"thr pushpull inproc 64 bytes", "thr pushpull inproc 64 copy in C", "thr pushpull inproc 64 pooled"}},
		{plan.Thr, "-s 64 -p pubsub --peers 1:10 --baseline none", []string{"thr pubsub inproc 64 batch 1:10"}},
		{plan.Lat, "-s 1", []string{"lat reqrep inproc 1"}},
		{plan.Lat, "-s 64", []string{"lat reqrep inproc 64", "lat reqrep inproc 64 in C"}},
		{plan.Lat, "-s 0 --rate 100k", []string{"lat dealerrouter inproc 0 at 100000/s"}},
		{plan.Lat, "-s 8 -p dealerrouter --pipeline 1,10 --baseline none", []string{"lat dealerrouter inproc 8", "lat dealerrouter inproc 8 window 10"}},
		{plan.Lat, "-s 8 --baseline none --hwm 5 --sockopt IPV6=1 --security curve -t tcp", []string{"lat reqrep tcp 8 curve IPV6=1,hwm=5"}},
		{plan.Thr, "-s 64 --parts 1,4 -t tcp --pin 0/1", []string{
			"thr pushpull tcp 64 batch pin=0/1", "thr pushpull tcp 64 batch pin=0/1 in C",
			"thr pushpull tcp 64 parts=4 batch pin=0/1", "thr pushpull tcp 64 parts=4 batch pin=0/1 in C",
		}},
		{plan.Lat, "-s 8 --parts 4", []string{"lat reqrep inproc 8 parts=4"}},
		{plan.Lat, "-p clientserver,pair -s 8 -t tcp --baseline none", []string{"lat clientserver tcp 8", "lat pair tcp 8"}},
		{plan.Thr, "-p pair,scattergather,radiodish -s 64 -t ipc --baseline none", []string{"thr pair ipc 64 batch", "thr scattergather ipc 64 batch", "thr radiodish ipc 64 batch"}},
		{plan.Curve, "", []string{"lat dealerrouter inproc 64 at 1000/s"}},
		{plan.Lat, "-s 8 --baseline none --slo cpu/msg<1s", []string{"lat reqrep inproc 8"}},
		{plan.Lat, "-s 8 --rate 5 --pace sleep --slo cpu/msg<1s", []string{"lat dealerrouter inproc 8 at 5/s"}},
		{plan.Matrix, "-s 8 -t ipc --rate 5 --slo cpu/msg<1s --slo GB/s>0 --slo p99<1s --baseline none", []string{"thr pushpull ipc 8 batch", "lat dealerrouter ipc 8 at 5/s"}},
		{plan.Matrix, "-s 64 -t ipc --hwm 5 --sockopt IPV6=1 --baseline none", []string{"thr pushpull ipc 64 batch", "lat reqrep ipc 64 IPV6=1,hwm=5"}},
		{plan.Matrix, "-s 64 -t ipc --hwm 5 --sockopt IN_BATCH_SIZE=65536 --baseline none", []string{"thr pushpull ipc 64 batch IN_BATCH_SIZE=65536", "lat reqrep ipc 64 IN_BATCH_SIZE=65536,hwm=5"}},
		{plan.Matrix, "-s 64 -t ipc,ws --baseline none", []string{"thr pushpull ipc 64 batch", "lat reqrep ipc 64", "lat reqrep ws 64"}},
		{plan.Matrix, "-s 64 -t ipc -p pushpull,reqrep --baseline none", []string{"thr pushpull ipc 64 batch", "lat reqrep ipc 64"}},
	} {
		p, _, err := read(t, c.verb, nil, strings.Fields(c.args)...)
		require.NoError(t, err)
		cells, err := p.Check(facts())
		require.NoError(t, err, c.args)
		require.Equal(t, c.want, names(cells))
	}
}

// Every measure in every way is a cell that can be measured.
func TestAllAPIs(t *testing.T) {
	t.Parallel()
	p, _, err := read(t, plan.Thr, nil, "-a", "all", "-p", "pushpull,routerrouter,pubsub", "-s", "64")
	require.NoError(t, err)
	cells, err := p.Check(facts())
	require.NoError(t, err)
	ours, seen := 0, map[string]bool{}
	for _, c := range cells {
		require.False(t, seen[c.String()], "metrics and files are told apart by it: %s", c)
		seen[c.String()] = true
		if c.Impl == "go" {
			ours++
		}
	}
	require.Equal(t, 3*11, ours)
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	full := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(full, "f"), nil, 0o600))
	few := facts()
	few.Has = func(string) bool { return false }
	few.Limits = machine.Limits{Files: 100, Memory: 1 << 20}
	busy := facts()
	busy.Machine = &machine.Info{Zbench: "v1.0.0", Cores: 8, GOMAXPROCS: 8, Load: 7}
	late := facts()
	late.Late = func() time.Duration { return time.Second }
	calm := facts()
	calm.Urgent = func() error { return errors.New("it takes CAP_SYS_NICE") }
	unpinned := facts()
	unpinned.CPUs = nil
	few.TempDir = "/" + strings.Repeat("t", 120)
	for _, c := range []struct {
		verb, args, want string
		facts            plan.Facts
	}{
		{plan.Thr, "--rate 100", "--rate with thr: thr runs at full speed; use lat --rate or curve", facts()},
		{plan.Thr, "-d 100ms", "--duration 100ms: use 200ms or more", facts()},
		{plan.Thr, "-d 1s -w 10s", "--warmup 10s with --duration 1s: use a warm-up of less than ten times", facts()},
		{plan.Thr, "-r 0", "--repeat 0: use 1 to 1000", facts()},
		{plan.Thr, "-s 4", "size 4: messages carry a number of 8 bytes", facts()},
		{plan.Thr, "-s 64,64", "thr pushpull inproc 64 batch is there twice; give each value once", facts()},
		{plan.Thr, "-p reqrep", "thr with pattern reqrep: messages come back there; use lat, or one of pushpull pubsub routerrouter pair scattergather radiodish", facts()},
		{plan.Thr, "--slo p99<1ms", "--slo 'p99<1ms' with thr: at full speed a latency is the length of a queue", facts()},
		{plan.Lat, "--slo GB/s>999", "--slo 'GB/s>999' with lat: it is a figure of throughput; use thr, or msg/s", facts()},
		{plan.Lat, "--rate 10k --slo time/msg<1ms", "--slo 'time/msg<1ms' with lat: it is a figure of throughput", facts()},
		{plan.Lat, "--rate 10k --slo cpu/msg<1ns", "--slo 'cpu/msg<1ns' with --pace spin: a sender that spins uses a processor, whatever a message costs; use --pace sleep", facts()},
		{plan.Curve, "--slo cpu/msg<1ns", "--slo 'cpu/msg<1ns' with --pace spin: ", facts()},
		{plan.Thr, "--hwm 5", "thr with --hwm: throughput has its own high-water marks", facts()},
		{plan.Thr, "--sockopt IPV6=1", "thr with --sockopt IPV6: throughput has its own", facts()},
		{plan.Matrix, "--measure thr --io-threads 2", "thr with --io-threads: throughput has its own", facts()},
		{plan.Matrix, "--measure thr -t ws", "there is nothing to measure", facts()},
		{plan.Thr, "-t tcp,ws", "thr with transport ws: use lat, or one of inproc ipc tcp", facts()},
		{plan.Thr, "--sockopt LINGER=1", `option "LINGER" is not known; use one of`, facts()},
		{plan.Thr, "--peers 2:2", "many to many is not measured", facts()},
		{plan.Thr, "--security curve", "nothing leaves the process", facts()},
		{plan.Thr, "--format xml", "--format xml: use one of text md csv bench json", facts()},
		{plan.Thr, "--baseline go", "--baseline go: use one of c none", facts()},
		{plan.Thr, "--engine /nowhere.so", "--engine /nowhere.so: there is no such file", facts()},
		{plan.Thr, "--append", "--append and --force are for a directory: name it with --out", facts()},
		{plan.Thr, "-o x --append --force", "--append and --force exclude each other", facts()},
		{plan.Thr, "-o " + full, "the directory is not empty; use another, or --append or --force", facts()},
		{plan.Thr, "-t ipc", `transport ipc needs a libzmq with "ipc"`, few},
		{plan.Thr, "-t ipc", "set TMPDIR to a shorter one", few},
		{plan.Thr, "-t tcp --security curve", `--security curve needs a libzmq with "curve": build libzmq with -DENABLE_CURVE=ON`, few},
		{plan.Thr, "-t tcp --sockopt IN_BATCH_SIZE=65536", `needs a libzmq with "draft"`, few},
		{plan.Thr, "--peers 1:50", "51 peers need about 306 file descriptors, the limit is 100; raise it: ulimit -n 306", few},
		{plan.Thr, "--procs 2 -t tcp", "--procs 2 with thr: its loops have both ends in one process", facts()},
		{plan.Lat, "--procs 3 -t tcp", "--procs 3: use 1, or 2", facts()},
		{plan.Lat, "--procs 2", "--procs 2 with inproc: inproc lives inside one context; use ipc or tcp", facts()},
		{plan.Lat, "-p pushpull,dealerrouter -t tcp --rate 1k --procs 2", "--procs 2 with pushpull: one way is timed by one process; use a pattern that answers", facts()},
		{plan.Lat, "-p scattergather -t tcp --rate 1k --procs 2", "--procs 2 with scattergather: one way is timed by one process", facts()},
		{plan.Curve, "-p radiodish -t tcp --procs 2", "--procs 2 with radiodish: one way is timed by one process", facts()},
		{plan.Lat, "-p pair --peers 1:2", "lat with --peers 1:2: clients are senders", facts()},
		{plan.Lat, "-p pair --peers 2:1", "pair with --peers 2:1: a client would get another's replies", facts()},
		{plan.Lat, "--pipeline 8", "reqrep with --pipeline 8: it has one request under way; use dealerrouter", facts()},
		{plan.Lat, "-p pushpull", "lat with pattern pushpull: nothing comes back; use --rate, which measures one way", facts()},
		{plan.Lat, "-p dealerrouter --pipeline 8 --rate 5", "--pipeline with --rate: an offered load does not wait for replies", facts()},
		{plan.Lat, "--arrivals bursts", "--arrivals bursts: use one of uniform poisson", facts()},
		{plan.Lat, "--pace naps", "--pace naps: use one of spin urgent sleep", facts()},
		{plan.Lat, "--rate 5 --pace urgent --peers 900:1", "--pace urgent with 900 senders: each keeps a processor to itself", facts()},
		{plan.Lat, "--rate 5 --pace urgent --peers 8:1", "--pace urgent with 8 senders: each keeps a processor to itself, and there are 8; use --pace spin or sleep", facts()},
		{plan.Lat, "--rate 5 --pace urgent", "--pace urgent: it takes CAP_SYS_NICE; use --pace spin or sleep", calm},
		{plan.Curve, "--pace urgent", "--pace urgent: it takes CAP_SYS_NICE", calm},
		{plan.Lat, "--rate 5 --hwm 0", "x --hwm 0 (no limit) x 2 peers may take all memory", facts()},
		{plan.Lat, "--rate 5 --sockopt SNDHWM=0", "64 B x --sockopt SNDHWM=0 (no limit) x 2 peers may take all memory", facts()},
		{plan.Lat, "--rate 5 --sockopt RCVHWM=0", "x --sockopt RCVHWM=0 (no limit) x 2 peers may take all memory", facts()},
		{plan.Lat, "-s 64KiB --sockopt RCVHWM=100000", "65536 B x (1000 + 100000) messages (--hwm) x 2 peers may take 12.3 GiB, more than half", facts()},
		{plan.Lat, "-s 64KiB --hwm 10000 --peers 4:1", "more than half of the memory; give a smaller --hwm", facts()},
		{plan.Lat, "--peers 1100:1 -p dealerrouter", "a context of libzmq has 1023 sockets at most", facts()},
		{plan.Lat, "--security curve", "--security curve with inproc: nothing is encrypted", facts()},
		{plan.Curve, "--from 10k --to 1k", "--from 10000 with --to 1000: the search goes upwards", facts()},
		{plan.Matrix, "-s 8..8MiB*2 -a all -p pushpull,routerrouter,pubsub", "take about", facts()},
		{plan.Thr, "--pin 0/3/0-6", "--pin 0/3/0-6: the process may not run on processor 3, 4, 6; use some of 0-2,5", facts()},
		{plan.Thr, "--pin 0/x", `--pin "0/x": "x" is no list of processors`, facts()},
		{plan.Thr, "--pin //", "--pin //: it names no processor", facts()},
		{plan.Lat, "--pin 0", "--pin 0: this system does not let a thread choose its processors", unpinned},
		{plan.Thr, "--strict", "--strict: load average 7.0 before the start", busy},
		{plan.Thr, "--strict", "--strict: a sleeping thread woke up 1s late", late},
		{plan.Thr, "--parts 9 -s 64", "--size 64 with --parts 9: the first part carries a number of 8 bytes; use --size 72 or more", facts()},
		{plan.Thr, "--parts 2 -s 64 -a bytes", `parts 2 with strategy "bytes"`, facts()},
		{plan.Lat, "--parts 5 -s 4", "--size 4 with --parts 5: a part has a byte or more", facts()},
		{plan.Lat, "-p clientserver", "clientserver over inproc: libzmq freezes when sockets of its draft types use it", facts()},
		{plan.Thr, "-p radiodish", "radiodish over inproc: libzmq freezes", facts()},
		{plan.Lat, "-t tcp -p clientserver --parts 2", "clientserver with --parts 2: its messages have one part", facts()},
		{plan.Lat, "-p clientserver -t tcp", `pattern clientserver needs a libzmq with "draft": build libzmq with -DENABLE_DRAFTS=ON, and name it with --engine`, few},
		{plan.Lat, "-p radiodish -t tcp", "lat with pattern radiodish: nothing comes back; use --rate", facts()},
		{plan.Lat, "-n 10 --sample 1/64", "--sample 1/64 with --count 10: not one message would be timed", facts()},
		{plan.Lat, "-n 100 --sample 1/100 --peers 1:1,4:1 -p dealerrouter", "--sample 1/100 with --count 100 of 4 senders, 25 each: not one message would be timed", facts()},
		{plan.Lat, "--percentiles 50,p50", "--percentiles: one of them is there twice", facts()},
		{plan.Thr, "--payload /nowhere", "--payload: stat /nowhere", facts()},
		{plan.Thr, "--payload " + full, "use a file of 1 byte to 1 GiB", facts()},
		{plan.Curve, "--metrics-addr nine", "--metrics-addr nine: write an address such as :9090", facts()},
		{plan.Matrix, "--measure thr -p reqrep", "there is nothing to measure", facts()},
	} {
		p, _, err := read(t, c.verb, nil, strings.Fields(c.args)...)
		require.NoError(t, err, c.args)
		_, err = p.Check(c.facts)
		require.ErrorContains(t, err, c.want, c.args)
	}
}

// Who sends before all else needs the right to, and a processor beside the sender's.
func TestUrgentRole(t *testing.T) {
	t.Parallel()
	check := func(rate float64, change func(*plan.Facts)) error {
		r := plan.NewRole(plan.Send)
		r.Endpoint, r.Pace, r.Rate = "tcp://host:5555", "urgent", rate
		f := facts()
		f.Urgent = func() error { return nil }
		change(&f)
		return r.Check(f)
	}
	one := func(f *plan.Facts) { f.Machine.Cores = 1 }
	calm := func(f *plan.Facts) { f.Urgent = func() error { return errors.New("it takes CAP_SYS_NICE") } }
	require.NoError(t, check(5, func(*plan.Facts) {}))
	require.EqualError(t, check(5, one), "--pace urgent: a sender keeps a processor to itself, and there is 1; use --pace spin or sleep")
	require.EqualError(t, check(5, calm), "--pace urgent: it takes CAP_SYS_NICE; use --pace spin or sleep")
	require.NoError(t, check(0, calm), "without a rate nothing is paced")
}

// role returns a role of a command line, to an endpoint.
func role(t *testing.T, verb, args string) *plan.Role {
	t.Helper()
	r := plan.NewRole(verb)
	flags := pflag.NewFlagSet(verb, pflag.ContinueOnError)
	r.Flags(flags)
	require.NoError(t, flags.Parse(append(strings.Fields(args), "-e", "tcp://host:5555")))
	return r
}

// What may lie in a role's queues has to find room in memory, whichever option says how
// much that is.
func TestMemoryOfRoles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ verb, args, want string }{
		{plan.Send, "-s 1MiB", ""},
		{plan.Send, "-s 64MiB", "67108864 B x 1000 messages (--hwm) x 1 peers may take 62.5 GiB, more than half of the memory; give a smaller --hwm"},
		{plan.Send, "-s 64MiB --sockopt SNDHWM=10", ""},
		{plan.Send, "--sockopt SNDHWM=0", "64 B x --sockopt SNDHWM=0 (no limit) may take all memory; give a limit"},
		{plan.Send, "--sockopt SNDHWM=0 --hwm 10", ""},
		{plan.Send, "--sockopt RCVHWM=0", ""},
		{plan.Send, "-p reqrep -s 64MiB", ""},
		{plan.Send, "-p dealerrouter --hwm 0", ""},
		{plan.Send, "-p dealerrouter --hwm 0 --rate 5", "64 B x --hwm 0 (no limit) may take all memory; give a limit"},
		{plan.Recv, "--connect", ""},
		{plan.Recv, "--connect --hwm 0", "messages of any size x --hwm 0 (no limit) may take all memory; give a limit"},
		{plan.Recv, "--connect --sockopt SNDHWM=0", ""},
		{plan.Recv, "--connect -s 1KiB --sockopt RCVHWM=0", "1024 B x --sockopt RCVHWM=0 (no limit) may take all memory"},
		{plan.Recv, "--connect -s 64MiB", "more than half of the memory; give a smaller --hwm"},
		{plan.Recv, "--connect -s 1MiB --peers 5", "1048576 B x 1000 messages (--hwm) x 5 peers may take 4.9 GiB, more than half of the memory"},
	} {
		err := role(t, c.verb, c.args).Check(facts())
		if c.want == "" {
			require.NoError(t, err, c.args)
		} else {
			require.ErrorContains(t, err, c.want, c.args)
		}
	}
}

// An objective is about a figure that the role's result has.
func TestObjectivesOfRoles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ verb, args, want string }{
		{plan.Send, "-p reqrep --slo GB/s>0", "--slo 'GB/s>0' with send reqrep: it is a figure of throughput, which is not measured there; use msg/s"},
		{plan.Echo, "--connect --slo GB/s>0 --slo lost=0", ""},
		{plan.Send, "-p reqrep --slo time/msg<1s", "--slo 'time/msg<1s' with send reqrep: it is a figure of throughput"},
		{plan.Echo, "--connect --slo p99<1s", "--slo 'p99<1s' with echo reqrep: it measures no latency there"},
		{plan.Send, "--rate 5 --slo cpu/msg<1s", "--slo 'cpu/msg<1s' with --pace spin: a sender that spins uses a processor"},
		{plan.Send, "--rate 5 --pace sleep --slo cpu/msg<1s", ""},
		{plan.Send, "-p reqrep --slo p99<1s --slo cpu/msg<1s --slo msg/s>1", ""},
		{plan.Recv, "--connect --one-way --slo p99<1s --slo allocs/msg<=1", ""},
	} {
		err := role(t, c.verb, c.args).Check(facts())
		if c.want == "" {
			require.NoError(t, err, c.args)
		} else {
			require.ErrorContains(t, err, c.want, c.args)
		}
	}
}

// All that is wrong is reported at once, and once.
func TestAllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	p, _, err := read(t, plan.Thr, nil, "-r", "0", "-s", "4", "-t", "ipc,tcp", "--hwm", "x")
	require.NoError(t, err)
	_, err = p.Check(facts())
	require.EqualError(t, err, `--repeat 0: use 1 to 1000
option hwm=x: use a whole number from 0 up
size 4: messages carry a number of 8 bytes; use 8 or more`)
}

func TestValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want string }{
		{"--size 1kb", `"1kb" is not a size`},
		{"--size 64..8", `"64..8" is no sweep of sizes`},
		{"--size 64..128*1", "is no sweep"},
		{"--transport carrier-pigeon", `unknown transport "carrier-pigeon"; use one of inproc ipc tcp ws`},
		{"--pattern pushpul", `unknown pattern "pushpul"; did you mean "pushpull"?`},
		{"--api fast", `unknown api "fast"; use one of blocking batch`},
		{"--peers 0:1", "are no peers; write senders:receivers"},
		{"--rate 0", "0 messages a second: use more than 0 and at most 1e9"},
		{"--rate 2G", "use more than 0 and at most 1e9"},
		{"--rate fast", `"fast" is no number`},
		{"--count 0", `"0" is no count`},
		{"--duration 3", `"3" is no duration; write one such as 500ms, 3s or 1m`},
		{"--slo fast", "is no objective"},
		{"--sockopt SNDHWM", "write NAME=VALUE"},
	} {
		p := plan.New(plan.Matrix)
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		p.Flags(flags)
		require.ErrorContains(t, flags.Parse(strings.Fields(c.args)), c.want)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	p, _, err := read(t, plan.Lat, map[string]string{"ZBENCH_SIZE": "8,16", "ZBENCH_IO_THREADS": "2", "ZBENCH_REPEAT": "9"}, "-r", "2")
	require.NoError(t, err)
	require.Equal(t, []int{8, 16}, p.Sizes)
	require.Equal(t, "2", p.Options["io-threads"])
	require.Equal(t, 2, p.Repeat, "the command line has the last word")
	_, _, err = read(t, plan.Lat, map[string]string{"ZBENCH_SIZE": "big", "ZBENCH_REPEAT": "many"})
	require.ErrorContains(t, err, `ZBENCH_SIZE=big: "big" is not a size`)
	require.ErrorContains(t, err, "ZBENCH_REPEAT=many: ")
	_, _, err = read(t, plan.Lat, nil, "-d", "1s", "-n", "5")
	require.ErrorContains(t, err, "--duration with --count: a run ends after one of them; choose")
}

// The end of a run that the last word gives takes the place of any other.
func TestEnds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plan.yaml")
	for _, c := range []struct {
		file, args string
		env        map[string]string
		want       int
		duration   time.Duration
	}{
		{"duration: 5s", "-n 10", nil, 10, 3 * time.Second},
		{"count: 7", "-d 1s", nil, 0, time.Second},
		{"count: 7", "", nil, 7, 3 * time.Second},
		{"duration: 5s", "", map[string]string{"ZBENCH_COUNT": "9"}, 9, 3 * time.Second},
		{"repeat: 1", "-d 1s", map[string]string{"ZBENCH_COUNT": "9"}, 0, time.Second},
	} {
		require.NoError(t, os.WriteFile(path, []byte(c.file), 0o600))
		p, _, err := read(t, plan.Matrix, c.env, strings.Fields("-f "+path+" "+c.args)...)
		require.NoError(t, err, c)
		require.Equal(t, c.want, p.Count, c)
		require.Equal(t, c.duration, p.Duration, c)
	}
	require.NoError(t, os.WriteFile(path, []byte("duration: 5s\ncount: 7\n"), 0o600))
	_, _, err := read(t, plan.Matrix, nil, "-f", path)
	require.ErrorContains(t, err, "--duration with --count: a run ends after one of them; choose")
	_, _, err = read(t, plan.Matrix, map[string]string{"ZBENCH_DURATION": "5s", "ZBENCH_COUNT": "7"})
	require.ErrorContains(t, err, "--duration with --count: a run ends after one of them; choose")
}

// What is noted as the command line gives the same plan again.
func TestArgs(t *testing.T) {
	t.Parallel()
	p, flags, err := read(t, plan.Lat, map[string]string{"ZBENCH_REPEAT": "2"},
		"--slo", "p99<1h", "--slo", "max<1h", "--sockopt", "SNDHWM=5", "--sockopt", "IPV6=1", "--sockopt", "tos=3", "--hwm", "7", "-s", "64,1KiB", "-t", "tcp", "-q", "-o", "x")
	require.NoError(t, err)
	args := plan.Args(flags)
	require.ElementsMatch(t, []string{
		"--slo=p99<1h", "--slo=max<1h", "--sockopt=IPV6=1", "--sockopt=SNDHWM=5", "--sockopt=tos=3", "--hwm=7", "--size=64,1KiB", "--transport=tcp", "--quiet=true", "--repeat=2",
	}, args)
	require.Equal(t, "IPV6=1,SNDHWM=5,tos=3", plan.Given(flags)["sockopt"])
	q, _, err := read(t, plan.Lat, nil, append(args, "-o", "x")...)
	require.NoError(t, err)
	require.Equal(t, p, q)
}

func TestFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plan.yaml")
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	write("measure: [thr]\nsize: [64, 1KiB]\ntransport: tcp\nhwm: 7\nsockopt: [IPV6=1, BACKLOG=3]\nslo: ['p99<1ms', lost=0]\nrepeat: 9\n")
	p, flags, err := read(t, plan.Matrix, map[string]string{"ZBENCH_REPEAT": "3"}, "-f", path, "-t", "ipc")
	require.NoError(t, err)
	require.Equal(t, []string{"thr"}, p.Measures)
	require.Equal(t, []int{64, 1024}, p.Sizes)
	require.Equal(t, []string{"ipc"}, p.Transports)
	require.Equal(t, map[string]string{"hwm": "7", "IPV6": "1", "BACKLOG": "3"}, p.Options)
	require.Len(t, p.SLO, 2)
	require.Equal(t, 3, p.Repeat)

	// A plan that is kept and read again is the same.
	again := filepath.Join(t.TempDir(), "again.yaml")
	require.NoError(t, p.WriteFile(again, flags))
	q, _, err := read(t, plan.Matrix, nil, "-f", again)
	require.NoError(t, err)
	for _, of := range []*plan.Plan{p, q} {
		of.Append = false
	}
	require.Equal(t, p.Options, q.Options)
	require.Equal(t, p.SLO, q.SLO)
	require.Equal(t, p.Sizes, q.Sizes)
	require.Equal(t, p.Transports, q.Transports)
	require.Equal(t, p.Duration, q.Duration)
	require.Equal(t, p.Repeat, q.Repeat)

	// So is the plan of another verb, and that of a search's first rate.
	for _, args := range []string{"--rates 1k,2k -t tcp", "--from 50 --to 200 -s 8", "--from 50 -p pair"} {
		curve, flags, err := read(t, plan.Curve, nil, strings.Fields(args)...)
		require.NoError(t, err)
		want, err := curve.Check(facts())
		require.NoError(t, err)
		require.NoError(t, curve.WriteFile(again, flags))
		q, _, err = read(t, plan.Matrix, nil, "-f", again)
		require.NoError(t, err)
		got, err := q.Check(facts())
		require.NoError(t, err)
		require.Equal(t, want, got, args)
	}

	for text, want := range map[string]string{
		"sice: 64\n":          path + `:1: unknown key "sice"; did you mean "size"?`,
		"\n\nyes: true\n":     path + `:3: unknown key "yes"`,
		"size: 64\nsize: 8\n": path + `:2: "size" is there twice`,
		"size: {a: 1}\n":      path + `:1: "size" takes a value, or a list of values`,
		"size: big\n":         path + `:1: size: "big" is not a size`,
		"[1, 2]\n":            "a plan is a mapping",
		"":                    "a plan is a mapping",
		"a: [\n":              path + ": yaml: ",
	} {
		write(text)
		_, _, err := read(t, plan.Matrix, nil, "-f", path)
		require.ErrorContains(t, err, want, text)
	}
	write("sice: 64\nduration: 3\n")
	_, _, err = read(t, plan.Matrix, nil, "-f", path)
	require.Len(t, strings.Split(err.Error(), "\n"), 2, "all problems at once")
	_, _, err = read(t, plan.Matrix, nil, "-f", path+".none")
	require.ErrorContains(t, err, "--file: ")
}

// Whatever bytes a plan file has, reading it ends with a plan or an error.
func FuzzFile(f *testing.F) {
	f.Add("size: [64, 1KiB]\nslo: 'p99<1ms'\n")
	f.Add("a: &x [*x]\n")
	f.Add("? {}\n: 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "plan.yaml")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		p, _, err := read(t, plan.Matrix, nil, "-f", path)
		if err == nil && len(p.Sizes) < 50 {
			_, _ = p.Check(facts()) // only that it ends
		}
	})
}
