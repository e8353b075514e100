package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Common are the flags that many verbs have, in display order.
var Common = []string{"transport", "endpoint", "size", "duration", "repeat", "rate", "slo", "out"}

// A flag is defined once, with the verbs that have it.
type flag struct {
	name, short, kind, usage string
	verbs                    string
	set                      func(string) error
	strings                  func() []string
	choices                  []string
}

// Flags adds the flags of the verb, the common ones first.
func (p *Plan) Flags(f *pflag.FlagSet) {
	f.SortFlags = false
	for _, def := range slices.Concat(p.common(), p.others()) {
		if !slices.Contains(strings.Fields(def.verbs), p.Verb) {
			continue
		}
		f.VarP(&value{p, def.name, def.kind, def.set, def.strings}, def.name, def.short, def.usage)
		if def.choices != nil {
			p.choices[def.name] = def.choices
		}
	}
	for _, b := range []struct {
		to                 *bool
		name, verbs, usage string
	}{
		{&p.Attach, "bind", "send", "bind the endpoint, in place of connecting"},
		{&p.Attach, "connect", "recv echo", "connect to the endpoint, in place of binding"},
		{&p.Raw, "raw", "send", "no header, no end mark: for other receivers"},
		{&p.Wide, "wide", "thr lat curve", "all columns"},
		{&p.Verbose, "verbose", "thr lat curve", "details of the noise and the machine"},
	} {
		if slices.Contains(strings.Fields(b.verbs), p.Verb) {
			f.BoolVar(b.to, b.name, false, b.usage)
		}
	}
}

// Choices returns the flags that take one of a few words, with the words.
func (p *Plan) Choices() map[string][]string { return p.choices }

func (p *Plan) common() []flag {
	transports := []string{"inproc", "ipc", "tcp"}
	if p.Verb != Thr {
		transports = append(transports, "ws")
	}
	duration := "of the whole command (default: 1 s per run)"
	switch p.Verb {
	case Send:
		duration = "how long to send"
	case Recv, Echo:
		duration = "from the first message on (default: no limit)"
	}
	endpoint, out := "of a zbench echo elsewhere: tcp://host:5555", "a directory, a .jsonl file, or - for stdout"
	if p.OneSide() {
		endpoint = "where peers are, or where they connect to"
	}
	size := many(&p.Sizes, parseSizes)
	if p.OneSide() {
		size = func(text string) error {
			n, err := ParseSize(text)
			p.Sizes = []int{n}
			return err
		}
	}
	return []flag{
		{
			"transport", "t", "list", strings.Join(transports, " "), "thr lat curve",
			many(&p.Transports, single(oneOf("transport", []string{"inproc", "ipc", "tcp", "ws"}))), words(&p.Transports, same), transports,
		},
		{"endpoint", "e", "url", endpoint, "lat curve send recv echo", one(&p.Endpoint, parseWord), text(&p.Endpoint), nil},
		{"size", "s", "list", "payload sizes: 64, 1k, 64..64k*4", "thr lat curve send recv", size, words(&p.Sizes, FormatSize), nil},
		{"duration", "d", "time", duration, "thr lat curve send recv echo", one(&p.Duration, parseDuration), durations(&p.Duration), nil},
		{
			"repeat", "r", "n", "runs of each cell", "thr lat curve",
			one(&p.Repeat, parseCount(0)), func() []string { return []string{strconv.Itoa(p.Repeat)} }, nil,
		},
		{
			"rate", "", "list", "offered load in msg/s: 100k", "lat curve send",
			many(&p.Rates, single(parseRate)), words(&p.Rates, formatRate), nil,
		},
		{
			"slo", "", "objective", "such as 'p99<1ms', or exit code 99; repeatable", "thr lat curve send recv",
			p.addObjective(), words(&p.SLO, func(o record.Objective) string { return o.Text }), nil,
		},
		{"out", "o", "path", out, "thr lat curve send recv echo", one(&p.Out, parseWord), text(&p.Out), nil},
	}
}

func (p *Plan) others() []flag {
	peers, peersUsage := many(&p.Peers, single(parsePeers)), "senders:receivers"
	if p.Verb == Lat || p.Verb == Curve {
		peersUsage = "clients of one server"
	}
	peersText := words(&p.Peers, formatPeers)
	switch p.Verb {
	case Send:
		peers, peersUsage, peersText = one(&p.Waiting, parseCount(0)), "peers, or subscriptions, to wait for", number(&p.Waiting)
	case Recv:
		peers, peersUsage, peersText = one(&p.Waiting, parseCount(1)), "senders whose end it waits for", number(&p.Waiting)
	}
	known := PatternNames(p.Verb)
	all := slices.Clone(PatternNames(Lat))
	for _, name := range PatternNames(Thr) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return []flag{
		{
			"pattern", "p", "list", strings.Join(known, " "), "thr lat curve send recv echo",
			many(&p.Patterns, single(oneOf("pattern", all))), words(&p.Patterns, same), known,
		},
		{
			"api", "a", "list", "blocking: a message per call; batch: many", "thr",
			many(&p.APIs, single(oneOf("api", apis))), words(&p.APIs, same), apis,
		},
		{"peers", "", "list", peersUsage, "thr lat curve send recv", peers, peersText, nil},
		{"count", "n", "n", "messages, in place of a duration", "send recv echo", p.setCount(), number(&p.Count), nil},
		{"topic", "", "text", "the topic of pubsub", "send recv", one(&p.Topic, parseWord), text(&p.Topic), nil},
		{"wait", "", "time", "for peers; 0s: no limit", "send", one(&p.Wait, parseDuration), durations(&p.Wait), nil},
		{
			"idle", "", "time", map[string]string{Send: "fail if nothing was sent for so long; 0s: never"}[p.Verb] +
				map[string]string{Recv: "end if nothing came for so long; 0s: never", Echo: "end if nothing came for so long; 0s: never"}[p.Verb],
			"send recv echo", one(&p.Idle, parseDuration), durations(&p.Idle), nil,
		},
		{
			"warmup", "w", "time", "of each run (default: a fifth of it, at most 1 s)", "thr lat curve",
			one(&p.Warmup, parseDuration), func() []string { return nil }, nil,
		},
		{"from", "", "rate", "first rate of the search, doubled from there", "curve", one(&p.From, parseRate), rates(&p.From), nil},
		{"to", "", "rate", "last rate of the search", "curve", one(&p.To, parseRate), rates(&p.To), nil},
		{"arrivals", "", "word", "of the load: uniform, poisson", "lat curve send", one(&p.Arrivals, parseWord), text(&p.Arrivals), arrivals},
		{
			"pace", "", "word", "how a sender waits: spin or sleep", "lat curve send",
			one(&p.Pace, parseWord), text(&p.Pace), paces,
		},
		{
			"security", "", "word", "null, curve, or curve=KEY to connect", "thr lat curve send recv echo",
			one(&p.Security, parseWord), text(&p.Security), securities,
		},
		{"sockopt", "", "name=n", "socket option, such as SNDHWM=10; repeatable", "lat curve send recv echo", p.setOption, p.optionTexts, nil},
		{
			"start-at", "", "time", "12:00:00 or +10s, to start with other hosts", "lat send",
			one(&p.StartAt, parseTime), func() []string { return nil }, nil,
		},
		{"file", "f", "file", "plan file, such as plan.yaml of --out", "thr lat", one(&p.file, parseWord), text(&p.file), nil},
		{
			"metrics-addr", "", "addr", "such as :9090: /metrics and /debug/pprof", "thr lat curve send recv echo",
			one(&p.MetricsAddr, parseWord), text(&p.MetricsAddr), nil,
		},
	}
}

var apis = []string{"blocking", "batch"}

func same(s string) string { return s }

func text(of *string) func() []string { return func() []string { return []string{*of} } }

func number(of *int) func() []string {
	return func() []string {
		if *of == 0 {
			return nil
		}
		return []string{strconv.Itoa(*of)}
	}
}

func rates(of *float64) func() []string { return func() []string { return []string{formatRate(*of)} } }

func durations(of *time.Duration) func() []string {
	return func() []string {
		if *of == 0 {
			return nil
		}
		return []string{of.String()}
	}
}

// addObjective takes one objective: commas are part of none.
func (p *Plan) addObjective() func(string) error {
	return func(text string) error {
		o, err := record.ParseObjective(text)
		if err == nil {
			p.SLO = append(p.SLO, o)
		}
		return err
	}
}

// setCount takes the place of a sender's default duration.
func (p *Plan) setCount() func(string) error {
	set := one(&p.Count, parseCount(1))
	return func(text string) error {
		if p.Verb == Send && p.Duration == New(Send).Duration {
			p.Duration = 0
		}
		return set(text)
	}
}

func (p *Plan) setOption(text string) error {
	name, number, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("%q is not an option; write NAME=NUMBER, such as SNDHWM=10, with one of %s", text, strings.Join(load.OptionNames(), " "))
	}
	p.Options[name] = number
	return nil
}

func (p *Plan) optionTexts() (all []string) {
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range p.Options {
			if !yield(name) {
				return
			}
		}
	}) {
		all = append(all, name+"="+p.Options[name])
	}
	return all
}
