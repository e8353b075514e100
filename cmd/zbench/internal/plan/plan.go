// Package plan is what zbench is asked to measure: read from flags, environment
// and plan files, checked before anything runs, and taken apart into cells.
package plan

import (
	"time"

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

	// Curve: the search for the highest rate.
	From, To float64

	// What is made of it.
	SLO     []slo.Objective
	Out     string
	Append  bool
	Force   bool
	Format  string
	JSON    bool
	Quiet   bool
	NoBar   bool
	Yes     bool
	Profile map[string]string // flag name -> file

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

// CellTimeout returns after which time a run is given up.
func (p *Plan) CellTimeout() time.Duration {
	switch {
	case p.Timeout > 0:
		return p.Timeout
	case p.Count > 0:
		return 10 * time.Minute
	}
	return 3*(p.Warmup+p.Duration) + 10*time.Second
}
