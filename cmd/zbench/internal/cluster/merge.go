package cluster

import (
	"fmt"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// outcome is what an agent measured.
type outcome struct {
	agent  string
	role   string
	run    record.Run
	total  int64
	took   time.Duration
	clocks [2]record.Clock // before and after
}

// measures reports whether the numbers of an agent with that role count, not only
// what disturbed it.
func measures(role string) bool { return role == record.Client || role == record.Receiver }

// merge makes a run of its parts. Percentiles are those of the merged histograms:
// the mean of percentiles means nothing.
func merge(cell record.Cell, all []outcome) (r record.Run, err error) {
	var runs []record.Run
	var sent, received int64
	for _, o := range all {
		runs = append(runs, o.run)
		r.Agents = append(r.Agents, o.part())
		for _, w := range o.run.Warnings {
			r.Warnings = append(r.Warnings, o.agent+": "+w)
		}
		r.Steal, r.Throttled = max(r.Steal, o.run.Steal), max(r.Throttled, o.run.Throttled)
		switch o.role {
		case record.Sender:
			sent += o.total
			r.SendTime = max(r.SendTime, o.took)
		case record.Receiver:
			received += o.total
		}
		if !measures(o.role) {
			continue
		}
		if r.Start.IsZero() {
			r.Start = o.run.Start
		}
		add(&r, o.run)
	}
	r.Lost = max(sent-received, 0)
	if received > sent {
		r.Doubled = received - sent
	}
	if r.SendTime > 0 && cell.Verb == record.Thr {
		// What a record has as sent is what counts as received; so is its time.
		r.SendTime = time.Duration(float64(r.SendTime) * float64(r.Messages+r.Lost) / float64(max(sent, 1)))
	}
	if cell.Verb == record.Thr && r.Lost+r.Doubled > 0 {
		return r, fmt.Errorf("%d messages were sent and %d came; nothing may be lost here, please report it", sent, received)
	}
	r.Latency, err = record.Merge(runs)
	return r, err
}

// add adds the numbers of a part.
func add(r *record.Run, o record.Run) {
	r.Messages += o.Messages
	r.Bytes += o.Bytes
	r.Elapsed = max(r.Elapsed, o.Elapsed)
	r.Due += o.Due
	r.Unsent += o.Unsent
	r.Planned = max(r.Planned, o.Planned)
	r.CPU += o.CPU
	r.Allocs += o.Allocs
	r.AllocBytes += o.AllocBytes
	r.GCs += o.GCs
	r.Crossings += o.Crossings
	r.Rescues += o.Rescues
	r.Stalls += o.Stalls
	// One that does not get its share through has a queue that grows, however many
	// others do.
	r.Saturated = r.Saturated || o.Saturated
}

func (o outcome) part() record.Part {
	p := record.Part{
		Agent: o.agent, Role: o.role, Clock: o.clocks[1], Drift: o.clocks[1].Offset - o.clocks[0].Offset,
		Messages: o.run.Messages, Elapsed: o.run.Elapsed,
	}
	if o.role == record.Sender {
		p.Messages, p.Elapsed = o.total, o.took
	}
	if l := o.run.Main(); l != nil {
		p.P50, p.P99 = int64(l.Percentile(50)), int64(l.Percentile(99))
	}
	return p
}

// addHiccups notes what a process saw that only serves, or only counts.
func addHiccups(r *record.Run, h *hdr.Histogram) error {
	l, err := record.NewLatency(h)
	if err != nil || l == nil {
		return err
	}
	r.Latency = map[string]*record.Latency{record.Machine: l}
	if longest := time.Duration(h.Max()); longest > machine.TooLate {
		r.Warnings = append(r.Warnings, fmt.Sprintf("a thread that slept woke up to %v late", longest.Round(time.Millisecond/10)))
	}
	return nil
}
