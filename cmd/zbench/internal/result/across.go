package result

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// identity are the properties of a machine that must be equal for times to be comparable.
func identity(i machine.Info) map[string]string {
	return map[string]string{
		"cpu": i.CPU, "cores": strconv.Itoa(i.Cores), "virtual": strconv.FormatBool(i.Virtual), "kernel": machine.Minor(i.System),
		"GOMAXPROCS": strconv.Itoa(i.GOMAXPROCS), "go": machine.Minor(i.Go), "libzmq": i.Libzmq,
	}
}

// A dimension is a property of a cell in which two results may be said to differ.
type dimension struct {
	name  string
	value func(record.Cell) string
	erase func(*record.Cell)
}

var dimensions = []dimension{
	{"pattern", func(c record.Cell) string { return c.Pattern }, func(c *record.Cell) { c.Pattern = "" }},
	{"transport", func(c record.Cell) string { return c.Transport }, func(c *record.Cell) { c.Transport = "" }},
	{"size", func(c record.Cell) string { return strconv.Itoa(c.Size) }, func(c *record.Cell) { c.Size = 0 }},
	{"api", func(c record.Cell) string { return c.Mode }, func(c *record.Cell) { c.Mode = "" }},
	{"security", func(c record.Cell) string { return cmp.Or(c.Security, "null") }, func(c *record.Cell) { c.Security = "" }},
	{"payload", func(c record.Cell) string { return cmp.Or(c.Payload, "random") }, func(c *record.Cell) { c.Payload = "" }},
	{"parts", func(c record.Cell) string { return c.Parts }, func(c *record.Cell) { c.Parts = "" }},
	{"peers", peersOf, func(c *record.Cell) { c.Senders, c.Receivers = 0, 0 }},
	{"options", func(c record.Cell) string { return c.Options }, func(c *record.Cell) { c.Options = "" }},
	{"rate", func(c record.Cell) string { return record.Number(c.Rate) }, func(c *record.Cell) { c.Rate = 0 }},
	{"arrivals", func(c record.Cell) string { return c.Arrivals }, func(c *record.Cell) { c.Arrivals = "" }},
}

func peersOf(c record.Cell) string {
	return fmt.Sprintf("%d:%d", max(c.Senders, 1), max(c.Receivers, 1))
}

// Across returns the names of what results may differ in.
func Across() []string {
	names := slices.Sorted(maps.Keys(identity(machine.Info{})))
	for _, d := range dimensions {
		names = append(names, d.name)
	}
	return names
}

// general returns a cell without the dimensions across which results are compared.
func general(c record.Cell, across []string) record.Cell {
	for _, d := range dimensions {
		if slices.Contains(across, d.name) {
			d.erase(&c)
		}
	}
	return c
}

// pair returns the cells that are compared with each other, as indexes of a and b, and why
// that is not clear.
func pair(a, b []record.Summary, across []string) (pairs [][2]int, why []string) {
	of := func(all []record.Summary, c record.Cell) (at []int) {
		for i, s := range all {
			if len(s.Runs) > 0 && general(s.Cell, across) == c {
				at = append(at, i)
			}
		}
		return at
	}
	for i, s := range b {
		c := general(s.Cell, across)
		x, y := of(a, c), of(b, c)
		switch {
		case len(s.Runs) == 0 || len(x) == 0:
		case len(x) == 1 && len(y) == 1:
			pairs = append(pairs, [2]int{x[0], i})
		case i == y[0]:
			why = append(why, fmt.Sprintf("--across %s: each result needs one value of it, not %d and %d: measure them alone", strings.Join(across, ","), len(x), len(y)))
		}
	}
	if len(pairs) > 0 || len(why) > 0 {
		return pairs, why
	}
	return nil, []string{"the results have no cell in common: compare results of one plan" + inWhat(a, b)}
}

// inWhat says in what the only cells of two results differ.
func inWhat(a, b []record.Summary) string {
	if len(a) != 1 || len(b) != 1 {
		return ""
	}
	var names []string
	for _, d := range dimensions {
		if d.value(a[0].Cell) != d.value(b[0].Cell) {
			names = append(names, d.name)
		}
	}
	return ", or say that they differ: --across " + strings.Join(names, ",")
}

// unlike returns in what the machines of results differ although it is not in across.
func unlike(old, now *record.Data, across []string) (lines, names []string) {
	envs := slices.Concat(old.Envs, now.Envs)
	for i := 1; i < len(envs); i++ {
		a, b := identity(envs[0].Info), identity(envs[i].Info)
		for _, key := range slices.Sorted(maps.Keys(a)) {
			if line := fmt.Sprintf("%s is %q and %q", key, a[key], b[key]); a[key] != b[key] && !slices.Contains(across, key) && !slices.Contains(lines, line) {
				lines, names = append(lines, line), append(names, key)
			}
		}
	}
	return lines, names
}

// differences returns what is not the same in both results, a line each.
func differences(old, now *record.Data, pairs [][2]record.Cell) (lines []string) {
	add := func(name, a, b string) {
		if line := fmt.Sprintf("%s: %s, now %s", name, a, b); a != b && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	for _, p := range pairs {
		for _, d := range dimensions {
			add(d.name, d.value(p[0]), d.value(p[1]))
		}
	}
	if len(old.Envs) > 0 && len(now.Envs) > 0 {
		a, b := identity(old.Envs[0].Info), identity(now.Envs[0].Info)
		a["zbench"], b["zbench"] = old.Envs[0].Zbench, now.Envs[0].Zbench
		for _, key := range slices.Sorted(maps.Keys(a)) {
			add(key, a[key], b[key])
		}
	}
	if len(old.Runs) > 0 && len(now.Runs) > 0 {
		a, b := old.Runs[0].Method, now.Runs[0].Method
		add("pace", a.Pace, b.Pace)
		add("endpoint", a.Endpoint, b.Endpoint)
	}
	return lines
}
