package plan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		{plan.Curve, "", []string{"lat dealerrouter inproc 64 at 1000/s"}},
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
	ours := 0
	for _, c := range cells {
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
		{plan.Thr, "-p reqrep", "thr with pattern reqrep: messages come back there; use lat, or one of pushpull pubsub routerrouter", facts()},
		{plan.Thr, "--slo p99<1ms", "--slo 'p99<1ms' with thr: at full speed a latency is the length of a queue", facts()},
		{plan.Thr, "--hwm 5", "thr with --hwm: throughput has its own high-water marks", facts()},
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
		{plan.Lat, "-p pair --peers 1:2", "lat with --peers 1:2: clients are senders", facts()},
		{plan.Lat, "-p pair --peers 2:1", "pair with --peers 2:1: a client would get another's replies", facts()},
		{plan.Lat, "--pipeline 8", "reqrep with --pipeline 8: it has one request under way; use dealerrouter", facts()},
		{plan.Lat, "-p pushpull", "lat with pattern pushpull: nothing comes back; use --rate, which measures one way", facts()},
		{plan.Lat, "-p dealerrouter --pipeline 8 --rate 5", "--pipeline with --rate: an offered load does not wait for replies", facts()},
		{plan.Lat, "--arrivals bursts", "--arrivals bursts: use one of uniform poisson", facts()},
		{plan.Lat, "--pace naps", "--pace naps: use one of spin sleep", facts()},
		{plan.Lat, "--rate 5 --hwm 0", "x --hwm 0 (no limit) x 2 peers may take all memory", facts()},
		{plan.Lat, "-s 64KiB --hwm 10000 --peers 4:1", "more than half of the memory; give a smaller --hwm", facts()},
		{plan.Lat, "--peers 1100:1 -p dealerrouter", "a context of libzmq has 1023 sockets at most", facts()},
		{plan.Lat, "--security curve", "--security curve with inproc: nothing is encrypted", facts()},
		{plan.Curve, "--from 10k --to 1k", "--from 10000 with --to 1000: the search goes upwards", facts()},
		{plan.Matrix, "-s 8..8MiB*2 -a all -p pushpull,routerrouter,pubsub", "take about", facts()},
		{plan.Matrix, "--measure thr -p reqrep", "there is nothing to measure", facts()},
	} {
		p, _, err := read(t, c.verb, nil, strings.Fields(c.args)...)
		require.NoError(t, err, c.args)
		_, err = p.Check(c.facts)
		require.ErrorContains(t, err, c.want, c.args)
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

	// So is the plan of another verb.
	curve, flags, err := read(t, plan.Curve, nil, "--rates", "1k,2k", "-t", "tcp")
	require.NoError(t, err)
	want, err := curve.Check(facts())
	require.NoError(t, err)
	require.NoError(t, curve.WriteFile(again, flags))
	q, _, err = read(t, plan.Matrix, nil, "-f", again)
	require.NoError(t, err)
	got, err := q.Check(facts())
	require.NoError(t, err)
	require.Equal(t, want, got)

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
