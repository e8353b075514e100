package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/slo"
)

// list is a flag with a list of values. The first that is given replaces the
// default, further ones are added.
type list[T any] struct {
	values *[]T
	parse  func(string) ([]T, error)
	format func(T) string
	kind   string
	whole  bool // a comma is part of a value
	given  bool
}

func (l *list[T]) Set(text string) error {
	words := []string{text}
	if !l.whole {
		words = strings.Split(text, ",")
	}
	var all []T
	for _, word := range words {
		values, err := l.parse(strings.TrimSpace(word))
		if err != nil {
			return err
		}
		all = append(all, values...)
	}
	if !l.given {
		*l.values, l.given = nil, true
	}
	*l.values = append(*l.values, all...)
	return nil
}

func (l *list[T]) String() string {
	if l.values == nil { // pflag asks a zero value
		return ""
	}
	return strings.Join(l.Strings(), ",")
}

// Strings returns the values one by one, each as Set takes it.
func (l *list[T]) Strings() []string {
	words := make([]string, len(*l.values))
	for i, v := range *l.values {
		words[i] = l.format(v)
	}
	return words
}

// Args returns the values as arguments: one by one, if a comma is part of a value.
func (l *list[T]) Args() []string {
	if l.whole {
		return l.Strings()
	}
	return []string{l.String()}
}

func (l *list[T]) Type() string { return l.kind }

func same(s string) string { return s }

// oneOf is a list of words of which all are known.
func oneOf(what string, choices func() []string) func(string) ([]string, error) {
	return func(word string) ([]string, error) {
		all := choices()
		for _, c := range all {
			if c == word {
				return []string{word}, nil
			}
		}
		if near := nearest(word, all); near != "" {
			return nil, fmt.Errorf("unknown %s %q; did you mean %q?", what, word, near)
		}
		return nil, fmt.Errorf("unknown %s %q; use one of %s", what, word, strings.Join(all, " "))
	}
}

func parsePeers(word string) ([]Peers, error) {
	senders, receivers, ok := strings.Cut(word, ":")
	s, err1 := strconv.Atoi(senders)
	r, err2 := strconv.Atoi(receivers)
	if !ok || err1 != nil || err2 != nil || s < 1 || r < 1 {
		return nil, fmt.Errorf("%q are no peers; write senders:receivers, such as 1:10 or 8:1", word)
	}
	return []Peers{{s, r}}, nil
}

func formatPeers(p Peers) string { return fmt.Sprintf("%d:%d", p.Senders, p.Receivers) }

func parseRate(word string) ([]float64, error) {
	v, err := slo.ParseNumber(word)
	if err != nil {
		return nil, err
	}
	if v <= 0 || v > 1e9 {
		return nil, fmt.Errorf("%s messages a second: use more than 0 and at most 1e9", word)
	}
	return []float64{v}, nil
}

func formatRate(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func parseCount(word string) ([]int, error) {
	v, err := slo.ParseNumber(word)
	if err != nil || v < 1 || v != float64(int(v)) {
		return nil, fmt.Errorf("%q is no count; write a whole number from 1 up, such as 100 or 1M", word)
	}
	return []int{int(v)}, nil
}

// one is a flag with a single value that needs parsing.
type one[T any] struct {
	value  *T
	parse  func(string) ([]T, error)
	format func(T) string
	kind   string
}

func (o *one[T]) Set(text string) error {
	values, err := o.parse(text)
	if err == nil {
		*o.value = values[0]
	}
	return err
}

func (o *one[T]) String() string {
	if o.value == nil {
		return ""
	}
	return o.format(*o.value)
}

func (o *one[T]) Type() string { return o.kind }

// setting is a flag that sets an entry of a map.
type setting struct {
	to    map[string]string
	name  string // "": the flag's value is NAME=VALUE
	kind  string
	names []string // of those, the ones that were set
}

func (s *setting) Set(text string) error {
	name, value := s.name, text
	if name == "" {
		var ok bool
		if name, value, ok = strings.Cut(text, "="); !ok {
			return fmt.Errorf("%q is no option; write NAME=VALUE, such as SNDHWM=0", text)
		}
	}
	s.to[name] = value
	if s.name == "" && !slices.Contains(s.names, name) {
		s.names = append(s.names, name)
	}
	return nil
}

func (s *setting) String() string { return strings.Join(s.Strings(), ",") }

// Strings returns the values one by one, each as Set takes it.
func (s *setting) Strings() (words []string) {
	if s.name != "" {
		return []string{s.to[s.name]}
	}
	for _, name := range slices.Sorted(slices.Values(s.names)) {
		words = append(words, name+"="+s.to[name])
	}
	return words
}

// Args returns the values as arguments.
func (s *setting) Args() []string { return s.Strings() }

func (s *setting) Type() string { return s.kind }

// durationValue is pflag's, except that a number without a unit says what is wrong.
func parseDuration(word string) ([]time.Duration, error) {
	d, err := time.ParseDuration(word)
	if err != nil || d < 0 {
		return nil, fmt.Errorf("%q is no duration; write one such as 500ms, 3s or 1m", word)
	}
	return []time.Duration{d}, nil
}

func duration(flags *pflag.FlagSet, to *time.Duration, name, short, usage string) {
	flags.VarP(&one[time.Duration]{to, parseDuration, time.Duration.String, "duration"}, name, short, usage)
}
