// Package plan is what zbench is asked to measure: read from flags, environment
// and plan files, checked before anything runs, and taken apart into cells.
package plan

import (
	"slices"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/slo"
)

// The verbs that have a plan. A verb says which flags there are and what their
// defaults are.
const (
	Thr    = "thr"
	Lat    = "lat"
	Curve  = "curve"
	Matrix = "matrix"
)

// Peers are how many sockets send and receive.
type Peers struct{ Senders, Receivers int }

// Plan is what is to be measured, and what is made of it.
type Plan struct {
	Verb string

	// What is combined.
	Measures   []string // matrix: thr, lat
	Patterns   []string // none: each measure's own
	Transports []string
	Sizes      []int // of the payload, in bytes
	Parts      []int // that a payload is cut into
	APIs       []string
	Peers      []Peers
	Pipelines  []int     // round trips under way at once
	Rates      []float64 // messages a second; none: closed loop
	Securities []string
	Engines    []string // files of libzmq; none: the one that zbench has loaded

	// How.
	Duration time.Duration
	Count    int
	Warmup   time.Duration
	Repeat   int
	Seed     uint64
	Arrivals string
	Pace     string
	Procs    int
	Options  map[string]string // of sockets and contexts
	Baseline string            // "c" or "none"
	Timeout  time.Duration     // of a run; 0: chosen
	Smoke    bool
	Pin      string // processors of senders, receivers and libzmq's threads
	Payload  string // file that messages consist of; empty: bytes by chance
	Sample   int    // one in so many messages is timed

	// How much is asked of the machine and of the numbers.
	Strict bool // doubts are refused, and warnings fail

	// Curve: the search for the highest rate.
	From, To float64

	// What is made of it.
	SLO         []slo.Objective
	Percentiles []float64 // that are shown
	MetricsAddr string
	Out         string
	Append      bool
	Force       bool
	Format      string
	JSON        bool
	Quiet       bool
	NoBar       bool
	Yes         bool
	Profile     map[string]string // flag name -> file

	file string // -f
}

// Defaults that the spec of each verb does not change.
const (
	defaultDuration = 3 * time.Second
	defaultWarmup   = time.Second
	// Six is the least that gives a median's confidence interval of 95 %.
	defaultRepeat = 6
)

// New returns a verb's plan without any flags given.
func New(verb string) *Plan {
	p := &Plan{
		Verb:       verb,
		Transports: []string{"inproc"},
		Sizes:      []int{64, 1024, 65536},
		Parts:      []int{1},
		Sample:     1,
		APIs:       []string{"batch"},
		Peers:      []Peers{{1, 1}},
		Pipelines:  []int{1},
		Securities: []string{"null"},
		Duration:   defaultDuration,
		Warmup:     defaultWarmup,
		Repeat:     defaultRepeat,
		Seed:       1,
		Arrivals:   "uniform",
		Pace:       "spin",
		Procs:      1,
		Options:    map[string]string{},
		Baseline:   "c",
		From:       1000,
		To:         1e8,
		Format:     "text",
		Profile:    map[string]string{},

		Percentiles: record.Percentiles,
	}
	switch verb {
	case Thr:
		p.Measures = []string{Thr}
	case Lat:
		p.Measures = []string{Lat}
	case Curve:
		p.Measures = []string{Lat}
		p.Sizes = []int{64}
		p.Baseline = "none"
		p.Repeat = 3
	case Matrix:
		p.Measures = []string{Thr, Lat}
		p.Transports = []string{"inproc", "ipc", "tcp"}
	}
	return p
}

// Method returns how cells are measured, with a rate or not.
func (p *Plan) Method(open bool) record.Method {
	m := record.Method{Warmup: p.Warmup, Duration: p.Duration, Count: p.Count, Seed: p.Seed, Payload: p.Payload}
	if p.Count > 0 {
		m.Duration = 0
	}
	if open {
		m.Pace = p.Pace
	}
	if p.Sample > 1 {
		m.Sample = p.Sample
	}
	if !slices.Equal(p.Percentiles, record.Percentiles) {
		m.Percentiles = p.Percentiles
	}
	return m
}

// perRun is how long a run takes about, beside what it measures: sockets,
// connections, the collection of garbage.
const perRun = 300 * time.Millisecond

// Estimate returns how long all runs of that many cells take, about. Of a number
// of messages it is not known, and taken for a second.
func (p *Plan) Estimate(cells int) time.Duration {
	d := p.Duration
	if p.Count > 0 {
		d = time.Second
	}
	return time.Duration(cells*p.Repeat) * (p.Warmup + d + perRun)
}

// countTimeout is after which time a run of a number of messages is given up.
const countTimeout = 10 * time.Minute

// CellTimeout returns after which time a run is given up.
func (p *Plan) CellTimeout() time.Duration {
	switch {
	case p.Timeout > 0:
		return p.Timeout
	case p.Count > 0:
		return countTimeout
	}
	return 3*(p.Warmup+p.Duration) + 10*time.Second
}
