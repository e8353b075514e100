package plan

import (
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/slo"
	"github.com/go-zmq/go-zmq/zmq"
)

// The roles: one end each, whose peers are started by somebody else.
const (
	Send  = "send"
	Recv  = "recv"
	Echo  = "echo"
	Proxy = "proxy"
)

// RolePattern says which sockets a pattern's ends have.
type RolePattern struct {
	Name             string
	Send, Recv, Echo zmq.SocketType // None: the role has no part in it
	OneWay           bool           // nothing comes back
	Lockstep         bool           // a message is sent only after the reply to the one before
	Lossy            bool           // what finds no room, or nobody to go to, is dropped
	Draft            bool           // of libzmq's draft API
}

// None stands for no socket.
const None zmq.SocketType = -1

// rolePatterns are all of them. What reqrep and those below it have, Echo answers.
var rolePatterns = []RolePattern{
	{Name: "pushpull", Send: zmq.Push, Recv: zmq.Pull, Echo: None, OneWay: true},
	{Name: "pubsub", Send: zmq.Pub, Recv: zmq.Sub, Echo: None, OneWay: true, Lossy: true},
	{Name: "reqrep", Send: zmq.Req, Recv: None, Echo: zmq.Rep, Lockstep: true},
	{Name: "dealerrouter", Send: zmq.Dealer, Recv: None, Echo: zmq.Router},
	{Name: "dealerdealer", Send: zmq.Dealer, Recv: None, Echo: zmq.Dealer},
	{Name: "routerrouter", Send: zmq.Router, Recv: None, Echo: zmq.Router},
	{Name: "pair", Send: zmq.Pair, Recv: None, Echo: zmq.Pair},
	{Name: "scattergather", Send: zmq.Scatter, Recv: zmq.Gather, Echo: None, OneWay: true, Draft: true},
	{Name: "radiodish", Send: zmq.Radio, Recv: zmq.Dish, Echo: None, OneWay: true, Lossy: true, Draft: true},
	{Name: "clientserver", Send: zmq.Client, Recv: None, Echo: zmq.Server, Draft: true},
}

// proxyPatterns are those that a proxy stands between.
var proxyPatterns = map[string][2]zmq.SocketType{
	"pushpull":     {zmq.Pull, zmq.Push},
	"pubsub":       {zmq.XSub, zmq.XPub},
	"reqrep":       {zmq.Router, zmq.Dealer},
	"dealerrouter": {zmq.Router, zmq.Dealer},
}

// Role is what one end is asked to do.
type Role struct {
	Verb     string
	Pattern  string
	Endpoint string
	Bind     bool // of the flags; Binds says what is done
	Connect  bool

	// Proxy: the two sides, and who is sent a copy.
	Frontend, Backend, Capture      string
	FrontendConnect, BackendConnect bool

	Size     int    // of a message; recv: -1 is any
	Parts    int    // that it is cut into, without a topic or addresses
	Payload  string // send: file that messages consist of; empty: bytes by chance
	Topic    string
	Raw      bool // no header, no control messages
	OneWay   bool // recv: latency from when messages were due
	Rate     float64
	Arrivals string
	Pace     string
	Seed     uint64
	Pipeline int
	Peers    int

	Duration time.Duration
	Count    int
	Wait     time.Duration // for peers; 0: no limit
	Idle     time.Duration // without progress; 0: no limit

	Options   map[string]string
	Security  string
	ServerKey string

	MetricsAddr string
	SLO         []slo.Objective
	Out         string
	Append      bool
	Force       bool
	JSON        bool
	Quiet       bool
	NoBar       bool
	Profile     map[string]string
}

// NewRole returns a role without any flags given.
func NewRole(verb string) *Role {
	r := &Role{
		Verb: verb, Pattern: "pushpull", Size: 64, Parts: 1, Arrivals: "uniform", Pace: "spin", Seed: 1,
		Pipeline: 1, Peers: 1, Options: map[string]string{}, Security: "null", Profile: map[string]string{},
	}
	switch verb {
	case Send:
		r.Duration, r.Wait, r.Idle = defaultDuration, 30*time.Second, 10*time.Second
	case Recv:
		r.Size, r.Idle = -1, 10*time.Second
	case Echo:
		r.Pattern = "reqrep"
	}
	return r
}

// RolePatterns returns the names of those that a role has.
func RolePatterns(verb string) (names []string) {
	for _, p := range rolePatterns {
		_, between := proxyPatterns[p.Name]
		if p.of(verb) != None || verb == Proxy && between {
			names = append(names, p.Name)
		}
	}
	return names
}

func (p RolePattern) of(verb string) zmq.SocketType {
	switch verb {
	case Send:
		return p.Send
	case Recv:
		return p.Recv
	case Echo:
		return p.Echo
	}
	return None
}

// Choices returns the flags that take one of a few words, and these words.
func (r *Role) Choices() map[string][]string {
	choices := map[string][]string{"pattern": RolePatterns(r.Verb)}
	if r.Verb != Proxy {
		choices["security"] = []string{"null", "curve"}
	}
	if r.Verb == Send {
		choices["arrivals"], choices["pace"] = []string{"uniform", "poisson"}, load.Paces()
	}
	return choices
}

// findRolePattern returns the pattern with a name; ok is false if there is none.
func findRolePattern(name string) (p RolePattern, ok bool) {
	i := slices.IndexFunc(rolePatterns, func(p RolePattern) bool { return p.Name == name })
	if i < 0 {
		return RolePattern{}, false
	}
	return rolePatterns[i], true
}

// Ends returns the role's pattern.
func (r *Role) Ends() RolePattern {
	p, _ := findRolePattern(r.Pattern)
	return p
}

// SocketType returns the type of the role's socket.
func (r *Role) SocketType() zmq.SocketType { return r.Ends().of(r.Verb) }

// ProxyTypes returns those of a proxy's sockets.
func (r *Role) ProxyTypes() (frontend, backend zmq.SocketType) {
	types := proxyPatterns[r.Pattern]
	return types[0], types[1]
}

// Binds reports whether the role's socket is bound. Unless flags say otherwise, who
// sends connects, and the others are there to be connected to.
func (r *Role) Binds() bool { return r.Bind || r.Verb != Send && !r.Connect }

// Read gives values to the flags that are not on the command line, from the
// environment, as Plan.Read does.
func (r *Role) Read(flags *pflag.FlagSet, getenv func(string) (string, bool)) error {
	err := (&Plan{}).Read(flags, getenv)
	if r.Verb == Send && flags.Changed("count") {
		r.Duration = 0
	}
	return err
}
