// Package plan is what zbench is asked to do: read from flags and plan files, checked
// before anything runs, and split into cells.
package plan

import (
	"slices"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// The verbs that have a plan. Send, Recv and Echo are one side, whose peers are started by
// somebody else.
const (
	Thr   = "thr"
	Lat   = "lat"
	Curve = "curve"
	Send  = "send"
	Recv  = "recv"
	Echo  = "echo"
)

// Peers are the numbers of sockets that send and receive.
type Peers struct{ Senders, Receivers int }

// Plan is what is measured, and what is made of it. A verb uses the fields that it has
// flags for.
type Plan struct {
	Verb string

	// What is combined to cells. One side has one value of each.
	Patterns   []string // none: the default of the verb
	Transports []string
	Sizes      []int // of the payload; recv: none is any
	APIs       []string
	Peers      []Peers
	Rates      []float64 // messages per second; none: full speed, or one after the other

	// How.
	Endpoint string        // of an echo elsewhere; one side: where the peers are
	Duration time.Duration // of the whole command; 0: default
	Warmup   time.Duration // of each run; negative: default
	Repeat   int
	Arrivals string
	Pace     string
	Security string // "null", "curve", or "curve=KEY"
	Options  map[string]string
	StartAt  time.Time
	From, To float64 // curve: the range of the search

	// One side.
	Attach  bool // bind (send) or connect (recv, echo), in place of the default
	Raw     bool // send: no header and no end mark
	Topic   string
	Count   int           // messages; 0: no limit
	Waiting int           // send: peers to wait for; recv: senders to wait for the end of
	Wait    time.Duration // send: for peers
	Idle    time.Duration // without progress; 0: no limit

	// What is made of it.
	SLO         []record.Objective
	MetricsAddr string
	Out         string
	Wide        bool
	Verbose     bool

	file    string // -f
	source  string // of the values that are being set: "--", or a file and line
	unread  Problems
	choices map[string][]string // of flags that take one of a few words
}

// New returns the plan of a verb without any flags.
func New(verb string) *Plan {
	p := &Plan{
		Verb: verb, Transports: []string{"tcp"}, Sizes: []int{64}, APIs: []string{"batch"}, Peers: []Peers{{1, 1}},
		Warmup: -1, Repeat: 3, Arrivals: "uniform", Pace: "spin", Security: "null", Options: map[string]string{},
		From: 1000, To: 1e8, Waiting: 1, source: "--", choices: map[string][]string{},
	}
	switch verb {
	case Curve:
		p.Repeat = 1
	case Send:
		p.Duration, p.Wait, p.Idle = 3*time.Second, 30*time.Second, 10*time.Second
	case Recv:
		p.Sizes, p.Idle = nil, 30*time.Second
	}
	return p
}

// OneSide reports whether the verb is one side.
func (p *Plan) OneSide() bool { return p.Verb == Send || p.Verb == Recv || p.Verb == Echo }

// offers reports whether there is an offered load.
func (p *Plan) offers() bool { return len(p.Rates) > 0 || p.Verb == Curve }

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

// Key returns the public CURVE key of the peer, or "".
func (p *Plan) Key() string {
	_, key, _ := strings.Cut(p.Security, "=")
	return key
}

// secured returns the security without a key.
func (p *Plan) secured() string {
	name, _, _ := strings.Cut(p.Security, "=")
	return name
}

// Pattern says which sockets the sides of a pattern have.
type Pattern struct {
	Name             string
	Send, Recv, Echo zmq.SocketType // none: the side does not exist
	Lossy            bool           // drops what finds no room or no peer
	Draft            bool           // of libzmq's draft API
}

const none zmq.SocketType = -1

var patterns = []Pattern{
	{Name: "pushpull", Send: zmq.Push, Recv: zmq.Pull, Echo: none},
	{Name: "pubsub", Send: zmq.Pub, Recv: zmq.Sub, Echo: none, Lossy: true},
	{Name: "scattergather", Send: zmq.Scatter, Recv: zmq.Gather, Echo: none, Draft: true},
	{Name: "dealerrouter", Send: none, Recv: none, Echo: zmq.Router},
	{Name: "reqrep", Send: none, Recv: none, Echo: zmq.Rep},
	{Name: "dealerdealer", Send: none, Recv: none, Echo: zmq.Dealer},
	{Name: "routerrouter", Send: none, Recv: none, Echo: zmq.Router},
	{Name: "pair", Send: none, Recv: none, Echo: zmq.Pair},
	{Name: "clientserver", Send: none, Recv: none, Echo: zmq.Server, Draft: true},
}

func (p Pattern) of(verb string) zmq.SocketType {
	switch verb {
	case Send:
		return p.Send
	case Recv:
		return p.Recv
	}
	return p.Echo
}

// PatternNames returns the patterns that a verb has, its default first.
func PatternNames(verb string) (names []string) {
	switch verb {
	case Thr:
		return []string{"pushpull", "pubsub", "routerrouter", "pair", "scattergather", "radiodish"}
	case Lat, Curve:
		return []string{"reqrep", "dealerrouter", "dealerdealer", "routerrouter", "pair", "pushpull", "clientserver", "scattergather"}
	}
	for _, p := range patterns {
		if p.of(verb) != none {
			names = append(names, p.Name)
		}
	}
	return names
}

// PatternsUsed returns the patterns that were given, or the default.
func (p *Plan) PatternsUsed() []string {
	switch {
	case len(p.Patterns) > 0:
		return p.Patterns
	case p.Verb == Curve, p.Verb == Lat && len(p.Rates) > 0:
		return []string{"dealerrouter"}
	}
	return PatternNames(p.Verb)[:1]
}

// Ends returns the pattern of one side.
func (p *Plan) Ends() Pattern {
	i := slices.IndexFunc(patterns, func(o Pattern) bool { return o.Name == p.PatternsUsed()[0] })
	if i < 0 {
		return Pattern{Name: p.PatternsUsed()[0], Send: none, Recv: none, Echo: none}
	}
	return patterns[i]
}

// SocketType returns the type of the socket of one side.
func (p *Plan) SocketType() zmq.SocketType { return p.Ends().of(p.Verb) }

// transport returns the transport of the endpoint.
func (p *Plan) transport() string {
	name, _, _ := strings.Cut(p.Endpoint, "://")
	return name
}

// Method returns how cells are measured, without the duration.
func (p *Plan) Method() record.Method {
	m := record.Method{Warmup: p.warmup(0), Endpoint: p.Endpoint, Key: p.Key()}
	if p.offers() {
		m.Pace = p.Pace
	}
	return m
}
