package record

import (
	"slices"
	"strings"

	"github.com/go-zmq/go-zmq/zmq"
)

// A Pattern says how its sockets talk. Everything that zbench knows about patterns is here.
type Pattern struct {
	Name           string
	Client, Server zmq.SocketType // the client sends first; it connects, unless it fans out
	Verbs          string         // that have it
	Answered       bool           // the server answers; otherwise it measures what comes
	Lockstep       bool           // a client sends only after the reply
	Single         bool           // a server can have only one client
	FansOut        bool           // each server gets every message, or loses it
	Draft          bool           // it needs a libzmq with the draft API
}

var patterns = []Pattern{
	{Name: "pushpull", Client: zmq.Push, Server: zmq.Pull, Verbs: "thr lat curve send recv", Single: true},
	{Name: "pubsub", Client: zmq.Pub, Server: zmq.Sub, Verbs: "thr send recv", FansOut: true},
	{Name: "reqrep", Client: zmq.Req, Server: zmq.Rep, Verbs: "lat curve echo", Answered: true, Lockstep: true},
	{Name: "dealerrouter", Client: zmq.Dealer, Server: zmq.Router, Verbs: "lat curve echo churn", Answered: true},
	{Name: "dealerdealer", Client: zmq.Dealer, Server: zmq.Dealer, Verbs: "lat curve echo", Answered: true, Single: true},
	{Name: "routerrouter", Client: zmq.Router, Server: zmq.Router, Verbs: "thr lat curve echo", Answered: true},
	{Name: "pair", Client: zmq.Pair, Server: zmq.Pair, Verbs: "thr lat curve echo", Answered: true, Single: true},
	{Name: "clientserver", Client: zmq.Client, Server: zmq.Server, Verbs: "lat curve echo", Answered: true, Draft: true},
	{Name: "scattergather", Client: zmq.Scatter, Server: zmq.Gather, Verbs: "thr lat curve send recv", Single: true, Draft: true},
	{Name: "radiodish", Client: zmq.Radio, Server: zmq.Dish, Verbs: "thr", FansOut: true, Draft: true},
}

// usual are the default patterns; of other verbs it is pushpull.
var usual = map[string]string{Lat: "reqrep", "curve": OpenPattern, "echo": OpenPattern}

// OpenPattern is the default for an offered load: a REQ would wait for each reply.
const OpenPattern = "dealerrouter"

// PatternNames returns the patterns that a verb has, its default first, or those of all.
func PatternNames(verb string) (names []string) {
	for _, p := range patterns {
		switch {
		case p.Name == usual[verb]:
			names = append([]string{p.Name}, names...)
		case verb == "" || slices.Contains(strings.Fields(p.Verbs), verb):
			names = append(names, p.Name)
		}
	}
	return names
}

// PatternOf returns a pattern by its name; ok is false if there is none.
func PatternOf(name string) (p Pattern, ok bool) {
	return find(patterns, func(p Pattern) bool { return p.Name == name })
}

// Ends returns the pattern of the cell.
func (c Cell) Ends() Pattern {
	p, _ := PatternOf(c.Pattern)
	return p
}

// FansOut reports whether each receiver gets every message.
func (c Cell) FansOut() bool { return c.Ends().FansOut }

// OneWay reports whether messages of the cell are not answered.
func (c Cell) OneWay() bool { return !c.Ends().Answered }
