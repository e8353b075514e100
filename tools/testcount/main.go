// Command testcount reads the output of `go test -json` and prints what plain `go test`
// would print. At the end it prints the failed tests, the last lines of their output, and a
// line that counts the tests:
//
//	failed: example.com/p TestA/sub
//	    a_test.go:1: wrong
//	race: 120 passed, 1 failed, 2 skipped
//
// Each test and each subtest is counted. If a package fails and none of its tests did, that
// is one failure: the package does not compile, it crashed, or a sanitizer found an error at
// its end. The exit status is 1 if something failed, or if no test passed.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	name := flag.String("name", "test", "what to print before the count")
	verbose := flag.Bool("v", false, "show the output of tests that passed, too")
	flag.Parse()

	c := counter{out: os.Stdout, verbose: *verbose}
	if err := c.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testcount: reading standard input:", err)
		os.Exit(1)
	}
	c.recall()
	fmt.Printf("%s: %d passed, %d failed, %d skipped\n", *name, c.passed, c.failed, c.skipped)
	switch {
	case c.failed > 0:
		os.Exit(1)
	case c.passed == 0:
		fmt.Fprintln(os.Stderr, "testcount: no test passed: see RUN and PKG")
		os.Exit(1)
	}
}

// event is one line of go test -json; see go doc test2json.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

// line is a line of output and the test that wrote it, or "" for the package.
type line struct{ test, text string }

// report has the events of a package that has not ended.
type report struct {
	lines  []line
	open   map[string]bool // tests that began and did not end
	quiet  map[string]bool // tests that passed, whose output is dropped
	bad    map[string]bool // tests that failed, in some round of several
	failed []string
}

// failure is a failed test, or a failed package without a failed test: then test is "".
type failure struct {
	name, test string
	last       []string // of what it wrote
}

const (
	recalledLines = 12 // of a failure
	recalled      = 10 // failures of which lines are shown
	shownLine     = 300
)

// counter adds up the events of all packages.
type counter struct {
	out                     io.Writer
	verbose                 bool
	passed, failed, skipped int
	packages                map[string]*report
	failures                []failure
}

func (c *counter) read(r io.Reader) error {
	c.packages = map[string]*report{}
	input := bufio.NewReader(r)
	for {
		text, err := input.ReadString('\n')
		if text != "" {
			var e event
			if json.Unmarshal([]byte(text), &e) == nil && e.Action != "" {
				c.add(e)
			} else {
				// Other lines come from the go command itself.
				fmt.Fprint(c.out, text)
			}
		}
		if err == io.EOF {
			c.unfinished()
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (c *counter) add(e event) {
	if e.Package == "" { // the output of a build
		fmt.Fprint(c.out, e.Output)
		return
	}
	p := c.packages[e.Package]
	if p == nil {
		p = &report{open: map[string]bool{}, quiet: map[string]bool{}, bad: map[string]bool{}}
		c.packages[e.Package] = p
	}
	if e.Test == "" {
		switch e.Action {
		case "output":
			p.lines = append(p.lines, line{text: e.Output})
		case "pass", "fail", "skip":
			c.end(e.Package, e.Action == "fail")
		}
		return
	}
	switch e.Action {
	case "run":
		p.open[e.Test] = true
	case "output":
		p.lines = append(p.lines, line{e.Test, e.Output})
	case "pass":
		c.passed++
		delete(p.open, e.Test)
		p.quiet[e.Test] = true
	case "skip":
		c.skipped++
		delete(p.open, e.Test)
	case "fail":
		c.failed++
		delete(p.open, e.Test)
		p.failed = append(p.failed, e.Test)
		p.bad[e.Test] = true
	}
}

// end shows the package and forgets it.
func (c *counter) end(name string, failed bool) {
	p := c.packages[name]
	delete(c.packages, name)
	// A test that a crash or a timeout interrupts never ends. It is the failure of the
	// package.
	c.failed += len(p.open)
	p.failed = append(p.failed, slices.Sorted(maps.Keys(p.open))...)
	if failed && len(p.failed) == 0 {
		c.failed++
		p.failed = []string{""}
	}
	for _, test := range p.failed {
		c.failures = append(c.failures, failure{name, test, p.last(test)})
	}
	for _, l := range p.lines {
		if c.verbose || wanted(p, l) {
			fmt.Fprint(c.out, l.text)
		}
	}
}

// last returns the last lines of output of a test.
func (p *report) last(test string) []string {
	var last []string
	for _, l := range p.lines {
		text := strings.TrimRight(l.text, "\n")
		if l.test != test || !wanted(p, l) || text == "" {
			continue
		}
		if len(text) > shownLine {
			text = text[:shownLine] + " ..."
		}
		last = append(last, text)
	}
	return last[max(0, len(last)-recalledLines):]
}

// recall repeats the failures at the end, because logs have thousands of lines, and some
// logs keep only their end.
func (c *counter) recall() {
	for i, f := range c.failures {
		fmt.Fprintf(c.out, "failed: %s %s\n", f.name, f.test)
		if i >= recalled {
			continue
		}
		for _, text := range f.last {
			fmt.Fprintf(c.out, "    %s\n", strings.TrimLeft(text, " "))
		}
	}
}

// wanted reports whether to print a line: if plain go test does, or if it says why a test
// was skipped.
func wanted(p *report, l line) bool {
	if l.test == "" {
		return l.text != "PASS\n" && l.text != "FAIL\n"
	}
	for _, chatter := range []string{"=== RUN", "=== PAUSE", "=== CONT", "=== NAME"} {
		if strings.HasPrefix(l.text, chatter) {
			return false
		}
	}
	return !p.quiet[l.test] || p.bad[l.test]
}

// unfinished counts the packages whose end was never reported, because the go command was
// killed.
func (c *counter) unfinished() {
	for name := range c.packages {
		c.end(name, true)
		fmt.Fprintf(c.out, "FAIL\t%s [no end reported]\n", name)
	}
}
