// Package plan is what zbench is asked to do: read from flags and plan files, checked
// before anything runs, and split into cells.
package plan

import (
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// The verbs that have a plan. Send, Recv and Echo are one side, whose peers the
// user starts.
const (
	Thr   = "thr"
	Lat   = "lat"
	Curve = "curve"
	Churn = "churn"
	Send  = "send"
	Recv  = "recv"
	Echo  = "echo"
)

// Peers are the numbers of sockets that send and receive.
type Peers struct{ Senders, Receivers int }

// Plan says what to measure, and how to keep and show the result. A verb uses the fields
// that it has flags for.
type Plan struct {
	Verb string

	// These are combined to cells. One side has one value of each.
	Patterns   []string // none: the default of the verb
	Transports []string
	Sizes      []int  // of the payload; recv: none is any
	Payload    string // load.Random, load.Text or a path
	Parts      []int  // sizes of the parts; none: one part
	APIs       []string
	Peers      []Peers
	Rates      []float64 // messages per second; none: full speed, or one after the other

	// How.
	Endpoint   string        // of an echo elsewhere; one side: where the peers are
	Duration   time.Duration // of the whole command; 0: default
	Warmup     time.Duration // of each run; negative: default
	Repeat     int
	Arrivals   string
	Pace       string
	Chosen     bool     // Pace: by zbench
	Securities []string // churn: several
	Security   string   // "null", "curve", or "curve=KEY"
	Options    map[string]string
	StartAt    time.Time
	From, To   float64 // curve: the range of the search

	// One side.
	Attach    bool // bind (send) or connect (recv, echo), in place of the default
	AllowLoss bool // recv: lost messages are no failure
	Raw       bool // send: no header and no end mark
	Topic     string
	Topics    int           // behind the topic; 0: none
	Count     int           // messages; 0: no limit
	Waiting   int           // send: peers to wait for; recv: senders to wait for the end of
	Wait      time.Duration // send: for peers
	Idle      time.Duration // without progress; 0: no limit

	// How the result is kept and shown.
	SLO         []record.Objective
	MetricsAddr string
	Out         string
	Wide        bool
	Verbose     bool

	values map[string]*value // of the flags
	unread Problems          // of the flags and the plan file
}

// New returns the plan of a verb, before Read.
func New(verb string) *Plan { return &Plan{Verb: verb, Warmup: -1, Options: map[string]string{}} }

// OneSide reports whether the verb is one side.
func (p *Plan) OneSide() bool { return p.Verb == Send || p.Verb == Recv || p.Verb == Echo }

// Rate returns the offered load of one side; 0: full speed.
func (p *Plan) Rate() float64 {
	if len(p.Rates) == 0 {
		return 0
	}
	return p.Rates[0]
}

// Size returns the size of one side; -1: any.
func (p *Plan) Size() int {
	if len(p.Sizes) == 0 {
		return -1
	}
	return p.Sizes[0]
}

// Binds reports whether one side binds its endpoint. By default the sender connects.
func (p *Plan) Binds() bool { return p.Attach == (p.Verb == Send) }

// security returns the security, and the public CURVE key of the peer or "".
func (p *Plan) security() (name, key string) {
	name, key, _ = strings.Cut(p.Security, "=")
	return name, key
}

// Key returns the public CURVE key of the peer, or "".
func (p *Plan) Key() string {
	_, key := p.security()
	return key
}

// PatternNames returns the patterns that a verb has, its default first.
func PatternNames(verb string) []string { return record.PatternNames(verb) }

// PatternsUsed returns the patterns that were given, or the default.
func (p *Plan) PatternsUsed() []string {
	switch {
	case len(p.Patterns) > 0:
		return p.Patterns
	case p.Verb == Curve, p.Verb == Lat && len(p.Rates) > 0:
		return []string{record.OpenPattern}
	}
	return PatternNames(p.Verb)[:1]
}

// Ends returns the pattern of one side.
func (p *Plan) Ends() record.Pattern {
	name := p.PatternsUsed()[0]
	ends, ok := record.PatternOf(name)
	if !ok {
		ends.Name = name
	}
	return ends
}

// SocketType returns the type of the socket of one side.
func (p *Plan) SocketType() zmq.SocketType {
	if p.Verb == Send {
		return p.Ends().Client
	}
	return p.Ends().Server
}

// transport returns the transport of the endpoint.
func (p *Plan) transport() string {
	name, _, _ := strings.Cut(p.Endpoint, "://")
	return name
}

// Method returns how cells are measured, without the duration.
func (p *Plan) Method() record.Method {
	m := record.Method{Warmup: p.Warmup, Endpoint: p.Endpoint, Key: p.Key(), Payload: p.Payload, Parts: p.Parts}
	if len(p.Rates) > 0 || p.Verb == Curve {
		m.Pace = p.Pace
	}
	return m
}
