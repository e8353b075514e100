package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/slo"
)

// Patterns are those that can be asked for; which of them a measure has, and a
// libzmq, is looked at later.
func Patterns() []string { return append(slices.Clone(latPatterns), thrOnlyPatterns()...) }

// Transports are libzmq's names.
func Transports() []string { return append(thrTransports(), "ws") }

func thrTransports() []string { return []string{"inproc", "ipc", "tcp"} }

// verbTransports are those that the verb has.
func (p *Plan) verbTransports() []string {
	if p.Verb == Thr {
		return thrTransports()
	}
	return Transports()
}

// ProfileFlags are go test's names.
func ProfileFlags() []string {
	return []string{"cpuprofile", "memprofile", "mutexprofile", "blockprofile", "trace"}
}

// Flags adds the plan's flags: those that its verb has.
func (p *Plan) Flags(f *pflag.FlagSet) {
	p.whatFlags(f)
	p.howFlags(f)
	p.outputFlags(f)
}

func (p *Plan) whatFlags(f *pflag.FlagSet) {
	many := p.Verb == Matrix
	names := func(to *[]string, what string, choices func() []string) *list[string] {
		return &list[string]{values: to, parse: oneOf(what, choices), format: same, kind: "list"}
	}
	if many {
		f.Var(names(&p.Measures, "measure", func() []string { return []string{Thr, Lat} }), "measure", "what is measured: thr, lat")
		f.StringVarP(&p.file, "file", "f", "", "plan file in YAML: the names of flags and their values")
	}
	f.VarP(names(&p.Patterns, "pattern", Patterns), "pattern", "p", p.patternUsage())
	f.VarP(names(&p.Transports, "transport", Transports), "transport", "t", "transports: "+strings.Join(p.verbTransports(), " "))
	f.VarP(&list[int]{values: &p.Sizes, parse: parseSizes, format: FormatSize, kind: "list"}, "size", "s", "payload sizes: bytes, KiB, MiB; 64..64KiB*4 sweeps")
	f.Var(&list[int]{values: &p.Parts, parse: parseCount, format: formatCount, kind: "list"}, "parts", "parts that a payload is cut into: N frames of size/N bytes")
	f.StringVar(&p.Payload, "payload", "", "file that messages consist of, again and again, instead of bytes by chance")
	f.Var(&list[Peers]{values: &p.Peers, parse: parsePeers, format: formatPeers, kind: "list"}, "peers", "senders:receivers")
	f.Var(names(&p.Securities, "security", func() []string { return []string{"null", "curve"} }), "security", "null, curve (with keys of the run's own)")
	f.Var(&list[string]{values: &p.Engines, parse: func(s string) ([]string, error) { return []string{s}, nil }, format: same, kind: "file", whole: true},
		"engine", "file of a libzmq, measured in a process of its own; repeat it for several side by side")
	if p.measures(Thr) {
		f.VarP(names(&p.APIs, "api", APINames), "api", "a", "how to send and receive: "+strings.Join(APINames(), " "))
	}
	if p.measures(Lat) && p.Verb != Curve {
		f.Var(&list[int]{values: &p.Pipelines, parse: parseCount, format: formatCount, kind: "list"}, "pipeline", "round trips that each client has under way at once")
	}
	if p.Verb != Curve {
		// thr has it to say that it is another verb's.
		f.Var(&list[float64]{values: &p.Rates, parse: parseRate, format: formatRate, kind: "list"}, "rate", "offered load in messages a second, of all senders together: 100k")
		if p.Verb == Thr {
			_ = f.MarkHidden("rate") // its only error is that there is no such flag
		}
		return
	}
	f.Var(&list[float64]{values: &p.Rates, parse: parseRate, format: formatRate, kind: "list"}, "rates", "offered loads to measure, instead of searching")
	f.Var(&one[float64]{&p.From, parseRate, formatRate, "rate"}, "from", "offered load to begin the search with, doubled from there on")
	f.Var(&one[float64]{&p.To, parseRate, formatRate, "rate"}, "to", "offered load to end the search with, the last that is tried")
}

func (p *Plan) optionUsage(names []string) string {
	usage := "libzmq's option: " + strings.Join(names, " ")
	if p.Verb == Matrix {
		usage += "; throughput takes the *_BATCH_SIZE only"
	}
	return usage
}

func (p *Plan) patternUsage() string {
	switch p.Verb {
	case Thr:
		return "patterns (default pushpull): " + strings.Join(thrPatterns(), " ")
	case Lat:
		return "patterns (default reqrep, with --rate dealerrouter): " + strings.Join(latPatterns, " ")
	case Curve:
		return "patterns (default dealerrouter): " + strings.Join(latPatterns, " ")
	}
	return "patterns (default: each measure's own): " + strings.Join(Patterns(), " ")
}

func (p *Plan) howFlags(f *pflag.FlagSet) {
	duration(f, &p.Duration, "duration", "d", "how long each cell is measured")
	f.VarP(&one[int]{&p.Count, parseCount, formatCount, "number"}, "count", "n", "how many messages each cell measures, instead of a duration")
	duration(f, &p.Warmup, "warmup", "w", "how long each run goes on before, thrown away")
	f.IntVarP(&p.Repeat, "repeat", "r", p.Repeat, "how often each cell is measured, in turns")
	f.Uint64Var(&p.Seed, "seed", p.Seed, "of the order of cells and of random arrivals")
	if p.measures(Lat) {
		f.StringVar(&p.Arrivals, "arrivals", p.Arrivals, "of an offered load: uniform, poisson")
		f.StringVar(&p.Pace, "pace", p.Pace, "how an offered load waits: spin (exact, keeps a processor busy), urgent (the same, before all other threads: takes root or CAP_SYS_NICE, and processors to spare), sleep (for machines that have none to spare)")
	}
	if p.measures(Lat) {
		f.Var(&one[int]{&p.Sample, parseSample, formatSample, "share"}, "sample", "share of the messages that is timed, such as 1/64, for offered loads at which the clock is one itself; without --rate the clock is looked at all the same")
	}
	f.StringVar(&p.Pin, "pin", "", "processors of the threads that send, of those that receive, and of libzmq's: 0/1/0-1")
	f.BoolVar(&p.Strict, "strict", false, "refuse a machine that makes numbers doubtful, and fail when a run was disturbed")
	processes := "processes: 1, both ends in one"
	if p.measures(Lat) {
		processes += "; 2, one at each end, for round trips over ipc or tcp"
	}
	f.IntVar(&p.Procs, "procs", p.Procs, processes)
	whose, options := "of all sockets", load.OptionNames()
	switch p.Verb {
	case Thr:
		options = load.ThroughputOptions()
	case Matrix:
		whose = "for round trips"
	}
	for _, name := range []string{"hwm", "io-threads", "sndbuf", "rcvbuf", "tos"} {
		f.Var(&setting{to: p.Options, name: name, kind: "number"}, name, whose+"; libzmq's own default")
		if p.Verb == Thr {
			_ = f.MarkHidden(name) // as --rate: thr has it to say that it is another verb's
		}
	}
	f.Var(&setting{to: p.Options, kind: "NAME=VALUE"}, "sockopt", p.optionUsage(options))
	f.StringVar(&p.Baseline, "baseline", p.Baseline, "c: the same loop in C beside each cell that has one; none")
	duration(f, &p.Timeout, "timeout", "", fmt.Sprintf("after which a run is given up (default 3 x (warm-up + duration) + 10 s; with --count %d min)", countTimeout/time.Minute))
	if p.Verb == Matrix {
		f.BoolVar(&p.Smoke, "smoke", false, "100 ms a cell, once: to see that all of it works; the numbers mean nothing")
		f.BoolVar(&p.Yes, "yes", false, "measure more than 500 cells or for more than 2 hours")
	}
}

func (p *Plan) outputFlags(f *pflag.FlagSet) {
	f.Var(&list[slo.Objective]{values: &p.SLO, parse: func(s string) ([]slo.Objective, error) {
		o, err := slo.Parse(s)
		return []slo.Objective{o}, err
	}, format: func(o slo.Objective) string { return o.Text }, kind: "objective", whole: true},
		"slo", "what results have to meet, or the exit code is 99: 'p99<1ms', 'msg/s>1e6'; repeatable. lost=0 is always met: a message that is lost fails the run")
	if p.measures(Lat) {
		f.Var(&list[float64]{values: &p.Percentiles, parse: parsePercentile, format: formatRate, kind: "list"}, "percentiles", "percentiles of latencies that are shown")
	}
	f.StringVar(&p.MetricsAddr, "metrics-addr", "", "address such as :9090 for /metrics (Prometheus) and /debug/pprof")
	f.StringVarP(&p.Out, "out", "o", "", "directory for results.jsonl, bench.txt, summary.csv, env.json, plan.yaml, hist/*.hlog")
	f.BoolVar(&p.Append, "append", false, "add to the results in the directory")
	f.BoolVar(&p.Force, "force", false, "replace the results in the directory")
	f.StringVar(&p.Format, "format", p.Format, "of standard output: "+strings.Join(formats, " "))
	f.BoolVar(&p.JSON, "json", false, "the same as --format json: JSON lines")
	f.BoolVarP(&p.Quiet, "quiet", "q", false, "only the numbers")
	f.BoolVar(&p.NoBar, "no-progress", false, "no progress line on a terminal")
	for _, name := range ProfileFlags() {
		f.Var(&setting{to: p.Profile, name: name, kind: "file"}, name, "as go test has it; the first run of each cell")
	}
}

var formats = []string{"text", "md", "csv", "bench", "json"}

func (p *Plan) measures(what string) bool { return slices.Contains(p.Measures, what) }
