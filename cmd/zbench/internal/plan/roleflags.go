package plan

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/slo"
)

// Flags adds the role's flags.
func (r *Role) Flags(f *pflag.FlagSet) {
	r.whereFlags(f)
	if r.Verb != Proxy {
		r.messageFlags(f)
	}
	if r.Verb == Send {
		r.loadFlags(f)
	}
	r.endFlags(f)
	for _, name := range []string{"hwm", "io-threads", "sndbuf", "rcvbuf", "tos"} {
		f.Var(&setting{to: r.Options, name: name, kind: "number"}, name, "of the sockets; libzmq's own default")
	}
	f.Var(&setting{to: r.Options, kind: "NAME=VALUE"}, "sockopt", "libzmq's option: "+strings.Join(load.OptionNames(), " "))
	r.outputFlags(f)
}

func (r *Role) whereFlags(f *pflag.FlagSet) {
	known := func() []string { return RolePatterns(r.Verb) }
	// All patterns are taken, so that what a role has no part in is said with the rest.
	all := func() (names []string) {
		for _, p := range rolePatterns {
			names = append(names, p.Name)
		}
		return names
	}
	f.VarP(&one[string]{&r.Pattern, oneOf("pattern", all), same, "pattern"}, "pattern", "p", "pattern: "+strings.Join(known(), " "))
	if r.Verb == Proxy {
		f.StringVar(&r.Frontend, "frontend", "", "endpoint of those who send")
		f.StringVar(&r.Backend, "backend", "", "endpoint of those who receive, or answer")
		f.StringVar(&r.Capture, "capture", "", "endpoint at which a PUB sends a copy of everything")
		f.BoolVar(&r.FrontendConnect, "frontend-connect", false, "connect the frontend, instead of binding it")
		f.BoolVar(&r.BackendConnect, "backend-connect", false, "connect the backend, instead of binding it")
		return
	}
	f.StringVarP(&r.Endpoint, "endpoint", "e", "", "where the peers are, or come to: tcp://host:5555")
	usual := map[bool]string{true: " (the default)"}
	f.BoolVar(&r.Bind, "bind", false, "bind the endpoint"+usual[r.Verb != Send])
	f.BoolVar(&r.Connect, "connect", false, "connect to the endpoint"+usual[r.Verb == Send])
	f.StringVar(&r.Security, "security", r.Security, "null, curve (who binds makes a key and prints it)")
	f.StringVar(&r.ServerKey, "server-key", "", "with --security curve, to connect: the key that the other end printed")
}

func (r *Role) messageFlags(f *pflag.FlagSet) {
	f.BoolVar(&r.Raw, "raw", false, "for peers that know nothing of zbench: no header, no messages of its own, no check")
	parts := map[string]string{
		Send: "parts that a payload is cut into: N frames of size/N bytes",
		Recv: "parts that every payload has", Echo: "parts that every payload has, to count its bytes; all are sent back anyway",
	}
	f.Var(&one[int]{&r.Parts, parseCount, formatCount, "number"}, "parts", parts[r.Verb])
	switch r.Verb {
	case Send:
		f.StringVar(&r.Payload, "payload", "", "file that messages consist of, again and again, instead of bytes by chance")
		f.VarP(&one[int]{&r.Size, parseSize, FormatSize, "size"}, "size", "s", "payload size: bytes, KiB, MiB")
		f.StringVar(&r.Topic, "topic", "", "pubsub: first part of every message; radiodish: group")
	case Recv:
		f.VarP(&one[int]{&r.Size, parseSize, formatAny, "size"}, "size", "s", "size that every message has to have")
		f.StringVar(&r.Topic, "topic", "", "pubsub: subscription; radiodish: group")
		f.BoolVar(&r.OneWay, "one-way", false, "latency from when a message was due to its arrival, from a zbench send on this machine")
		f.Var(&one[int]{&r.Peers, parseCount, formatCount, "number"}, "peers", "how many senders have to end before it ends")
	}
}

func (r *Role) loadFlags(f *pflag.FlagSet) {
	f.Var(&one[float64]{&r.Rate, parseRate, formatNone, "rate"}, "rate", "offered load in messages a second, such as 100k; without: as fast as they go")
	f.StringVar(&r.Arrivals, "arrivals", r.Arrivals, "of an offered load: uniform, poisson")
	f.StringVar(&r.Pace, "pace", r.Pace, "how an offered load waits: spin (exact, keeps a processor busy), urgent (the same, before all other threads: takes root or CAP_SYS_NICE, and a processor to spare), sleep")
	f.Uint64Var(&r.Seed, "seed", r.Seed, "of random arrivals")
	f.Var(&one[int]{&r.Pipeline, parseCount, formatCount, "number"}, "pipeline", "round trips under way at once")
	f.Var(&one[int]{&r.Peers, parsePeerCount, formatCount, "number"}, "peers", "how many peers, or subscriptions, to wait for; 0: none")
	duration(f, &r.Wait, "wait", "", "how long to wait for peers; 0s: no limit")
}

func (r *Role) endFlags(f *pflag.FlagSet) {
	last := "how long, from the first message on; 0s: no limit"
	if r.Verb == Send {
		last = "how long to send"
	}
	duration(f, &r.Duration, "duration", "d", last)
	f.VarP(&one[int]{&r.Count, parseCount, formatCount, "number"}, "count", "n", "how many messages, instead of a duration")
	idle := "end when no message came for so long after the last; 0s: never"
	if r.Verb == Send {
		idle = "fail when no message could be sent, or no reply came, for so long; 0s: never"
	}
	duration(f, &r.Idle, "idle", "", idle)
}

func (r *Role) outputFlags(f *pflag.FlagSet) {
	f.StringVar(&r.MetricsAddr, "metrics-addr", "", "address such as :9090 for /metrics (Prometheus) and /debug/pprof")
	f.Var(&list[slo.Objective]{values: &r.SLO, parse: func(s string) ([]slo.Objective, error) {
		o, err := slo.Parse(s)
		return []slo.Objective{o}, err
	}, format: func(o slo.Objective) string { return o.Text }, kind: "objective", whole: true},
		"slo", "what the result has to meet, or the exit code is 99: 'p99<1ms', 'msg/s>1e6', 'lost=0'; repeatable")
	f.StringVarP(&r.Out, "out", "o", "", "directory for results.jsonl, bench.txt, summary.csv, env.json, hist/*.hlog")
	f.BoolVar(&r.Append, "append", false, "add to the results in the directory")
	f.BoolVar(&r.Force, "force", false, "replace the results in the directory")
	f.BoolVar(&r.JSON, "json", false, "JSON lines on standard output")
	f.BoolVarP(&r.Quiet, "quiet", "q", false, "only the numbers")
	f.BoolVar(&r.NoBar, "no-progress", false, "no progress line on a terminal")
	for _, name := range ProfileFlags() {
		f.Var(&setting{to: r.Profile, name: name, kind: "file"}, name, "as go test has it")
	}
}

func parseSize(word string) ([]int, error) {
	n, err := ParseSize(word)
	return []int{n}, err
}

// formatAny leaves out what stands for any size.
func formatAny(n int) string {
	if n < 0 {
		return ""
	}
	return FormatSize(n)
}

// formatNone leaves out what stands for no rate.
func formatNone(v float64) string {
	if v == 0 {
		return ""
	}
	return formatRate(v)
}

func parsePeerCount(word string) ([]int, error) {
	if word == "0" {
		return []int{0}, nil
	}
	return parseCount(word)
}
