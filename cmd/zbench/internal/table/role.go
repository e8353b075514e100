package table

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/slo"
)

// RoleResult is what one end did.
type RoleResult struct {
	Run      *record.Run
	Senders  int
	Shared   bool // others received from the same sender
	Dropped  uint64
	Lines    []string
	Numbered bool // messages were checked by their numbers
	Lossy    bool // the pattern may lose some
	OneWay   bool // latencies end with the arrival
}

// did is what a role does to messages.
var did = map[string]string{"send": "sent", "recv": "received", "echo": "sent back", "proxy": "forwarded"}

// Role writes what one end did.
func (p *Printer) Role(res *RoleResult) {
	r := res.Run
	fmt.Fprintf(p.W, "%s %d messages of %d B over %s (%s) in %s", did[r.Cell.Verb], r.Messages, r.Cell.Size, r.Cell.Transport, r.Cell.Pattern, slo.Duration(float64(r.Elapsed)))
	if r.Rate() > 0 {
		fmt.Fprintf(p.W, ", %s msg/s, %s", slo.Number(r.Rate()), byteRate(float64(r.Bytes)/r.Elapsed.Seconds()))
	}
	fmt.Fprintln(p.W)
	if r.Cell.Open() {
		fmt.Fprintf(p.W, "offered %s msg/s (%s), achieved %.1f %%\n", strconv.FormatFloat(r.Cell.Rate, 'f', -1, 64), r.Cell.Arrivals, 100*r.Achieved())
	}
	for _, line := range res.Lines {
		fmt.Fprintln(p.W, line)
	}
	if res.Numbered {
		p.integrity(res)
	}
	if res.Dropped > 0 {
		fmt.Fprintf(p.W, "dropped %d messages whose peer had left\n", res.Dropped)
	}
	if r.Messages > 0 && !p.Quiet {
		n := float64(r.Messages)
		fmt.Fprintf(p.W, "a message took %s of processor time, %.2f allocations, %.2f calls into C\n",
			slo.Duration(float64(r.CPU)/n), float64(r.Allocs)/n, float64(r.Crossings)/n)
	}
	if len(r.Latency) > 0 && !r.Saturated {
		fmt.Fprintln(p.W)
		p.roleLatency(res)
	}
	for _, w := range r.Warnings {
		fmt.Fprintln(p.W, "!", w)
	}
}

func (p *Printer) integrity(res *RoleResult) {
	r := res.Run
	if res.Shared {
		fmt.Fprintf(p.W, "%d doubled, %d out of order, from %d senders; what is lost is not known, since others received from them, too\n", r.Doubled, r.Reordered, res.Senders)
		return
	}
	why := ""
	if res.Lossy && r.Lost > 0 {
		why = fmt.Sprintf(" (%.2f %%, which %s does when a receiver is slower)", 100*float64(r.Lost)/float64(r.Lost+r.Messages), r.Cell.Pattern)
	}
	fmt.Fprintf(p.W, "%d lost%s, %d doubled, %d out of order, from %d sender%s\n", r.Lost, why, r.Doubled, r.Reordered, res.Senders, plural(res.Senders))
}

// byteRate writes "1.02 GB/s".
func byteRate(v float64) string {
	number, unit, _ := strings.Cut(slo.Number(v), " ")
	return number + " " + unit + "B/s"
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// roleLatency writes the latencies, as openLoop does.
func (p *Printer) roleLatency(res *RoleResult) {
	remarks := map[string]string{record.RTT: "a round trip"}
	for _, row := range openRows {
		remarks[row.name] = row.remark
	}
	if res.Run.Cell.Open() || res.OneWay {
		how := "its reply"
		if res.OneWay {
			how = "its arrival"
		}
		if l := res.Run.Main(); l != nil && !p.Quiet {
			fmt.Fprintf(p.W, "latency = from the moment the message was due, to %s\n\n", how)
		}
	}
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options.SeparateColumns = false
	t.Style().Options.DrawBorder = false
	head := table.Row{""}
	var configs []table.ColumnConfig
	for i := range len(record.Percentiles) + 2 {
		configs = append(configs, table.ColumnConfig{Number: i + 2, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	for _, q := range record.Percentiles {
		head = append(head, record.PercentileName(q))
	}
	t.AppendHeader(append(head, "max", "mean", ""))
	t.SetColumnConfigs(configs)
	for _, name := range []string{record.RTT, record.Due, record.Sent, record.Pacer, record.Machine} {
		l := res.Run.Latency[name]
		if l == nil {
			continue
		}
		fields := table.Row{name}
		for _, q := range record.Percentiles {
			fields = append(fields, slo.Duration(l.Percentile(q)))
		}
		t.AppendRow(append(fields, slo.Duration(float64(l.Max)), slo.Duration(l.Mean), remarks[name]))
	}
	p.write(t)
	p.end()
}
