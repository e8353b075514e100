package compare

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// known returns the direction of a unit by its name: +1 if more is better.
func known(unit string) int {
	switch unit {
	case "msg/s", "GB/s", "B/s", "sent-msg/s", "hit-%":
		return 1
	case "lost", "gc/op", "stalls/op", "idle-cpu-%":
		return -1
	}
	name, per, _ := strings.Cut(unit, "/")
	switch {
	case per == "s":
		return 1
	case name == "sec" || strings.HasSuffix(name, "-sec"):
		return -1
	case name == "B" || name == "allocs" || name == "cgo" || name == "instructions":
		return -1
	}
	return 0
}

// A Gate fails a comparison in which a unit changed for the worse, significantly and
// by more than a share.
type Gate struct {
	Unit    string // as x/perf has it: "sec/op"
	Percent float64
	Up      bool // growth fails; otherwise decrease does
	text    string
}

// String returns the gate as it was written.
func (g Gate) String() string { return g.text }

// ParseGate takes "msg/s:-5%", "allocs/msg:+0" or, for units whose direction is
// known, "msg/s:5%".
func ParseGate(text string) (Gate, error) {
	unit, limit, ok := strings.Cut(text, ":")
	if !ok || unit == "" {
		return Gate{}, fmt.Errorf("--fail-on %q: use UNIT:±N%%, such as 'msg/s:-5%%' or 'allocs/msg:+0'", text)
	}
	number := strings.TrimSuffix(limit, "%")
	percent, err := strconv.ParseFloat(strings.TrimLeft(number, "+-"), 64)
	signed := strings.HasPrefix(number, "+") || strings.HasPrefix(number, "-")
	if err != nil || math.IsNaN(percent) || math.IsInf(percent, 0) || percent < 0 || strings.Count(number, "+")+strings.Count(number, "-") > 1 {
		return Gate{}, fmt.Errorf("--fail-on %q: %q is no limit; use ±N%%, such as -5%% or +0", text, limit)
	}
	g := Gate{Percent: percent, text: text}
	_, g.Unit = benchunit.Tidy(1, unit)
	better := known(g.Unit)
	g.Up = strings.HasPrefix(number, "+")
	switch {
	case !signed && better == 0:
		return Gate{}, fmt.Errorf("--fail-on %q: whether more %s is better is not known; write %s:+%s or %s:-%s", text, unit, unit, limit, unit, limit)
	case !signed:
		g.Up = better < 0
	case better > 0 && g.Up:
		return Gate{}, fmt.Errorf("--fail-on %q: more %s is better; write %s:-%s to fail when there is less", text, unit, unit, strings.TrimPrefix(number, "+")+"%")
	case better < 0 && !g.Up:
		return Gate{}, fmt.Errorf("--fail-on %q: less %s is better; write %s:+%s to fail when there is more", text, unit, unit, strings.TrimPrefix(number, "-")+"%")
	}
	return g, nil
}

// gate notes the gates that the change breaks.
func (c *Change) gate(gates []Gate) {
	for _, g := range gates {
		if g.Unit != c.Unit || !c.Changed {
			continue
		}
		if g.Up && c.Percent > g.Percent || !g.Up && c.Percent < -g.Percent {
			c.Failed = append(c.Failed, g)
		}
	}
}

// RefusedError says why two results cannot be compared: all of it, a line each.
type RefusedError struct{ why []string }

func (e RefusedError) Error() string { return strings.Join(e.why, "\n") }

// fewest is the least number of runs on each side that can show p < 0.05.
const fewest = 4

func refuse(old, now *series.Set, r *Result, o Options) error {
	var why []string
	if r.Cells == 0 {
		why = append(why, fmt.Sprintf("%s and %s have no benchmark in common: compare results of one plan", old.From, now.From))
	}
	for _, set := range []*series.Set{old, now} {
		for _, reason := range set.Instrumented {
			why = append(why, reason+", which changes the times: measure without")
		}
		if !o.AllowPartial {
			for _, reason := range set.Partial {
				why = append(why, reason+": measure again, or compare the rest with --allow-partial")
			}
		}
		if !o.CrossMachine {
			for _, reason := range set.Mixed {
				why = append(why, reason+": measure on one, or see both without verdicts with --cross-machine")
			}
		}
	}
	if len(r.Unlike) > 0 && !o.CrossMachine {
		why = append(why, fmt.Sprintf("the machines differ (%s): measure both on one, or see both without verdicts with --cross-machine", strings.Join(r.Unlike, "; ")))
	}
	if !r.Verdicts && o.CrossMachine && len(o.Gates) > 0 {
		why = append(why, "--fail-on with --cross-machine: there are no verdicts between machines; leave one out")
	}
	for _, g := range o.Gates {
		why = append(why, g.refuse(old, now)...)
	}
	if len(why) > 0 {
		return RefusedError{why}
	}
	return nil
}

// refuse looks for the gate's unit, and for enough runs of it.
func (g Gate) refuse(old, now *series.Set) []string {
	found := false
	for _, s := range now.Series {
		was := old.Named(s.Name)
		if was == nil || !was.Has(g.Unit) || !s.Has(g.Unit) {
			continue
		}
		found = true
		exact := old.Units.Get(g.Unit, "assume") != nil && now.Units.Get(g.Unit, "assume") != nil
		if n := min(len(was.Values[g.Unit]), len(s.Values[g.Unit])); n < fewest && !exact {
			return []string{fmt.Sprintf("--fail-on %s: %s has %d runs: %d repeats are the least that can show p < 0.05", g, s.Name, n, fewest)}
		}
	}
	if !found {
		return []string{fmt.Sprintf("--fail-on %s: no benchmark has this unit in both results", g)}
	}
	return nil
}
