package plan

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
)

// facts are those of a machine that has everything.
func facts() Facts {
	return Facts{
		Has: func(string) bool { return true },
		Now: time.Now(), Processors: 8,
	}
}

// parse returns the plan of a command line.
func parse(t require.TestingT, verb string, args ...string) (*Plan, *pflag.FlagSet) {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	p := New(verb)
	flags := pflag.NewFlagSet(verb, pflag.ContinueOnError)
	p.Flags(flags)
	require.NoError(t, flags.Parse(args))
	p.Read()
	return p, flags
}

func cellsOf(t *testing.T, verb string, args ...string) (names []string) {
	t.Helper()
	p, _ := parse(t, verb, args...)
	cells, err := p.Check(facts())
	require.NoError(t, err)
	for _, c := range cells {
		names = append(names, c.String())
	}
	return names
}

func TestCells(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"thr pushpull tcp 64 batch"}, cellsOf(t, Thr))
	require.Equal(t, []string{"lat reqrep tcp 64"}, cellsOf(t, Lat))
	require.Equal(t, []string{"lat dealerrouter tcp 64 at 1000/s", "lat dealerrouter tcp 64 at 2000/s"}, cellsOf(t, Lat, "--rate", "1k,2k"))
	require.Equal(t, []string{"lat dealerrouter tcp 64 at 1000/s"}, cellsOf(t, Curve), "the search begins there")
	require.Equal(t, []string{
		"thr pushpull ipc 64 blocking", "thr pushpull ipc 64 batch", "thr pushpull ipc 1024 blocking", "thr pushpull ipc 1024 batch",
		"thr pushpull tcp 64 blocking", "thr pushpull tcp 64 batch", "thr pushpull tcp 1024 blocking", "thr pushpull tcp 1024 batch",
	}, cellsOf(t, Thr, "-t", "ipc,tcp", "-s", "64,1KiB", "-a", "blocking,batch"))
	require.Equal(t, []string{"lat reqrep ws 64"}, cellsOf(t, Lat, "-e", "ws://host:5555/path"), "the endpoint has the transport")
	require.Equal(t, []string{"lat routerrouter tcp 64 4:1 curve SNDHWM=10"}, cellsOf(t, Lat, "-p", "routerrouter", "--peers", "4", "--security", "curve", "--sockopt", "SNDHWM=10"))
}

// A sender spins only where it has a processor of its own.
func TestPaceFollowsTheMachine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		processors int
		args       []string
		want       string
	}{
		{2, []string{"--rate", "1k"}, load.Sleep},
		{4, []string{"--rate", "1k"}, load.Spin},
		{4, []string{"--rate", "1k", "--peers", "2"}, load.Sleep},
		{2, []string{"--rate", "1k", "--pace", "spin"}, load.Spin},
	} {
		p, _ := parse(t, Lat, c.args...)
		f := facts()
		f.Processors = c.processors
		_, err := p.Check(f)
		require.NoError(t, err)
		require.Equal(t, c.want, p.Method().Pace, "%d processors, %v", c.processors, c.args)
	}
}

// An objective about a percentile of too few messages is refused, with the number needed.
func TestObjectivesNeedSamples(t *testing.T) {
	t.Parallel()
	p, _ := parse(t, Lat, "--rate", "10", "--slo", "p99.9<1ms")
	_, err := p.Check(facts())
	require.EqualError(t, err, "--slo 'p99.9<1ms' at 10/s: it needs 1000 messages, and there would be 30; use a longer --duration, a higher rate or a lower percentile")
	p, _ = parse(t, Lat, "--rate", "10", "--slo", "p90<1ms")
	_, err = p.Check(facts())
	require.NoError(t, err)
}

// A short duration has fewer repeats, unless they are given.
func TestShortDuration(t *testing.T) {
	t.Parallel()
	p, _ := parse(t, Lat, "-d", "2s")
	_, err := p.Check(facts())
	require.NoError(t, err)
	require.Equal(t, 2, p.Repeat)
	p, _ = parse(t, Lat, "-d", "2s", "-r", "3")
	_, err = p.Check(facts())
	require.ErrorContains(t, err, "--duration 2s is for the whole command")
}

// A name that looks like a file is no directory.
func TestOutIsNoFile(t *testing.T) {
	t.Parallel()
	p, _ := parse(t, Lat, "-o", filepath.Join(t.TempDir(), "x.json"))
	_, err := p.Check(facts())
	require.ErrorContains(t, err, "records are written to a file whose name ends in .jsonl")
}

// No verb has more flags than fit on a screen.
func TestFlagsPerVerb(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{Thr, Lat, Curve, Send, Recv, Echo} {
		n := 0
		_, flags := parse(t, verb)
		flags.VisitAll(func(*pflag.Flag) { n++ })
		require.LessOrEqual(t, n, 23, verb)
	}
}

// A switch takes the words for true and false that flags in Go take, and refuses others.
func TestSwitches(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"--raw": true, "--raw=true": true, "--raw=1": true, "--raw=T": true, "--raw=false": false, "--raw=0": false} {
		p, _ := parse(t, Send, "-e", "tcp://host:1", text)
		require.Equal(t, want, p.Raw, text)
		_, err := p.Check(facts())
		require.NoError(t, err, text)
	}
	p, _ := parse(t, Send, "-e", "tcp://host:1", "--raw=yes")
	_, err := p.Check(facts())
	require.EqualError(t, err, `--raw: "yes" is neither true nor false`)
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"0": 0, "64": 64, "64B": 64, "1k": 1024, "1K": 1024, "1kb": 1024, "1KB": 1024, "1KiB": 1024, "1kib": 1024, "3M": 3 << 20, "3MiB": 3 << 20} {
		n, err := ParseSize(text)
		require.NoError(t, err, text)
		require.Equal(t, want, n, text)
	}
	for _, bad := range []string{"", "k", "ki", "-1", "1.5k", "64KK", "9999999999999", "big", "1e3"} {
		_, err := ParseSize(bad)
		require.ErrorContains(t, err, "is not a size", bad)
	}
}

// The duration is that of the whole command. If it leaves too little for a run, the one
// that is needed is said, and is enough.
func TestBudget(t *testing.T) {
	t.Parallel()
	p, _ := parse(t, Thr)
	b := p.Budget(1)
	require.Equal(t, time.Second, b.Measured)
	require.Less(t, b.Total, 10*time.Second, "the first result comes soon")
	rapid.Check(t, func(r *rapid.T) {
		cells, repeat := rapid.IntRange(1, 50).Draw(r, "cells"), rapid.IntRange(1, 10).Draw(r, "repeat")
		p, _ := parse(r, Thr)
		p.Repeat = repeat
		p.Duration = time.Duration(rapid.IntRange(1, 600_000).Draw(r, "ms")) * time.Millisecond
		if rapid.Bool().Draw(r, "with warm-up") {
			p.Warmup = time.Duration(rapid.IntRange(0, 3000).Draw(r, "warm-up")) * time.Millisecond
		}
		var problems Problems
		p.checkBudget(&problems, cells)
		if len(problems) == 0 {
			b := p.Budget(cells)
			require.Equal(r, p.Duration, b.Total)
			require.GreaterOrEqual(r, b.Measured, load.Shortest)
			require.InDelta(r, p.Duration, time.Duration(cells*repeat)*(b.Warmup+b.Measured+load.PerRun), float64(time.Duration(cells*repeat)*10))
			return
		}
		require.Regexp(r, `use --duration \S+ or more`, problems.Error())
		p.Duration = needed(r, problems.Error())
		problems = nil
		p.checkBudget(&problems, cells)
		require.Empty(r, problems)
	})
}

// needed reads the duration that an error asks for.
func needed(t require.TestingT, text string) time.Duration {
	const before = "use --duration "
	for i := len(text) - len(before); i >= 0; i-- {
		if text[i:i+len(before)] == before {
			word := text[i+len(before):]
			for j := range word {
				if word[j] == ' ' {
					d, err := time.ParseDuration(word[:j])
					require.NoError(t, err)
					return d
				}
			}
		}
	}
	require.Fail(t, text)
	return 0
}

// A plan file repeats a plan; the command line has precedence.
func TestFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plan.yaml")
	args := []string{"-t", "ipc,tcp", "-s", "64,1k", "--rate", "100", "--slo", "p99<1s", "--slo", "max<1h", "-r", "2", "--sockopt", "SNDHWM=5", "-d", "40s", "--verbose"}
	p, _ := parse(t, Lat, args...)
	cells, err := p.Check(facts())
	require.NoError(t, err)
	text, err := p.File()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, text, 0o600))

	again, _ := parse(t, Lat, "-f", path)
	same, err := again.Check(facts())
	require.NoError(t, err)
	require.Equal(t, cells, same)
	require.Equal(t, p.SLO, again.SLO)
	require.Equal(t, p.Repeat, again.Repeat)
	require.Equal(t, p.Duration, again.Duration)
	require.True(t, again.Verbose)

	other, _ := parse(t, Lat, "-f", path, "-s", "8")
	require.Equal(t, []int{8}, other.Sizes)
	require.Equal(t, []string{"ipc", "tcp"}, other.Transports)

	wrong, _ := parse(t, Thr, "-f", path)
	_, err = wrong.Check(facts())
	require.ErrorContains(t, err, path+": the plan is for zbench lat")
	require.ErrorContains(t, err, "unknown key \"rate\"")
}

func TestFileMistakes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"- 64":         "a plan is a mapping",
		"sise: 64":     `: unknown key "sise"; did you mean "size"?`,
		"size: big":    `--size: "big" is not a size`,
		"size: {a: b}": "--size: \"map[a:b]\" is not a size",
		"out: x":       `: unknown key "out"`,
		"\tsize: 64":   "a plan is a mapping",
	} {
		path := filepath.Join(t.TempDir(), "plan.yaml")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		p, _ := parse(t, Thr, "-f", path)
		_, err := p.Check(facts())
		require.ErrorContains(t, err, want, text)
	}
}

// What the machine or libzmq lacks is refused.
func TestCheckFacts(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		verb   string
		args   []string
		change func(*Facts)
	}{
		`transport ws needs a libzmq with "WS"`:            {Lat, []string{"-t", "ws"}, func(f *Facts) { f.Has = func(string) bool { return false } }},
		`pattern clientserver needs a libzmq with "draft"`: {Lat, []string{"-p", "clientserver"}, func(f *Facts) { f.Has = func(string) bool { return false } }},
		`pattern radiodish needs a libzmq with "draft"`:    {Thr, []string{"-p", "radiodish"}, func(f *Facts) { f.Has = func(c string) bool { return c != "draft" } }},
		`--security curve needs a libzmq with "curve"`:     {Lat, []string{"--security", "curve"}, func(f *Facts) { f.Has = func(c string) bool { return c != "curve" } }},
		"--start-at 00:00:00: that is":                     {Lat, []string{"--start-at", "00:00:00"}, func(f *Facts) { f.Now = time.Now().Add(24 * time.Hour) }},
	} {
		p, _ := parse(t, c.verb, c.args...)
		f := facts()
		_, err := p.Check(f)
		if c.verb != Lat || len(c.args) == 0 || c.args[0] != "--start-at" {
			require.NoError(t, err, want)
		}
		c.change(&f)
		_, err = p.Check(f)
		require.ErrorContains(t, err, want)
	}
}

// The Job of the example for Kubernetes is a plan that runs on many hosts.
func TestKubernetesExample(t *testing.T) {
	t.Parallel()
	file, err := os.Open(filepath.Join("..", "..", "..", "..", "examples", "kubernetes", "zbench.yaml"))
	require.NoError(t, err)
	defer file.Close()
	type object struct {
		Kind string
		Spec struct {
			CompletionMode string `yaml:"completionMode"`
			Completions    int
			Template       struct {
				Spec struct{ Containers []struct{ Args []string } }
			}
		}
	}
	args := map[string][]string{}
	for documents := yaml.NewDecoder(file); ; {
		var o object
		if err := documents.Decode(&o); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
		if o.Kind == "Job" {
			require.Equal(t, "Indexed", o.Spec.CompletionMode)
			require.Equal(t, 8, o.Spec.Completions)
		}
		for _, c := range o.Spec.Template.Spec.Containers {
			args[o.Kind] = c.Args
		}
	}
	for kind, verb := range map[string]string{"Deployment": Echo, "Job": Lat} {
		words := args[kind]
		require.Equal(t, verb, words[0])
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "$START", time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
		}
		p, _ := parse(t, verb, words[1:]...)
		_, err := p.Check(facts())
		require.NoError(t, err)
		require.Equal(t, verb == Lat, !p.StartAt.IsZero())
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	soon, err := parseTime("+10s")
	require.NoError(t, err)
	require.Zero(t, soon.Unix()%10, "hosts that are told so within ten seconds start together")
	require.Zero(t, soon.Nanosecond())
	require.InDelta(t, 15*time.Second, time.Until(soon), float64(10*time.Second))
	noon, err := parseTime("12:00:01")
	require.NoError(t, err)
	require.Equal(t, "12:00:01", noon.Format(time.TimeOnly))
	full, err := parseTime("2026-01-31T12:00:00Z")
	require.NoError(t, err)
	require.Equal(t, 31, full.Day())
	for _, bad := range []string{"", "noon", "25:00:00", "10s"} {
		_, err := parseTime(bad)
		require.ErrorContains(t, err, "is not a time", bad)
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	choices := []string{"pushpull", "pubsub", "pair"}
	require.Equal(t, "pushpull", Nearest("pushpul", choices))
	require.Equal(t, "pair", Nearest("par", choices))
	require.Empty(t, Nearest("something", choices))
}

func TestSides(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verb  string
		args  []string
		binds bool
		cell  string
	}{
		{Send, []string{"-e", "tcp://host:5555"}, false, "send pushpull tcp 64"},
		{Send, []string{"-e", "tcp://*:5555", "--bind", "--rate", "5", "--peers", "3"}, true, "send pushpull tcp 64 1:3 at 5/s"},
		{Recv, []string{"-e", "tcp://*:5555"}, true, "recv pushpull tcp 0"},
		{Recv, []string{"-e", "tcp://host:5555", "--connect", "-p", "pubsub"}, false, "recv pubsub tcp 0"},
		{Echo, []string{"-e", "ipc://x"}, true, "echo dealerrouter ipc 0"},
	} {
		p, _ := parse(t, c.verb, c.args...)
		_, err := p.Check(facts())
		require.NoError(t, err)
		require.Equal(t, c.binds, p.Binds())
		require.Equal(t, c.cell, p.Cell().String())
	}
	p, _ := parse(t, Send, "-e", "tcp://host:1", "-n", "5")
	require.Zero(t, p.Duration, "a count takes the place of the duration")
}
