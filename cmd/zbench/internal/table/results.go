package table

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/slo"
)

// Results writes all summaries: throughput, round trips, open loops, and what is
// to be said about them.
func (p *Printer) Results(all []record.Summary) {
	p.throughput(all)
	p.roundTrips(all)
	for i := range all {
		if all[i].Cell.Open() && len(all[i].Runs) > 0 {
			p.openLoop(&all[i])
		}
	}
	if !p.Quiet {
		p.remarks(all)
	}
}

// pick returns those of Go that a condition holds for.
func pick(all []record.Summary, of func(*record.Summary) bool) (some []*record.Summary) {
	for i := range all {
		if s := &all[i]; s.Cell.Impl == "go" && len(s.Runs) > 0 && of(s) {
			some = append(some, s)
		}
	}
	return some
}

func (p *Printer) title(format string, args ...any) {
	if !p.Quiet {
		fmt.Fprintf(p.W, format+"\n\n", args...)
	}
}

func (p *Printer) throughput(all []record.Summary) {
	thr := pick(all, func(s *record.Summary) bool { return s.Cell.Verb == record.Thr })
	if len(thr) == 0 {
		return
	}
	p.title("Throughput, one way at full speed: median of %s", counted(thr))
	p.render(what(), []column{
		figure("msg/s", "msg/s", slo.Number),
		spread("ns/msg"),
		figure("GB/s", "GB/s", fixed(3)),
		figure("ns/msg", "ns/msg", fixed(0)),
		figure("cpu ns/msg", "cpu-ns/msg", fixed(0)),
		figure("allocs/msg", "allocs/msg", fixed(3)),
		figure("cgo/msg", "cgo/msg", fixed(3)),
		p.floor("ns/msg", all),
	}, thr)
	p.end()
}

func (p *Printer) roundTrips(all []record.Summary) {
	lat := pick(all, func(s *record.Summary) bool { return s.Cell.Verb == record.Lat && !s.Cell.Open() })
	if len(lat) == 0 {
		return
	}
	p.title("Round trips, one after the other: all of %s together%s", counted(lat), sampled(lat[0]))
	columns := []column{figure("min", "min-ns", slo.Duration)}
	for _, q := range lat[0].Shown() {
		columns = append(columns, figure(record.PercentileName(q), record.PercentileName(q)+"-ns", slo.Duration))
	}
	columns = append(columns,
		figure("max", "max-ns", slo.Duration),
		figure("mean", "mean-ns", slo.Duration),
		spread("mean-ns"),
		figure("msg/s", "msg/s", slo.Number),
		p.floor("mean-ns", all))
	p.render(what(), columns, lat)
	p.end()
}

func (p *Printer) end() { fmt.Fprintln(p.W) }

// counted says how many runs there are: "6 runs".
func counted(some []*record.Summary) string {
	least, most := len(some[0].Runs), len(some[0].Runs)
	for _, s := range some {
		least, most = min(least, len(s.Runs)), max(most, len(s.Runs))
	}
	switch {
	case least != most:
		return fmt.Sprintf("%d to %d runs", least, most)
	case most == 1:
		return "1 run"
	}
	return fmt.Sprintf("%d runs", most)
}

// openRows are the rows of an open loop's table.
var openRows = []struct{ name, remark string }{
	{record.Due, "<- report this"},
	{record.Sent, "(as most tools would say)"},
	{record.Pacer, "how late we were to send"},
	{record.Machine, "how late a sleeping thread woke up meanwhile"},
}

func (p *Printer) openLoop(s *record.Summary) {
	c := s.Cell
	how := "to its reply"
	if c.OneWay() {
		how = "to its arrival"
	}
	achieved := make([]float64, len(s.Runs))
	for i := range s.Runs {
		achieved[i] = s.Runs[i].Achieved()
	}
	median := record.Median(achieved)
	if p.Quiet {
		fmt.Fprintf(p.W, "%s\n\n", c)
	}
	p.title("%s: offered %s msg/s (%s), achieved %.1f %%; %s together%s\nlatency = from the moment the message was due, %s (coordinated omission included)",
		opened(c), strconv.FormatFloat(c.Rate, 'f', -1, 64), c.Arrivals, 100*median, counted([]*record.Summary{s}), sampled(s), how)
	if s.Saturated() {
		fmt.Fprintf(p.W, "SATURATED: %.1f %% of the load went through in time; what is left is the latency of a queue that grows. Offer less.\n\n", 100*median)
		return
	}
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options.SeparateColumns = false
	t.Style().Options.DrawBorder = false
	head := table.Row{""}
	for _, q := range s.Shown() {
		head = append(head, record.PercentileName(q))
	}
	t.AppendHeader(append(head, "max", "mean", ""))
	var configs []table.ColumnConfig
	for i := range len(s.Shown()) + 2 {
		configs = append(configs, table.ColumnConfig{Number: i + 2, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(configs)
	for _, row := range openRows {
		l := s.Latency[row.name]
		if l == nil {
			continue
		}
		fields := table.Row{row.name}
		for _, q := range s.Shown() {
			fields = append(fields, slo.Duration(l.Percentile(q)))
		}
		t.AppendRow(append(fields, slo.Duration(float64(l.Max)), slo.Duration(l.Mean), row.remark))
	}
	p.write(t)
	p.end()
}

// opened says what an open loop sends.
func opened(c record.Cell) string {
	text := fmt.Sprintf("%s over %s, %d B", c.Pattern, c.Transport, c.Size)
	if c.Parts > 1 {
		text += fmt.Sprintf(" in %d parts", c.Parts)
	}
	if c.Payload != "" {
		text += " of " + c.Payload
	}
	if c.Pin != "" {
		text += ", pinned to " + c.Pin
	}
	return text
}

// sampled says how many messages were timed, if not all.
func sampled(s *record.Summary) string {
	if n := s.Runs[0].Method.Sample; n > 1 {
		return fmt.Sprintf("; 1 in %d messages is timed", n)
	}
	return ""
}

// remarks says what makes results doubtful, and which runs failed.
func (p *Printer) remarks(all []record.Summary) {
	noisy, few := 0, false
	var floors bool
	for i := range all {
		s := &all[i]
		floors = floors || s.Cell.Impl == "c"
		unit := "ns/msg"
		if s.Cell.Verb == record.Lat {
			unit = "mean-ns"
		}
		if values := s.Values(unit); len(values) > 0 && !s.Cell.Open() {
			_, reach, known := interval(values)
			few = few || !known
			if reach > wide {
				noisy++
			}
		}
	}
	if floors {
		fmt.Fprintln(p.W, "% of C: the speed of this binding, where 100 is the same loop in C on the same libzmq.")
	}
	if slices.ContainsFunc(all, func(s record.Summary) bool { return s.Cell.Verb == record.Thr && s.Cell.Transport == "inproc" }) {
		fmt.Fprintln(p.W, record.Nominal)
	}
	if few {
		fmt.Fprintln(p.W, "±: six runs are the least for a confidence interval of 95 % (--repeat)")
	} else if !allOpen(all) {
		fmt.Fprintln(p.W, "±: confidence interval of the median, 95 %")
	}
	if noisy > 0 {
		fmt.Fprintf(p.W, "! %d of %d cells: the interval is wider than ± %.0f %%; stop other programs or use more --repeat\n", noisy, len(all), 100*wide)
	}
	p.Warnings(all)
}

// Warnings says which cells were disturbed.
func (p *Printer) Warnings(all []record.Summary) {
	for _, w := range warnings(all) {
		fmt.Fprintln(p.W, "!", w)
	}
}

func allOpen(all []record.Summary) bool {
	return !slices.ContainsFunc(all, func(s record.Summary) bool { return !s.Cell.Open() })
}

// Took returns how long something took, for people.
func Took(d time.Duration) string {
	if d < time.Minute {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
