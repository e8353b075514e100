package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// HeaderSize is the size of zbench's header in each message of a sender.
const HeaderSize = 12

// shortest is the shortest duration of one side.
const shortest = 200 * time.Millisecond

// TopicName returns the name of one of many topics. None is the start of another.
func TopicName(topic string, i int) string { return fmt.Sprintf("%s%06d", topic, i) }

// Cell names what one side measures.
func (p *Plan) Cell() record.Cell {
	options, _ := load.Options(p.Options) // Check has reported its error
	c := p.cell(p.Verb, p.Ends().Name, p.transport(), options)
	c.Size = max(p.Size(), 0)
	if p.Verb == Send {
		c.Rate, c.Senders, c.Receivers = p.Rate(), 1, max(p.Waiting, 1)
		if c.Rate > 0 {
			c.Arrivals = p.Arrivals
		}
	}
	return c
}

// checkSide checks a verb of one side.
func (p *Plan) checkSide(problems *Problems, facts Facts) {
	p.checkPattern(problems)
	if p.Endpoint == "" {
		problems.add("--endpoint is missing: name where the peers are, or where they connect to, such as tcp://host:5555 or tcp://*:5555")
	} else {
		p.checkEndpoint(problems, facts, p.Binds())
	}
	p.checkNeeds(problems, p.Ends().Name, "", facts)
	if _, err := load.Options(p.Options); err != nil {
		problems.add("%w", err)
	}
	p.checkMessages(problems)
	if p.Duration > 0 && p.Duration < shortest {
		problems.add("--duration %v: use %v or more; a shorter one measures the start", p.Duration, shortest)
	}
	if p.Verb == Send && p.Duration == 0 && p.Count == 0 {
		problems.add("--duration 0s: a sender needs an end; use %v or more, or --count", shortest)
	}
	p.checkObjectives(problems, []record.Cell{p.Cell()})
}

// checkMessages checks what messages consist of.
func (p *Plan) checkMessages(problems *Problems) {
	if p.Verb == Send && p.Size() < HeaderSize && !p.Raw {
		problems.add("--size %d: the %d-byte header does not fit; use --size %d or more, or --raw, which checks nothing", p.Size(), HeaderSize, HeaderSize)
	}
	if (p.Topic != "" || p.Topics > 0) && !p.Ends().FansOut {
		problems.add("--topic with %s: it is for pubsub", p.Ends().Name)
	}
	if n := len(p.Parts); n > 0 && p.Parts[n-1] < HeaderSize && !p.Raw {
		problems.add("--parts: the last part has no room for the %d-byte header; use %d or more, or --raw", HeaderSize, HeaderSize)
	}
}

func (p *Plan) checkPattern(problems *Problems) {
	known := PatternNames(p.Verb)
	if slices.Contains(known, p.Ends().Name) {
		return
	}
	why := map[string]string{
		Send: "its messages are answered; use zbench lat --endpoint",
		Recv: "its messages are answered; use zbench echo",
		Echo: "its messages are not answered; use zbench recv",
	}[p.Verb]
	problems.add("%s with pattern %s: %s, or one of %s", p.Verb, p.Ends().Name, why, strings.Join(known, " "))
}

// transportsOf are libzmq's transports with the names of their capabilities; "": every
// libzmq has it.
var transportsOf = map[string]string{
	"tcp": "", "ipc": "ipc", "ws": "WS", "wss": "WSS", "tipc": "tipc", "vmci": "vmci",
	"pgm": "pgm", "epgm": "pgm", "norm": "norm",
}

func (p *Plan) checkEndpoint(problems *Problems, facts Facts, bind bool) {
	add := func(format string, args ...any) {
		problems.add("--endpoint %s: %w", p.Endpoint, fmt.Errorf(format, args...))
	}
	transport, address, ok := strings.Cut(p.Endpoint, "://")
	if !ok || address == "" {
		add("an endpoint is transport://address, such as tcp://host:5555")
		return
	}
	capability, names := transportsOf[transport], slices.Sorted(maps.Keys(transportsOf))
	switch _, err := oneOf("transport", names)(transport); {
	case transport == "inproc":
		add("inproc connects sockets of one context; use ipc or tcp")
		return
	case err != nil:
		add("%w", err)
		return
	case capability != "" && !facts.Has(capability):
		add("transport %s needs a libzmq that was built with it (%q)", transport, capability)
	}
	if !bind && slices.Contains([]string{"tcp", "ws", "wss"}, transport) {
		host := address[:max(strings.LastIndexByte(address, ':'), 0)]
		if strings.HasSuffix(address, ":*") || strings.HasSuffix(address, ":0") || slices.Contains([]string{"*", "0.0.0.0", "[::]"}, host) {
			add("this address is for binding; to connect, name the host and the port of the peer")
		}
	}
}
