package result

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

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
	_ = out.Write(append(head, record.Units...)) // Error returns the errors
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
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// plain writes a number with enough digits, and without an exponent that a spreadsheet
// would misread.
func plain(v float64) string {
	if v != 0 && (v < 0.0001 || v >= 1e15) {
		return fmt.Sprintf("%.4g", v)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
