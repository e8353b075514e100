package role

import (
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/pace"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// pacer returns what sends at a role's rate, and a histogram for how late it is.
func pacer(r *plan.Role, res *Result) (*pace.Pacer, *hdr.Histogram, error) {
	schedule, err := pace.New(r.Arrivals, r.Rate, r.Seed)
	if err != nil {
		return nil, nil, err
	}
	p := &pace.Pacer{
		Clock: pace.Real{Spin: r.Pace != load.Sleep}, Schedule: schedule,
		Start: pace.Now() + time.Millisecond, Limit: int64(r.Count),
	}
	if r.Count == 0 {
		p.End, p.Grace = p.Start+r.Duration, load.Late(r.Duration)
	}
	res.hiccups.Begin(p.Start)
	return p, record.NewHistogram(), nil
}

// prompt prepares the goroutine's thread for sending on time, until undo is called by
// the same goroutine.
func prompt(r *plan.Role) (undo func(), err error) {
	spared := pace.Spare(2) // for this thread, and for the one that looks for hiccups
	calm, err := load.Prepare(r.Pace == load.Urgent)
	if err != nil {
		spared()
		return nil, err
	}
	return func() {
		calm()
		spared()
	}, nil
}

// offered says in the result how much of the load went through.
func offered(r *plan.Role, res *Result, n pace.Counts, lastDue time.Duration) {
	res.hiccups.End(pace.Now())
	res.Due, res.Unsent = n.Due, n.Due-n.Sent
	res.Planned = r.Duration
	if r.Count > 0 {
		res.Planned = lastDue + time.Duration(float64(time.Second)/r.Rate)
	}
	if res.Elapsed < res.Planned+load.Late(res.Planned) {
		res.Elapsed = res.Planned
	}
}
