package plan

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// value is the value of a flag. It takes every text and reports what is wrong with it to
// the plan, so that all mistakes are shown at once.
type value struct {
	plan    *Plan
	name    string
	kind    string // what help calls it
	set     func(text string) error
	strings func() []string // the values, each as Set takes it
}

// Set never fails.
func (v *value) Set(text string) error {
	if err := v.set(text); err != nil {
		v.plan.unread.add("%s%s: %w", v.plan.source, v.name, err)
	}
	return nil
}

// String returns the values as one text.
func (v *value) String() string {
	if v.strings == nil { // pflag asks a zero value
		return ""
	}
	return strings.Join(v.strings(), ",")
}

// Type is what help calls the value.
func (v *value) Type() string { return v.kind }

// one is the set of a flag with one value.
func one[T any](to *T, parse func(string) (T, error)) func(string) error {
	return func(text string) error {
		v, err := parse(text)
		if err == nil {
			*to = v
		}
		return err
	}
}

// many is the set of a flag with a list of values. The first text replaces the default,
// further ones are added.
func many[T any](to *[]T, parse func(string) ([]T, error)) func(string) error {
	given := false
	return func(text string) error {
		var all []T
		for word := range strings.SplitSeq(text, ",") {
			values, err := parse(strings.TrimSpace(word))
			if err != nil {
				return err
			}
			all = append(all, values...)
		}
		if !given {
			*to, given = nil, true
		}
		*to = append(*to, all...)
		return nil
	}
}

// single makes the parser of a list of one of a single value.
func single[T any](parse func(string) (T, error)) func(string) ([]T, error) {
	return func(word string) ([]T, error) {
		v, err := parse(word)
		return []T{v}, err
	}
}

// words formats the values of a list.
func words[T any](of *[]T, format func(T) string) func() []string {
	return func() (all []string) {
		for _, v := range *of {
			all = append(all, format(v))
		}
		return all
	}
}

func parseWord(word string) (string, error) { return word, nil }

// oneOf parses a word that must be one of a few.
func oneOf(what string, choices []string) func(string) (string, error) {
	return func(word string) (string, error) {
		for _, c := range choices {
			if c == word {
				return word, nil
			}
		}
		if near := Nearest(word, choices); near != "" {
			return "", fmt.Errorf("unknown %s %q; did you mean %q?", what, word, near)
		}
		return "", fmt.Errorf("unknown %s %q; use one of %s", what, word, strings.Join(choices, " "))
	}
}

func parsePeers(word string) (Peers, error) {
	senders, receivers, ok := strings.Cut(word, ":")
	if !ok {
		receivers = "1"
	}
	s, err1 := strconv.Atoi(senders)
	r, err2 := strconv.Atoi(receivers)
	if err1 != nil || err2 != nil || s < 1 || r < 1 {
		return Peers{}, fmt.Errorf("%q is not senders:receivers; write 8, 8:1 or 1:10", word)
	}
	return Peers{s, r}, nil
}

func formatPeers(p Peers) string { return fmt.Sprintf("%d:%d", p.Senders, p.Receivers) }

func parseRate(word string) (float64, error) {
	v, err := record.ParseNumber(word)
	if err == nil && (v <= 0 || v > 1e9) {
		err = fmt.Errorf("%s messages per second: use more than 0 and at most 1e9", word)
	}
	return v, err
}

func formatRate(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func parseCount(least int) func(string) (int, error) {
	return func(word string) (int, error) {
		v, err := record.ParseNumber(word)
		if err != nil || v < float64(least) || v > math.MaxInt32*1000 || v != float64(int(v)) {
			return 0, fmt.Errorf("%q is not a count; write a whole number from %d up, such as 100 or 1M", word, least)
		}
		return int(v), nil
	}
}

func parseDuration(word string) (time.Duration, error) {
	d, err := time.ParseDuration(word)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a duration; write one such as 500ms, 3s or 1m", word)
	}
	return d, nil
}

// parseTime reads a time of today, a full one, or one from now.
func parseTime(word string) (time.Time, error) {
	now := time.Now()
	if d, err := time.ParseDuration(strings.TrimPrefix(word, "+")); err == nil && strings.HasPrefix(word, "+") {
		return now.Add(d), nil
	}
	if t, err := time.ParseInLocation(time.TimeOnly, word, time.Local); err == nil {
		return time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.Local), nil
	}
	if t, err := time.Parse(time.RFC3339, word); err == nil {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("%q is not a time; write one such as 12:00:00, 2026-01-31T12:00:00Z or +10s", word)
}

// sizeUnits are powers of two: a KB of a size is 1024 bytes, like a KiB.
var sizeUnits = []struct {
	names string
	bytes int
}{{"mib mb m", 1 << 20}, {"kib kb k", 1 << 10}, {"b", 1}}

// ParseSize reads a size such as 64, 1k, 1KB, 1KiB or 3MiB.
func ParseSize(word string) (int, error) {
	digits, factor := strings.ToLower(word), 1
	for _, u := range sizeUnits {
		for name := range strings.FieldsSeq(u.names) {
			if cut, ok := strings.CutSuffix(digits, name); ok && factor == 1 {
				digits, factor = cut, u.bytes
			}
		}
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 || n > math.MaxInt32/factor {
		return 0, fmt.Errorf("%q is not a size; write bytes, k or M, such as 64, 1k, 1KiB or 64..64k*4", word)
	}
	return n * factor, nil
}

// FormatSize returns a size as ParseSize takes it.
func FormatSize(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return strconv.Itoa(n>>20) + "M"
	case n >= 1<<10 && n%(1<<10) == 0:
		return strconv.Itoa(n>>10) + "k"
	}
	return strconv.Itoa(n)
}

// parseSizes reads one size, or a sweep such as 64..64k*4.
func parseSizes(word string) ([]int, error) {
	from, rest, sweep := strings.Cut(word, "..")
	if !sweep {
		n, err := ParseSize(word)
		return []int{n}, err
	}
	to, times, _ := strings.Cut(rest, "*")
	first, err := ParseSize(from)
	if err != nil {
		return nil, err
	}
	last, err := ParseSize(to)
	if err != nil {
		return nil, err
	}
	factor := 2
	if times != "" {
		factor, _ = strconv.Atoi(times) // 0 is refused below
	}
	if first < 1 || last < first || factor < 2 {
		return nil, fmt.Errorf("%q is not a sweep of sizes; write one such as 64..64k*4, from 1 byte up and by a factor of 2 or more", word)
	}
	var list []int
	for n := first; n <= last; n *= factor {
		list = append(list, n)
	}
	return list, nil
}
