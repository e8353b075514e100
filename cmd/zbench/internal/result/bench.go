package result

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// betters are the units whose direction benchstat does not know. None is assume=exact,
// with which benchstat takes any difference for a change: what the whole process
// allocates differs from run to run by a few objects in a million messages.
var betters = []string{
	"Unit msg/s better=higher", "Unit sent-msg/s better=higher", "Unit GB/s better=higher", "Unit hit-% better=higher",
	"Unit ns/msg better=lower", "Unit cpu-ns/msg better=lower", "Unit cgo/msg better=lower", "Unit lost better=lower",
	"Unit p50-ns better=lower", "Unit p90-ns better=lower", "Unit p99-ns better=lower", "Unit p99.9-ns better=lower",
	"Unit p99.99-ns better=lower", "Unit max-ns better=lower", "Unit mean-ns better=lower", "Unit min-ns better=lower",
	"Unit B/msg better=lower", "Unit allocs/msg better=lower",
}

// Bench writes the valid runs as go test -bench writes benchmarks, for benchstat
// and all that reads its form. Environments are comments: as configuration,
// benchstat would keep results apart that differ in one.
func Bench(w io.Writer, d *record.Data) error {
	b := &benchWriter{w: w}
	b.line("pkg: github.com/go-zmq/go-zmq")
	for _, unit := range betters {
		b.line("%s", unit)
	}
	for _, p := range percentiles(d) {
		if unit := fmt.Sprintf("Unit %s-ns better=lower", record.PercentileName(p)); !slices.Contains(betters, unit) {
			b.line("%s", unit)
		}
	}
	last := ""
	for _, r := range d.Runs {
		if !r.Valid() {
			continue
		}
		e, _ := d.Env(r.Env)
		if e.ID != last {
			last = e.ID
			b.line("# env %s: zbench %s, %s, libzmq %s, %s, %s, %d cores", e.ID, e.Zbench, e.Go, e.Libzmq, e.System, e.CPU, e.Cores)
		}
		b.printf("Benchmark%s-%d\t%d", r.Cell.Name(), max(e.GOMAXPROCS, 1), max(r.Messages, 1))
		for _, f := range r.Figures() {
			b.printf("\t%s %s", number(f.Value), f.Unit)
		}
		b.printf("\n")
	}
	return b.err
}

// percentiles returns all that are shown of any run, in their order.
func percentiles(d *record.Data) []float64 {
	var all []float64
	for _, r := range d.Runs {
		all = append(all, r.Method.Shown()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// benchWriter keeps the first error.
type benchWriter struct {
	w   io.Writer
	err error
}

func (b *benchWriter) printf(format string, args ...any) {
	if b.err == nil {
		_, b.err = fmt.Fprintf(b.w, format, args...)
	}
}

func (b *benchWriter) line(format string, args ...any) { b.printf(format+"\n", args...) }

// csvUnits returns the figures of a summary, in the order of its columns.
func csvUnits(d *record.Data) []string {
	units := []string{"msg/s", "GB/s", "ns/msg"}
	for _, p := range percentiles(d) {
		units = append(units, record.PercentileName(p)+"-ns")
	}
	return append(units, "min-ns", "mean-ns", "max-ns", "cpu-ns/msg", "cgo/msg", "allocs/msg", "B/msg", "lost")
}

// CSV writes a row for each cell: what it is, and its figures over all valid runs.
func CSV(w io.Writer, d *record.Data) error {
	summaries, err := d.Summaries()
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	head := []string{
		"verb", "pattern", "transport", "size", "mode", "strategy", "impl", "engine", "senders", "receivers", "window",
		"procs", "security", "rate", "arrivals", "options", "parts", "payload", "pin", "runs", "invalid", "saturated",
	}
	// Errors are kept, and come out of Error.
	units := csvUnits(d)
	_ = out.Write(append(head, units...))
	for _, s := range summaries {
		c := s.Cell
		row := []string{
			c.Verb, c.Pattern, c.Transport, strconv.Itoa(c.Size), c.Mode, c.Strategy, c.Impl, c.Engine,
			strconv.Itoa(max(c.Senders, 1)), strconv.Itoa(max(c.Receivers, 1)), strconv.Itoa(max(c.Window, 1)),
			strconv.Itoa(max(c.Procs, 1)), c.Security, number(c.Rate), c.Arrivals, c.Options, strconv.Itoa(max(c.Parts, 1)), c.Payload, c.Pin,
			strconv.Itoa(len(s.Runs)), strconv.Itoa(len(s.Invalid)), strconv.FormatBool(s.Saturated()),
		}
		for _, unit := range units {
			text := ""
			if v, ok := s.Figure(unit); ok {
				text = number(v)
			}
			row = append(row, text)
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}
