package plan

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// notInFile are flags that say what is done with the result.
var notInFile = []string{"file", "help", "out", "metrics-addr", "start-at"}

// verbKey is the key of a plan file that is not a flag.
const verbKey = "verb"

// Read completes the plan with a plan file. The command line has precedence.
func (p *Plan) Read(flags *pflag.FlagSet) {
	if p.Verb == Send && flags.Changed("duration") && flags.Changed("count") {
		p.unread.add("--duration with --count: a run ends after one of them; choose one")
	}
	if p.file == "" {
		return
	}
	data, err := os.ReadFile(p.file)
	if err != nil {
		p.unread.add("--file: %w", err)
		return
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		p.unread.add("%s: %w", p.file, err)
		return
	}
	if len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		p.unread.add("%s: a plan is a mapping of flag names to values, such as 'transport: [ipc, tcp]'", p.file)
		return
	}
	pairs := document.Content[0].Content
	for i := 0; i+1 < len(pairs); i += 2 {
		p.readPair(flags, pairs[i], pairs[i+1])
	}
	p.source = "--"
}

func (p *Plan) readPair(flags *pflag.FlagSet, key, node *yaml.Node) {
	p.source = fmt.Sprintf("%s:%d: ", p.file, key.Line)
	if key.Value == verbKey {
		if node.Value != p.Verb {
			p.unread.add("%sthe plan is for zbench %s", p.source, node.Value)
		}
		return
	}
	f := flags.Lookup(key.Value)
	if f == nil || slices.Contains(notInFile, key.Value) {
		var names []string
		flags.VisitAll(func(f *pflag.Flag) {
			if !slices.Contains(notInFile, f.Name) {
				names = append(names, f.Name)
			}
		})
		hint := "; keys are the names of flags: " + strings.Join(names, " ")
		if near := Nearest(key.Value, names); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		p.unread.add("%sunknown key %q%s", p.source, key.Value, hint)
		return
	}
	if f.Changed { // on the command line
		return
	}
	values := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		values = node.Content
	}
	for _, v := range values {
		if v.Kind != yaml.ScalarNode {
			p.unread.add("%s%s takes a value, or a list of values", p.source, key.Value)
			return
		}
		if err := f.Value.Set(v.Value); err != nil { // of a switch
			p.unread.add("%s%s: use true or false", p.source, key.Value)
		}
	}
}

// Args returns the flags that were given as arguments that give them again.
func Args(flags *pflag.FlagSet) (args []string) {
	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains(notInFile, f.Name) && f.Name != "file" {
			return
		}
		values := []string{f.Value.String()}
		if v, ok := f.Value.(*value); ok && (f.Name == "slo" || f.Name == "sockopt") {
			values = v.strings()
		}
		for _, v := range values {
			args = append(args, "--"+f.Name+"="+v)
		}
	})
	return args
}

// File returns the plan as a file that --file takes.
func (p *Plan) File(flags *pflag.FlagSet) ([]byte, error) {
	node := &yaml.Node{Kind: yaml.MappingNode}
	add := func(name string, values ...string) {
		v := &yaml.Node{Kind: yaml.ScalarNode}
		if len(values) == 1 {
			v.Value = values[0]
		} else {
			v.Kind, v.Style = yaml.SequenceNode, yaml.FlowStyle
			for _, text := range values {
				v.Content = append(v.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: text})
			}
		}
		node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, v)
	}
	add(verbKey, p.Verb)
	flags.VisitAll(func(f *pflag.Flag) {
		if slices.Contains(notInFile, f.Name) || f.Value.String() == "" || f.Value.String() == "false" {
			return
		}
		values := []string{f.Value.String()}
		if v, ok := f.Value.(*value); ok {
			values = v.strings()
		}
		add(f.Name, values...)
	})
	return yaml.Marshal(node)
}
