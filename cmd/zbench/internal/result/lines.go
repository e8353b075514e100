package result

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Bench writes the valid runs in the format of go test -bench, for benchstat. Environments
// are comments: benchstat would not compare results that differ in a configuration.
func Bench(w io.Writer, d *record.Data) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "pkg: github.com/go-zmq/go-zmq\n")
	for _, unit := range record.Units {
		fmt.Fprintf(&out, "Unit %s better=%s\n", unit, map[int]string{1: "higher", -1: "lower"}[record.Better(unit)])
	}
	last := ""
	for _, r := range d.Runs {
		if !r.Valid() {
			continue
		}
		e, _ := d.Env(r.Env)
		if e.ID != last {
			last = e.ID
			fmt.Fprintf(&out, "# env %s: zbench %s, %s, libzmq %s, %s, %s, %s\n", e.ID, e.Zbench, e.Go, e.Libzmq, e.System, e.CPU, record.Count(e.Cores, "core"))
		}
		fmt.Fprintf(&out, "Benchmark%s-%d\t%d", r.Cell.Name(), max(e.GOMAXPROCS, 1), max(r.Messages, 1))
		for _, unit := range record.Units {
			if v, ok := r.Figure(unit); ok {
				fmt.Fprintf(&out, "\t%s %s", plain(v), unit)
			}
		}
		fmt.Fprintf(&out, "\n")
	}
	_, err := w.Write(out.Bytes())
	return err
}

// CSV writes a row for each cell: its properties, and its figures over all valid runs.
func CSV(w io.Writer, d *record.Data) error {
	all, err := d.Summaries()
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	head := []string{
		"verb", "pattern", "transport", "size", "api", "impl", "senders", "receivers", "security", "rate", "arrivals", "options",
		"runs", "invalid", "disturbed", "saturated", "sent-msg/s",
	}
	same := []string{"pace", "endpoint", "zbench", "go", "libzmq", "system", "cpu", "cores", "noise", "verdict", "objectives"}
	_ = out.Write(slices.Concat(head, record.Units, same)) // Error returns the errors
	verdict, _ := verdict(d)
	for _, s := range all {
		c := s.Cell
		row := []string{
			c.Verb, c.Pattern, c.Transport, strconv.Itoa(c.Size), c.Mode, c.Impl, strconv.Itoa(max(c.Senders, 1)), strconv.Itoa(max(c.Receivers, 1)),
			c.Security, plain(c.Rate), c.Arrivals, c.Options,
			strconv.Itoa(len(s.Runs)), strconv.Itoa(len(s.Invalid)), strconv.Itoa(s.Disturbed()), strconv.FormatBool(s.Saturated()),
			plain(s.Of((*record.Run).SentRate)),
		}
		for _, unit := range record.Units {
			text := ""
			if v, ok := s.Figure(unit); ok {
				text = plain(v)
			}
			row = append(row, text)
		}
		first := slices.Concat(s.Runs, s.Invalid)[0]
		e, _ := d.Env(first.Env)
		_ = out.Write(append(row, first.Method.Pace, first.Method.Endpoint, e.Zbench, e.Go, e.Libzmq, e.System, e.CPU, strconv.Itoa(e.Cores),
			Noise([]record.Summary{s}), verdict, objectives(d, c)))
	}
	out.Flush()
	return out.Error()
}

// objectives returns the results of the objectives of a cell, or of the search that it is
// part of.
func objectives(d *record.Data, c record.Cell) string {
	var texts []string
	for _, v := range d.Verdicts {
		if v.Cell == c.String() || v.Cell == c.AnyRate().String() {
			texts = append(texts, v.String())
		}
	}
	return strings.Join(texts, "; ")
}

// plain writes a number with enough digits, and without an exponent that a spreadsheet
// would misread.
func plain(v float64) string {
	if v != 0 && (v < 0.0001 || v >= 1e15) {
		return fmt.Sprintf("%.4g", v)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
