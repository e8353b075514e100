package plan

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// notInFile are flags that say what is done with the result, or where the plan is.
var notInFile = []string{"file", "help", "append", "force", "yes", "metrics-addr"}

// Prefix begins the environment variable of each flag: ZBENCH_SIZE is --size,
// ZBENCH_NO_PROGRESS --no-progress.
const Prefix = "ZBENCH_"

// Read gives values to the flags that the command line does not have: from the
// environment, and those that are not there either from the plan file. getenv is
// os.LookupEnv.
func (p *Plan) Read(flags *pflag.FlagSet, getenv func(string) (string, bool)) error {
	problems := gathered(flags)
	ended := hasEnd(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		name := Prefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, ok := getenv(name)
		if f.Changed || !ok || f.Name == "help" || ended && isEnd(f.Name) {
			return
		}
		if err := set(flags, f, value); err != nil {
			problems.add("%s=%s: %w", name, value, err)
		}
	})
	if p.file != "" {
		problems = append(problems, p.readFile(flags)...)
	}
	if p.JSON {
		p.Format = "json"
	}
	if p.Smoke {
		p.Duration, p.Warmup, p.Repeat, p.Count = shortest/2, shortest/10, 1, 0
	}
	if flags.Changed("duration") && flags.Changed("count") {
		problems.add("--duration with --count: a run ends after one of them; choose")
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// isEnd reports whether a flag says when a run ends. One of them takes the place of the
// other, when it is from where the last word is.
func isEnd(name string) bool { return name == "duration" || name == "count" }

func hasEnd(flags *pflag.FlagSet) bool { return flags.Changed("duration") || flags.Changed("count") }

// readFile reads a plan file: a mapping of flags' names to a value or a list of
// values.
func (p *Plan) readFile(flags *pflag.FlagSet) (problems Problems) {
	data, err := os.ReadFile(p.file)
	if err != nil {
		problems.add("--file: %w", err)
		return problems
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		problems.add("%s: %w", p.file, err)
		return problems
	}
	if len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		problems.add("%s: a plan is a mapping of flags' names to values, such as 'transport: [ipc, tcp]'", p.file)
		return problems
	}
	pairs := document.Content[0].Content
	seen, ended := map[string]bool{}, hasEnd(flags)
	for i := 0; i+1 < len(pairs); i += 2 {
		key, value := pairs[i], pairs[i+1]
		where := fmt.Sprintf("%s:%d", p.file, key.Line)
		f := flags.Lookup(key.Value)
		switch {
		case f == nil || slices.Contains(notInFile, key.Value):
			problems.add("%s: unknown key %q%s", where, key.Value, p.suggest(flags, key.Value))
			continue
		case seen[key.Value]:
			problems.add("%s: %q is there twice", where, key.Value)
			continue
		}
		seen[key.Value] = true
		if f.Changed || ended && isEnd(f.Name) { // the command line and the environment have the last word
			continue
		}
		for _, text := range scalars(value) {
			if text == nil {
				problems.add("%s: %q takes a value, or a list of values", where, key.Value)
				break
			}
			if err := set(flags, f, *text); err != nil {
				problems.add("%s: %s: %w", where, key.Value, err)
			}
		}
	}
	return problems
}

// scalars returns the values of a node; nil stands for what is none.
func scalars(n *yaml.Node) []*string {
	switch n.Kind {
	case yaml.ScalarNode:
		return []*string{&n.Value}
	case yaml.SequenceNode:
		var all []*string
		for _, item := range n.Content {
			if item.Kind != yaml.ScalarNode {
				return []*string{nil}
			}
			all = append(all, &item.Value)
		}
		return all
	}
	return []*string{nil}
}

func (p *Plan) suggest(flags *pflag.FlagSet, name string) string {
	var names []string
	flags.VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(notInFile, f.Name) && !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := nearest(name, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return "; keys are the names of flags: " + strings.Join(names, " ")
}

// Given returns the flags that were given, from wherever, with their values.
func Given(flags *pflag.FlagSet) map[string]string {
	given := map[string]string{}
	flags.Visit(func(f *pflag.Flag) {
		if !slices.Contains(notInFile, f.Name) && f.Name != "out" {
			given[f.Name] = f.Value.String()
		}
	})
	return given
}

// Args returns the flags that were given as arguments, with which a command line gives
// them again.
func Args(flags *pflag.FlagSet) (args []string) {
	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains(notInFile, f.Name) || f.Name == "out" {
			return
		}
		values := []string{f.Value.String()}
		if v, ok := f.Value.(interface{ Args() []string }); ok {
			values = v.Args()
		}
		for _, v := range values {
			args = append(args, "--"+f.Name+"="+v)
		}
	})
	return args
}

// WriteFile writes the plan as a file that zbench matrix -f takes.
func (p *Plan) WriteFile(path string, flags *pflag.FlagSet) error {
	node := &yaml.Node{Kind: yaml.MappingNode}
	add := func(name string, values ...string) {
		value := &yaml.Node{Kind: yaml.ScalarNode}
		if len(values) == 1 {
			value.Value = values[0]
		} else {
			value.Kind, value.Style = yaml.SequenceNode, yaml.FlowStyle
			for _, v := range values {
				value.Content = append(value.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: v})
			}
		}
		node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, value)
	}
	if p.Verb != Matrix {
		add("measure", p.Measures...)
	}
	flags.VisitAll(func(f *pflag.Flag) {
		value := f.Value.String()
		if slices.Contains(notInFile, f.Name) || f.Hidden || f.Name == "out" || value == "" || value == "false" || p.Verb == Curve && isCurveFlag(f.Name) {
			return
		}
		l, isList := f.Value.(interface{ Strings() []string })
		switch {
		case f.Name == "duration" && p.Count > 0, f.Name == "count" && p.Count == 0:
		case isList:
			add(f.Name, l.Strings()...)
		default:
			add(f.Name, value)
		}
	})
	if p.Verb == Curve {
		p.writeCurve(add)
	}
	data, err := yaml.Marshal(node)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// writeCurve writes what curve has and matrix has not: the rates, of a search that has
// yet to come the first, and the pattern that they are for.
func (p *Plan) writeCurve(add func(string, ...string)) {
	if len(p.Patterns) == 0 {
		add("pattern", p.patternsOf(Lat)...)
	}
	rates := []string{formatRate(p.From)}
	if len(p.Rates) > 0 {
		rates = nil
	}
	for _, r := range p.Rates {
		rates = append(rates, formatRate(r))
	}
	add("rate", rates...)
}

func isCurveFlag(name string) bool { return name == "rates" || name == "from" || name == "to" }
