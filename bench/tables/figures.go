package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// A table of figures is written by hand, except for its figures. A cell that ends with a
// comment shows what the comment names:
//
//	<!-- figures Receive/size=64/mode=blocking/impl=go results/marks.txt -->
//	| you have | choose | 64 B | / C |
//	| --- | --- | ---: | ---: |
//	| many small messages | `RecvBatch` | 2.17 M <!-- mode=batch --> | 1.17 <!-- mode=batch vs impl=c --> |
//	<!-- end -->
//
// The comment has the changes in the keys of the benchmark at the head, or the name of
// another one, with its file if it is in another: waiting.txt:RoundTrip/size=64/impl=go.
// Then it may name a quantity, and after vs the benchmark of a ratio.
var figure = regexp.MustCompile(`\| [^|\n]*<!-- (\S+)(?: (rate|ns|cpu|p50|p99|p99\.9|threads))?(?: vs (\S+))? -->`)

// quantities are the units that a figure can have.
var quantities = map[string]column{
	"rate":    rate,
	"ns":      {unit: took, scale: 1e9},
	"cpu":     {unit: cpuTook, scale: 1e9},
	"p50":     {unit: "p50-sec", scale: 1e6},
	"p99":     {unit: "p99-sec", scale: 1e6},
	"p99.9":   {unit: "p99.9-sec", scale: 1e6},
	"threads": {unit: "threads", as: plain("%.0f")},
}

// figures returns the table with the figures of the results in path.
func figures(old []byte, base, path string) ([]byte, error) {
	var failed error
	sets := results{}
	text := figure.ReplaceAllFunc(old, func(cell []byte) []byte {
		_, comment, _ := strings.Cut(string(cell), "<!-- ")
		parts := figure.FindSubmatch(cell)
		value, err := sets.quoted(base, path, string(parts[1]), string(parts[2]), string(parts[3]))
		if err != nil {
			failed = fmt.Errorf("%s: %w", cell, err)
		}
		return fmt.Appendf(nil, "| %s <!-- %s", value, comment)
	})
	if strings.Count(string(old), "<!--") != len(figure.FindAll(old, -1)) {
		return nil, fmt.Errorf("a comment in the table is not that of a figure")
	}
	return text, failed
}

// results are the sets of the files that were read, by their paths.
type results map[string]*set

func (sets results) load(path string) (*set, error) {
	if s := sets[path]; s != nil {
		return s, nil
	}
	s, err := load(path)
	sets[path] = s
	return s, err
}

// quoted returns one figure.
func (sets results) quoted(base, path, changes, quantity, per string) (string, error) {
	if file, name, other := strings.Cut(changes, ":"); other {
		path, base, changes = filepath.Join(filepath.Dir(path), filepath.FromSlash(file)), name, ""
	}
	s, err := sets.load(path)
	if err != nil {
		return "", err
	}
	one := s.with(s.named(base), changes)
	if one == nil {
		return "", fmt.Errorf("%s has no benchmark %s with %q", path, base, changes)
	}
	c, ok := quantities[quantity]
	switch {
	case !ok && per == "":
		c = rate
	case !ok:
		c = column{unit: took}
	}
	unit, ok := one.unit(c.unit)
	if !ok {
		return "", fmt.Errorf("%s: %s was not measured", one.result.Name, c.unit)
	}
	if per != "" {
		other := s.with(one, per)
		if other == nil {
			return "", fmt.Errorf("%s has no benchmark %s with %q", path, one.result.Name, per)
		}
		return ratio(one, other, unit), nil
	}
	text := digits(one.median(unit).Center * c.scale)
	if c.as != nil {
		text = c.as(one, unit, 1)
	}
	if one.uncertain(unit) {
		text += " †"
	}
	return text, nil
}

// named returns the benchmark of a name such as Receive/size=64/impl=go, or nil.
func (s *set) named(name string) *series {
	keys := map[string]string{}
	for i, part := range strings.Split(name, "/") {
		if key, value, ok := strings.Cut(part, "="); ok {
			keys[key] = value
		} else if i == 0 {
			keys[".name"] = part
		}
	}
	return s.known[identity(keys)]
}
