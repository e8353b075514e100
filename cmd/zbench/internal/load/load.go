// Package load measures one repeat of one cell, in this process: throughput with
// the workloads of the module's root, round trips one after the other, and open
// loops, in which messages are due at times that do not depend on the replies.
package load

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// The ways in which an open loop waits.
const (
	Spin   = "spin"   // the last 100 µs by looking at the clock
	Urgent = "urgent" // the same, on a thread that others do not hold up
	Sleep  = "sleep"  // in the kernel
)

// Paces returns them.
func Paces() []string { return []string{Spin, Urgent, Sleep} }

// Prepare makes the goroutine's thread one that paces, until undo is called by the same
// goroutine.
func Prepare(urgent bool) (undo func(), err error) {
	if !urgent {
		return pace.Precise(), nil
	}
	if undo, err = pace.Urgent(); err != nil {
		return nil, fmt.Errorf("--pace %s: %w; use --pace %s or %s", Urgent, err, Spin, Sleep)
	}
	return undo, nil
}

// TooUrgent returns why so many senders cannot be urgent on so many processors, nil if
// they can: with all of them taken nothing else would run.
func TooUrgent(senders, processors int) error {
	if senders < processors {
		return nil
	}
	if senders == 1 {
		return fmt.Errorf("--pace %s: a sender keeps a processor to itself, and there is %d; use --pace %s or %s", Urgent, processors, Spin, Sleep)
	}
	return fmt.Errorf("--pace %s with %d senders: each keeps a processor to itself, and there are %d; use --pace %s or %s", Urgent, senders, processors, Spin, Sleep)
}

// enough is the share of the offered load below which a run is saturated.
const enough = 0.99

// Saturated reports whether less went through than was offered. stood is the longest time
// for which the machine stood still while messages counted: what did not get through in it
// is not the load's fault.
func Saturated(r *record.Run, stood time.Duration) bool {
	return r.Planned > 0 && r.Achieved() < enough-float64(stood)/float64(r.Planned)
}

// Measure measures a cell once, with a context and sockets of its own. The record
// has all but the Env and the Repeat. With an error it has no numbers; an end of
// ctx ends the measurement with its cause.
func Measure(ctx context.Context, cell record.Cell, method record.Method) (record.Run, error) {
	return MeasurePeer(ctx, cell, method, nil)
}

// MeasurePeer is Measure of round trips to a server that is elsewhere: in another
// process, see Serve. What the record says of processor time and memory is this
// process's.
func MeasurePeer(ctx context.Context, cell record.Cell, method record.Method, peer *Peer) (record.Run, error) {
	r := record.Run{Cell: cell, Method: method, Start: time.Now().UTC()}
	nap := pace.LongNap
	if cell.Verb == record.Lat {
		nap = pace.Nap // C's round trips, too: what is compared has the same meter beside it
	}
	runtime.GC() // what earlier cells left is not this one's
	before := machine.ReadDisturbances()
	hiccups := pace.StartHiccupsEvery(nap)
	var err error
	if cell.Verb == record.Lat && cell.Impl == "go" {
		err = latency(ctx, &r, peer, hiccups, nil)
	} else {
		err = throughput(ctx, &r)
	}
	seen := hiccups.Stop()
	disturbed := machine.ReadDisturbances().Since(before)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
			err = cause
		}
		return record.Run{Cell: cell, Method: method, Start: r.Start}, fmt.Errorf("%s: %w", cell, err)
	}
	r.Steal, r.Throttled = disturbed.Steal, disturbed.Throttled
	if err := addLatency(&r, record.Machine, seen); err != nil {
		return r, err
	}
	r.Saturated = Saturated(&r, hiccups.Longest())
	warn(&r, seen)
	return r, nil
}

func addLatency(r *record.Run, name string, h *hdr.Histogram) error {
	l, err := record.NewLatency(h)
	if err != nil || l == nil {
		return err
	}
	if r.Latency == nil {
		r.Latency = map[string]*record.Latency{}
	}
	r.Latency[name] = l
	return nil
}

// warn says what disturbed a run.
func warn(r *record.Run, hiccups *hdr.Histogram) {
	add := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...)) }
	if r.Steal > machine.MuchSteal {
		add("the host took %.1f %% of the processors' time", 100*r.Steal)
	}
	if r.Throttled > 0 {
		add("the control group's limit stopped the process for %v", r.Throttled.Round(time.Millisecond))
	}
	if hiccups.Max() > int64(machine.TooLate) {
		add("a thread that slept woke up to %v late", time.Duration(hiccups.Max()).Round(time.Millisecond/10))
	}
	if r.Rescues > 0 {
		add("waiting calls that only the watchdog of the binding woke: %d; please report it", r.Rescues)
	}
	if r.Stalls > 0 {
		add("runs that stood still for 100 ms or more: %d", r.Stalls)
	}
}
