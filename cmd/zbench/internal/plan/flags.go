package plan

import (
	_ "embed" // for the table
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Common are the flags that many verbs have, in display order.
var Common = []string{"transport", "endpoint", "size", "duration", "repeat", "rate", "slo", "out"}

// flagsText is the table of the flags, in display order.
//
//go:embed flags.txt
var flagsText string

// A flag is a line of the table: its name, one letter or "-", the kind of its value or "-"
// for a switch, the default or "-", what it does, and the verbs that have it.
type flag struct{ name, short, kind, initial, usage, verbs string }

// flagsOf returns the flags of a verb.
func flagsOf(verb string) (flags []flag) {
	for line := range strings.Lines(flagsText) {
		f := strings.Split(strings.TrimSpace(strings.ReplaceAll(line, "| -", "| ")), " | ")
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		if slices.Contains(strings.Fields(f[5]), verb) {
			flags = append(flags, flag{f[0], f[1], f[2], f[3], f[4], f[5]})
		}
	}
	return flags
}

// value is the value of a flag, as texts. They are checked later, so that all mistakes are
// shown at once.
type value struct {
	texts []string
	given bool
	kind  string
}

// Set adds a text. The first one replaces the default.
func (v *value) Set(text string) error {
	if !v.given {
		v.texts, v.given = nil, true
	}
	v.texts = append(v.texts, text)
	return nil
}

func (v *value) String() string { return strings.Join(v.texts, ",") }

// Type is what help calls the value.
func (v *value) Type() string {
	if v.kind == "" {
		return "bool"
	}
	return v.kind
}

// Flags adds the flags of the verb.
func (p *Plan) Flags(f *pflag.FlagSet) {
	f.SortFlags = false
	p.values = map[string]*value{}
	for _, def := range flagsOf(p.Verb) {
		v := &value{kind: def.kind}
		if def.initial != "" {
			v.texts = []string{def.initial}
		}
		if def.name == "pattern" {
			def.usage = strings.Join(PatternNames(p.Verb), " ") + " (default " + p.PatternsUsed()[0]
			if p.Verb == Lat {
				def.usage += ", with --rate " + record.OpenPattern
			}
			def.usage += ")"
		}
		p.values[def.name] = v
		flag := f.VarPF(v, def.name, def.short, def.usage)
		if def.kind == "" {
			flag.NoOptDefVal = "true"
		}
	}
}

// Choices returns the flags that take one of a few words, with the words.
func (p *Plan) Choices() map[string][]string {
	return map[string][]string{
		"transport": transports, "pattern": PatternNames(p.Verb), "api": apis, "arrivals": arrivals, "pace": paces, "security": securities,
	}
}

var (
	transports = []string{"inproc", "ipc", "tcp", "ws"}
	apis       = []string{"blocking", "batch"}
	arrivals   = []string{"uniform", "poisson"}
	paces      = []string{load.Auto, load.Spin, load.Sleep}
	securities = []string{"null", "curve"}
)

// Read completes the plan with the flags and, where they are not given, a plan file.
func (p *Plan) Read() {
	p.one("file", p.readFile)
	p.Transports = list(p, "transport", oneOf("transport", transports))
	p.Patterns = list(p, "pattern", oneOf("pattern", PatternNames("")))
	p.APIs = list(p, "api", oneOf("api", apis))
	p.Rates = list(p, "rate", parseRate)
	p.Sizes = list(p, "size", ParseSize)
	if p.OneSide() {
		p.one("peers", to(&p.Waiting, parseCount(0)))
	} else {
		p.Peers = list(p, "peers", parsePeers)
	}
	p.one("endpoint", to(&p.Endpoint, parseWord))
	p.one("duration", to(&p.Duration, parseDuration))
	p.one("warmup", to(&p.Warmup, parseDuration))
	p.one("repeat", to(&p.Repeat, parseCount(1)))
	p.one("arrivals", to(&p.Arrivals, oneOf("word", arrivals)))
	p.one("pace", to(&p.Pace, oneOf("word", paces)))
	if p.Verb == Churn {
		p.Securities = list(p, "security", oneOf("security", []string{"null", "plain", "curve"}))
		p.Security, p.Peers = "null", []Peers{{1, 1}}
	} else {
		p.one("security", to(&p.Security, parseWord))
	}
	p.one("start-at", to(&p.StartAt, parseTime))
	p.one("from", to(&p.From, parseRate))
	p.one("to", to(&p.To, parseRate))
	p.one("topic", to(&p.Topic, parseWord))
	p.one("topics", to(&p.Topics, parseCount(0)))
	p.one("payload", to(&p.Payload, parseWord))
	p.Parts = list(p, "parts", ParseSize)
	p.readPayload()
	p.one("wait", to(&p.Wait, parseDuration))
	p.one("idle", to(&p.Idle, parseDuration))
	p.one("metrics-addr", to(&p.MetricsAddr, parseWord))
	p.one("out", to(&p.Out, parseWord))
	p.one("count", to(&p.Count, parseCount(1)))
	if p.Verb == Send && p.Count > 0 {
		if p.values["duration"].given {
			p.unread.add("--duration with --count: a run ends after one of them; choose one")
		}
		p.Duration = 0
	}
	p.readRepeatable()
	for name, to := range map[string]*bool{"bind": &p.Attach, "connect": &p.Attach, "raw": &p.Raw, "allow-loss": &p.AllowLoss, "wide": &p.Wide, "verbose": &p.Verbose} {
		p.one(name, func(text string) error {
			given, err := strconv.ParseBool(text)
			if err != nil {
				return fmt.Errorf("%q is neither true nor false", text)
			}
			*to = *to || given
			return nil
		})
	}
}

// readRepeatable reads the flags that may be given several times.
func (p *Plan) readRepeatable() {
	p.each("slo", func(text string) error {
		o, err := record.ParseObjective(text)
		p.SLO = append(p.SLO, o)
		return err
	})
	p.each("sockopt", func(text string) error {
		name, number, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("%q is not an option; write NAME=NUMBER, such as SNDHWM=10, with one of %s", text, strings.Join(load.OptionNames(), " "))
		}
		p.Options[name] = number
		return nil
	})
}

// readPayload takes the size from the parts, or from the files.
func (p *Plan) readPayload() {
	size := 0
	switch given := p.values["size"] != nil && p.values["size"].given; {
	case len(p.Parts) == 0 && !load.IsFile(p.Payload):
		return
	case given:
		p.unread.add("--size with --parts or a file as --payload: these say how large messages are; leave --size out")
	case load.IsFile(p.Payload) && len(p.Parts) > 0:
		p.unread.add("--parts with --payload %s: a file is one part; choose one", p.Payload)
	}
	for _, n := range p.Parts {
		size += n
	}
	if load.IsFile(p.Payload) {
		size = p.readFiles()
	}
	p.Sizes = []int{size}
}

// readFiles returns the size of the files of the payload, on average.
func (p *Plan) readFiles() (size int) {
	all, err := load.Payloads(p.Payload, 0)
	switch {
	case err != nil:
		p.unread.add("--payload: %w; name a file or a directory, or use random or text", err)
	case len(all) > 1 && p.Verb != Send:
		p.unread.add("--payload %s: round trips are measured with messages of one size; name a file", p.Payload)
	}
	for _, data := range all {
		size += len(data)
		if len(data) < HeaderSize && p.Verb == Send && !p.values["raw"].given {
			p.unread.add("--payload: a file of %d B has no room for the %d-byte header; use --raw, which checks nothing", len(data), HeaderSize)
		}
	}
	return size / max(len(all), 1)
}

// each calls set with each text of a flag, and keeps what is wrong with them.
func (p *Plan) each(name string, set func(text string) error) {
	if p.values[name] == nil {
		return
	}
	for _, text := range p.values[name].texts {
		if err := set(text); err != nil {
			p.unread.add("--%s: %w", name, err)
		}
	}
}

// one calls set with the last text of a flag.
func (p *Plan) one(name string, set func(text string) error) {
	if v := p.values[name]; v != nil && len(v.texts) > 0 {
		v.texts = v.texts[len(v.texts)-1:]
		p.each(name, set)
	}
}

// list returns the values of a list.
func list[T any](p *Plan, name string, parse func(string) (T, error)) (all []T) {
	p.each(name, func(text string) error {
		for word := range strings.SplitSeq(text, ",") {
			v, err := parse(strings.TrimSpace(word))
			if err != nil {
				return err
			}
			all = append(all, v)
		}
		return nil
	})
	return all
}

// to returns a function that parses a text to a variable.
func to[T any](variable *T, parse func(string) (T, error)) func(string) error {
	return func(text string) error {
		v, err := parse(text)
		if err == nil {
			*variable = v
		}
		return err
	}
}

// notInFile are flags that say what is done with the result.
var notInFile = []string{"file", "out", "metrics-addr", "start-at"}

// readFile sets the flags that a plan file has and the command line has not. A plan is a
// mapping of flag names to a value or a list of values, and of "verb" to the verb.
func (p *Plan) readFile(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var file map[string]any
	if err := yaml.Unmarshal(data, &file); err != nil {
		return fmt.Errorf("%s: a plan is a mapping of flag names to values, such as 'transport: [ipc, tcp]' (%w)", path, err)
	}
	names := slices.Collect(maps.Keys(p.values))
	for key, entry := range file {
		v := p.values[key]
		switch {
		case key == "verb" && entry == p.Verb || v != nil && v.given:
			continue
		case key == "verb":
			p.unread.add("%s: the plan is for zbench %v", path, entry)
		case v == nil || slices.Contains(notInFile, key):
			p.unread.add("%s: unknown key %q%s", path, key, hint(Nearest(key, names), "; keys are the names of flags"))
		default:
			entries, isList := entry.([]any)
			if !isList {
				entries = []any{entry}
			}
			v.texts = nil
			for _, e := range entries {
				v.texts = append(v.texts, fmt.Sprint(e))
			}
		}
	}
	return nil
}

// Args returns the flags that were given, as arguments that give them again.
func (p *Plan) Args() (args []string) {
	for _, def := range flagsOf(p.Verb) {
		v := p.values[def.name]
		if !v.given || slices.Contains(notInFile[1:], def.name) {
			continue
		}
		for _, text := range v.texts {
			args = append(args, "--"+def.name+"="+text)
		}
	}
	return args
}

// File returns the plan as a file that --file takes.
func (p *Plan) File() ([]byte, error) {
	file := map[string]any{"verb": p.Verb}
	for name, v := range p.values {
		if len(v.texts) > 0 && !slices.Contains(notInFile, name) {
			file[name] = v.texts
			if len(v.texts) == 1 {
				file[name] = v.texts[0]
			}
		}
	}
	return yaml.Marshal(file)
}
