package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plot"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// ours returns this binding's series for which keep holds. Those of roles are of one end,
// with whatever is at the other, and compare with nothing.
func ours(d *series.Set, keep func(*series.Series) bool) []*series.Series {
	var kept []*series.Series
	for _, s := range d.Series {
		if s.Keys["impl"] == "go" && !has(s, "verb") && timeUnit(s) != "" && keep(s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// timeUnit is the unit of the time that a message took, or a round trip; "" if the
// series has neither.
func timeUnit(s *series.Series) string {
	for _, unit := range []string{"sec/msg", "sec/op"} {
		if s.Has(unit) {
			return unit
		}
	}
	return ""
}

func cpuUnit(unit string) string { return "cpu-" + unit }

// has reports whether a name has one of the keys.
func has(s *series.Series, keys ...string) bool {
	for _, key := range keys {
		if s.Keys[key] != "" {
			return true
		}
	}
	return false
}

// The keys of what differs from the usual.
var (
	secureKeys = []string{"curve", "security"}
	engineKeys = []string{"engine", "inbatch", "outbatch"}
)

// ordinary reports whether none of the keys of other tables is in a name.
func ordinary(s *series.Series) bool {
	return !has(s, secureKeys...) && !has(s, engineKeys...) && !has(s, "marks", "rate", "options", "sockets", "ready", "ahead", "api")
}

// columns returns the keys in which the series differ, in the order of their names'.
func columns(all []*series.Series, without ...string) []string {
	order := []string{"pattern", "transport", "peers", "senders", "receivers", "subs", "window", "size", "mode", "strategy"}
	for _, s := range all {
		for key := range s.Keys {
			if !slices.Contains(order, key) {
				order = append(order, key)
			}
		}
	}
	slices.Sort(order[10:])
	return slices.DeleteFunc(order, func(key string) bool {
		if slices.Contains(without, key) {
			return true
		}
		return !slices.ContainsFunc(all, func(s *series.Series) bool { return s.Keys[key] != all[0].Keys[key] })
	})
}

// sayCommon adds what all series have in common, which no column says.
func (t *Table) sayCommon(all []*series.Series) *Table {
	varying := columns(all, "impl")
	var words []string
	for _, key := range []string{"pattern", "transport", "size", "mode", "strategy"} {
		if value := all[0].Keys[key]; value != "" && !slices.Contains(varying, key) {
			words = append(words, key+" "+value)
		}
	}
	if len(words) > 0 {
		t.say("Everywhere: %s.", strings.Join(words, ", "))
	}
	return t
}

// A ratio is a column that compares with the series that has other values.
type ratio struct {
	head   string
	values []map[string]string // the first that there is
}

// versusC has a row for each series: in what it differs from the others, its time,
// the same loop's in C, and other ratios.
func versusC(d *series.Set, all []*series.Series, more ...ratio) *Table {
	if len(all) == 0 {
		return nil
	}
	keys := columns(all, "impl")
	head := table.Row{}
	bases := slices.ContainsFunc(all, func(s *series.Series) bool { return s.Base != all[0].Base })
	if bases || len(keys) == 0 {
		head = table.Row{"benchmark"}
	}
	for _, key := range keys {
		head = append(head, key)
	}
	words := len(head)
	head = append(head, "go ns/msg", "C ns/msg", "go/C", "go/C, cpu")
	for _, r := range more {
		head = append(head, r.head)
	}
	head = append(head, "go msg/s", "crossings/msg")
	var rows []table.Row
	runs := math.MaxInt
	for _, s := range all {
		unit := timeUnit(s)
		row := table.Row{}
		if bases || len(keys) == 0 {
			row = append(row, strings.ToLower(s.Base))
		}
		for _, key := range keys {
			row = append(row, s.Keys[key])
		}
		row = append(row, nanoseconds(s, unit))
		runs = min(runs, len(s.Values[unit]))
		if floor := d.Twin(s, "c"); floor != nil && floor.Has(unit) {
			row = append(row, nanoseconds(floor, unit), times(s, floor, unit), times(s, floor, cpuUnit(unit)))
			runs = min(runs, len(floor.Values[unit]))
		} else {
			row = append(row, "", "", "")
		}
		for _, r := range more {
			row = append(row, r.of(d, s, unit))
		}
		center, _ := s.Median(unit)
		row = append(row, si(1/center), crossings(s))
		rows = append(rows, row)
	}
	return newTable(words, head, rows).note(runs).sayCommon(all)
}

func crossings(s *series.Series) string {
	for _, unit := range []string{"cgo/msg", "cgo/op"} {
		if s.Has(unit) {
			center, _ := s.Median(unit)
			return fmt.Sprintf("%.2f", center)
		}
	}
	return ""
}

func (r ratio) of(d *series.Set, s *series.Series, unit string) string {
	for _, values := range r.values {
		if other := d.Sibling(s, values); other != nil && other != s && other.Has(unit) {
			return times(s, other, unit)
		}
	}
	return ""
}

// patterns compares the patterns, each with its own loop in C: the plain way and
// batches, at the sizes at which more patterns were measured than the two that have
// tables of their own.
func patterns(d *series.Set) *Table {
	rest := []string{"routerrouter", "pushpull"}
	all := ours(d, func(s *series.Series) bool {
		return slices.Contains([]string{"Receive", "Publish", "Request"}, s.Base) && s.Keys["transport"] == "tcp" &&
			slices.Contains([]string{"blocking", "batch"}, s.Keys["mode"]) && ordinary(s) && (!many(s) || s.Keys["pattern"] == "pubsub")
	})
	sizes := map[string]bool{}
	for _, s := range all {
		if !slices.Contains(rest, s.Keys["pattern"]) {
			sizes[s.Keys["size"]] = true
		}
	}
	return versusC(d, slices.DeleteFunc(all, func(s *series.Series) bool { return !sizes[s.Keys["size"]] }))
}

// transports has what was measured over more than one transport.
func transports(d *series.Set) *Table {
	all := ours(d, func(s *series.Series) bool {
		if !has(s, "transport") || !ordinary(s) || many(s) {
			return false
		}
		return slices.ContainsFunc([]string{"tcp", "ipc", "inproc"}, func(other string) bool {
			return other != s.Keys["transport"] && d.Sibling(s, map[string]string{"transport": other}) != nil
		})
	})
	return versusC(d, all, ratio{"of tcp's", []map[string]string{{"transport": "tcp"}}})
}

// many reports whether there is more than one sender or receiver.
func many(s *series.Series) bool {
	return number(s, "senders") > 1 || number(s, "receivers") > 1 || has(s, "peers", "subs")
}

// fanGroup is what is equal where the number of peers is not.
func fanGroup(s *series.Series) string {
	return strings.Join([]string{s.Base, s.Keys["pattern"], s.Keys["transport"], s.Keys["size"], s.Keys["mode"], s.Keys["window"]}, "/")
}

// fanSeries are those with many senders or receivers, and the same with one.
func fanSeries(d *series.Set) []*series.Series {
	groups := map[string]bool{}
	for _, s := range d.Series {
		if many(s) && ordinary(s) {
			groups[fanGroup(s)] = true
		}
	}
	return ours(d, func(s *series.Series) bool { return ordinary(s) && groups[fanGroup(s)] && !has(s, "strategy") })
}

// fans has what was measured with many senders or receivers.
func fans(d *series.Set) *Table { return versusC(d, fanSeries(d)) }

// secured has what was measured with encryption, and the same without.
func secured(d *series.Set) *Table {
	return versusC(d, ours(d, func(s *series.Series) bool { return has(s, secureKeys...) && !has(s, engineKeys...) }),
		ratio{"of that without", []map[string]string{
			{"curve": "", "security": ""},
			{"curve": "off", "security": ""},
			{"curve": "0", "security": ""},
			{"curve": "", "security": "null"},
			{"curve": "", "security": "none"},
		}})
}

// engines has what was measured with more than one libzmq, or with other sizes of
// libzmq's own batches.
func engines(d *series.Set) *Table {
	return versusC(d, ours(d, func(s *series.Series) bool { return has(s, "engine") && !isSweep(s) }),
		ratio{"of the default's", ordinaryEngine("go")},
		ratio{"of C's default's", ordinaryEngine("c")})
}

// marked has the modes with high-water marks, which they do not have otherwise.
func marked(d *series.Set) *Table {
	return versusC(d, ours(d, func(s *series.Series) bool { return has(s, "marks") && !has(s, engineKeys...) }))
}

// ordinaryEngine are the names that the same has on libzmq as it is.
func ordinaryEngine(impl string) []map[string]string {
	return []map[string]string{
		{"impl": impl, "engine": "default"},
		{"impl": impl, "engine": "default", "inbatch": "", "outbatch": ""},
		{"impl": impl, "engine": "", "inbatch": "", "outbatch": ""},
	}
}

// bySize is a plot of the rates over the size, a line for each name.
func bySize(d *series.Set, all []*series.Series, title string, name func(*series.Series) (name string, floor bool), caption ...string) (plot.Figure, error) {
	g := &graph{}
	for _, s := range all {
		if label, floor := name(s); label != "" {
			g.rate(label, floor, number(s, "size"), s)
		}
	}
	return g.figure(d, plot.Figure{
		Title: title, X: sizeAxis(g.lines), Y: plot.Axis{Label: "messages a second", Log: true},
	}, caption...)
}

// rate adds messages a second: the reciprocal of the time.
func (g *graph) rate(name string, floor bool, x float64, s *series.Series) {
	unit := timeUnit(s)
	if unit == "" || x <= 0 {
		return
	}
	low, center, high := s.Range(unit)
	if low > 0 {
		g.add(name, floor, plot.Point{X: x, Y: 1 / center, Low: 1 / high, High: 1 / low}, len(s.Values[unit]))
	}
}

// transportsBySize is of the plainest workload that has several transports: with the mode
// that waits or, where that was not measured, with the one that comes first.
func transportsBySize(d *series.Set) (plot.Figure, error) {
	for _, base := range []string{"Transport", "Receive"} {
		var all []*series.Series
		for _, s := range d.Series {
			if s.Base == base && s.Keys["impl"] == "go" && plain(s, usual...) {
				all = append(all, s)
			}
		}
		slices.SortStableFunc(all, func(a, b *series.Series) int { return cmp.Compare(waits(a), waits(b)) })
		for _, first := range all {
			pattern, mode := first.Keys["pattern"], first.Keys["mode"]
			of, over := sameMode(all, first)
			if over < 2 {
				continue
			}
			title := sockets(pattern)
			if mode != "blocking" {
				title += ", " + mode
			}
			return bySize(d, of, title+": messages a second over each transport",
				func(s *series.Series) (string, bool) { return s.Keys["transport"], false })
		}
	}
	return plot.Figure{}, errNothing
}

// waits is 0 for the mode that waits, which comes before others.
func waits(s *series.Series) int {
	if s.Keys["mode"] == "blocking" {
		return 0
	}
	return 1
}

// sameMode returns the series with the pattern and the mode of one, and over how many
// transports they are.
func sameMode(all []*series.Series, one *series.Series) (of []*series.Series, over int) {
	transports := map[string]bool{}
	for _, s := range all {
		if s.Keys["pattern"] == one.Keys["pattern"] && s.Keys["mode"] == one.Keys["mode"] {
			transports[s.Keys["transport"]] = true
			of = append(of, s)
		}
	}
	return of, len(transports)
}

// enginesBySize shows both libzmqs, from Go and from C.
func enginesBySize(d *series.Set) (plot.Figure, error) {
	pattern, mode := "", ""
	var all []*series.Series
	for _, s := range d.Series {
		if !has(s, "engine") || isSweep(s) || s.Keys["transport"] != "tcp" || has(s, secureKeys...) || many(s) {
			continue
		}
		if pattern == "" {
			pattern, mode = s.Keys["pattern"], s.Keys["mode"]
		}
		if s.Keys["pattern"] == pattern && s.Keys["mode"] == mode {
			all = append(all, s)
		}
	}
	if mode != "" {
		mode = ", " + mode
	}
	return bySize(d, all, sockets(pattern)+mode+": two builds of libzmq", func(s *series.Series) (string, bool) {
		if !slices.Contains([]string{"go", "c"}, s.Keys["impl"]) {
			return "", false
		}
		return implName(s.Keys["impl"]) + ", " + s.Keys["engine"], s.Keys["impl"] == "c" && s.Keys["engine"] == "default"
	})
}
