package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// Defaults of Config.
const (
	DefaultPort      = 5600
	DefaultJoin      = 2 * time.Minute
	DefaultLostAfter = 10 * time.Second
)

// Config is what a coordinator is told.
type Config struct {
	Listen     string        // endpoint to bind
	Expect     int           // agents, without which nothing begins
	Join       time.Duration // for how long to wait for them
	LostAfter  time.Duration // of silence an agent is lost
	AllowMixed bool          // agents of other versions
	OnLost     string        // Stop or GoOn
	Key        string        // a secret that agents share; "": nothing is encrypted
	Versions   Versions
	Say        func(format string, args ...any) // what a user may want to know meanwhile
}

// What is done when an agent is lost.
const (
	Stop = "stop"
	GoOn = "go-on" // with those that are left
)

// ErrJoin says that not enough agents came in time.
var ErrJoin = errors.New("not all agents joined in time")

// LostError says that an agent went away.
type LostError struct{ Agent, Why string }

func (e *LostError) Error() string { return fmt.Sprintf("%s was lost: %s", e.Agent, e.Why) }

// A Coordinator leads the runs of several agents. It is for one goroutine.
type Coordinator struct {
	Config
	context *zmq.Context
	socket  *zmq.Socket
	agents  []*member
	begun   bool // whoever comes now is late
	task    int
	probes  int
	ticked  time.Time

	dismissed bool
}

// member is an agent that was welcomed.
type member struct {
	id    []byte // the ROUTER's name for its connection
	name  string
	node  string
	boot  string
	env   record.Env
	mixed string // its versions, if they are others
	heard time.Time
	lost  *LostError
	cut   string // why nothing can be sent to it any more
	clock record.Clock
	local bool // only its own machine can reach it
}

// Open binds the coordinator's socket.
func Open(cfg Config) (*Coordinator, error) {
	settings, err := serverSecurity(cfg.Key)
	if err != nil {
		return nil, err
	}
	zctx, err := zmq.NewContext()
	if err != nil {
		return nil, err
	}
	// Sending to an agent whose connection has ended is an error, which says so at once.
	settings = append(settings, zmq.RouterMandatory.To(true), zmq.Linger.To(time.Second))
	c := &Coordinator{Config: cfg, context: zctx, ticked: time.Now()}
	c.socket, err = zctx.NewSocket(zmq.Router, append(settings, forIPv6(cfg.Listen)...)...)
	if err == nil {
		err = c.socket.Bind(cfg.Listen)
	}
	if err != nil {
		return nil, errors.Join(err, zctx.Close())
	}
	return c, nil
}

// Endpoint returns where agents are waited for, with the port that was chosen.
func (c *Coordinator) Endpoint() (string, error) { return c.socket.LastEndpoint() }

// Join waits for the agents.
func (c *Coordinator) Join(ctx context.Context) error {
	timeout := fmt.Errorf("%w: after %v", ErrJoin, c.Config.Join)
	limited, cancel := context.WithTimeoutCause(ctx, c.Config.Join, timeout)
	defer cancel()
	for ready := false; !ready; {
		err := c.gather(limited)
		var lost *LostError
		switch {
		case err == nil:
			ready = true
		case errors.As(err, &lost): // before anything began: another may come
		case errors.Is(err, ErrJoin):
			return fmt.Errorf("%w %d of %d were there (%s); start the others, or use a longer --join-timeout or a smaller --expect",
				err, len(c.live()), c.Expect, c.names())
		default:
			return err
		}
	}
	c.begun = true
	for _, a := range c.agents {
		if a.local && slices.ContainsFunc(c.agents, func(o *member) bool { return o.boot != a.boot || o.boot == "" }) {
			return &UnreachableError{a.name + " would be reached by a loopback address, and others are on other machines: give it an address with --advertise"}
		}
	}
	return nil
}

// gather waits until there are enough agents, and asks for their clocks.
func (c *Coordinator) gather(ctx context.Context) error {
	for len(c.live()) < c.Expect {
		if _, _, err := c.step(ctx); err != nil {
			return err
		}
	}
	c.agents = c.live()
	return c.readClocks(ctx, c.agents)
}

func (c *Coordinator) names() string {
	var names []string
	for _, a := range c.live() {
		names = append(names, a.name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// live returns the agents that are not lost.
func (c *Coordinator) live() (all []*member) {
	for _, a := range c.agents {
		if a.lost == nil {
			all = append(all, a)
		}
	}
	return all
}

// Hosts returns what is known of the agents, and their environments.
func (c *Coordinator) Hosts(plan string) (hosts []record.Host, envs []record.Env) {
	for _, a := range c.agents {
		hosts = append(hosts, record.Host{Plan: plan, Agent: a.name, Node: a.node, Env: a.env.ID, Clock: a.clock})
		envs = append(envs, a.env)
	}
	return hosts, envs
}

// Lost returns the first agent that was lost, nil if there is none.
func (c *Coordinator) Lost() error {
	for _, a := range c.agents {
		if a.lost != nil {
			return a.lost
		}
	}
	return nil
}

// Dismiss tells the agents that all is done, or why it is not. What is measured must be
// over; what comes after it may take its time, which would look to them like silence.
func (c *Coordinator) Dismiss(why error) {
	if c.dismissed {
		return
	}
	c.dismissed = true
	m := message{Kind: bye}
	if why != nil {
		m.Text = why.Error()
	}
	for _, a := range c.live() {
		c.send(a, m)
	}
}

// Close dismisses the agents, unless they are, and ends.
func (c *Coordinator) Close(why error) error {
	c.Dismiss(why)
	return c.context.Close()
}

// send sends to an agent, which is lost if there is no way to it; but first what it said
// before is heard: that may be why it ended.
func (c *Coordinator) send(a *member, m message) {
	if a.lost != nil {
		return
	}
	if err := c.sendTo(a.id, m); err != nil {
		a.cut = fmt.Sprintf("its connection has ended (%v)", err)
	}
}

func (c *Coordinator) sendTo(id []byte, m message) error {
	data, err := encode(m)
	if err != nil {
		return err
	}
	// A queue that is full is that of an agent that does not read, which is as good as
	// gone: nobody is to wait for it.
	return c.socket.SendMultipart(context.Background(), [][]byte{id, data}, zmq.DontWait)
}

func (c *Coordinator) lose(a *member, why string) {
	if a.lost == nil {
		a.lost = &LostError{a.name, why}
		c.Say("%v", a.lost)
	}
}

// beatEvery is how often the two sides say that they are there.
func beatEvery(lostAfter time.Duration) time.Duration { return lostAfter / 10 }

// step waits for a message of an agent, no longer than until the next beat, and
// deals with what every moment may bring: agents that come, go, or are not heard
// of. What is for a run is returned.
func (c *Coordinator) step(ctx context.Context) (*member, message, error) {
	if cause := context.Cause(ctx); cause != nil {
		return nil, message{}, cause
	}
	next := c.ticked.Add(beatEvery(c.LostAfter))
	limited, cancel := context.WithDeadline(ctx, next)
	defer cancel()
	parts, err := c.socket.RecvMultipart(context.Background(), zmq.DontWait)
	if errors.Is(err, zmq.ErrAgain) {
		for _, a := range c.live() {
			if a.cut != "" {
				c.lose(a, a.cut)
				return nil, message{}, nil
			}
		}
		parts, err = c.socket.RecvMultipart(limited)
	}
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, message{}, cause
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			return nil, message{}, err
		}
		c.tick()
		return nil, message{}, nil
	}
	if time.Now().After(next) { // many messages must not keep the beat away
		c.tick()
	}
	if len(parts) != 2 {
		return nil, message{}, nil // no agent of ours sends that
	}
	m, err := decode(parts[1])
	if err != nil {
		c.Say("%v: ignored", err)
		return nil, message{}, nil
	}
	i := slices.IndexFunc(c.agents, func(a *member) bool { return string(a.id) == string(parts[0]) })
	if i < 0 {
		if m.Kind == hello {
			c.meet(parts[0], m)
		}
		return nil, message{}, nil
	}
	a := c.agents[i]
	a.heard = time.Now()
	switch m.Kind {
	case beat, hello: // a hello again: the welcome is on its way
		return nil, message{}, nil
	case leave:
		c.lose(a, "it ended: "+m.Text)
		return nil, message{}, nil
	}
	return a, m, nil
}

// tick is what is done now and then.
func (c *Coordinator) tick() {
	now := time.Now()
	late := now.Sub(c.ticked) > 3*beatEvery(c.LostAfter)
	c.ticked = now
	for _, a := range c.live() {
		c.send(a, message{Kind: beat})
		if late {
			// It is the coordinator that did not listen: the machine stood still, or it
			// wrote results.
			a.heard = now
		}
		if silent := now.Sub(a.heard); silent > c.LostAfter {
			c.lose(a, fmt.Sprintf("nothing was heard of it for %v", silent.Round(time.Second/10)))
		}
	}
	if !c.begun {
		c.agents = c.live() // who comes back is new
	}
}

// meet welcomes an agent, or says why not.
func (c *Coordinator) meet(id []byte, m message) {
	if !c.begun {
		// Of one that has died, and comes back, it may not have been noticed yet.
		for _, a := range c.live() {
			if c.send(a, message{Kind: beat}); a.cut != "" {
				c.lose(a, a.cut)
			}
		}
	}
	reply := message{Kind: welcome, LostAfter: c.LostAfter}
	why, mixed := c.objection(m)
	if why != "" {
		reply = message{Kind: refused, Text: why}
	} else {
		reply.Name = c.nameFor(m.Name)
	}
	if err := c.sendTo(id, reply); err != nil {
		return // it has gone already
	}
	if why != "" {
		c.Say("an agent on %s was refused: %s", m.Host, why)
		return
	}
	a := &member{
		id: id, name: reply.Name, node: m.Node, boot: m.Boot, env: *m.Env, mixed: mixed,
		heard: time.Now(), local: m.Loopback,
	}
	c.agents = append(c.agents, a)
	c.Say("%s joined from %s, %d of %d", a.name, m.Host, len(c.live()), c.Expect)
}

// objection returns why an agent is not welcome; mixed are the versions of one that
// is, though they are others.
func (c *Coordinator) objection(m message) (why, mixed string) {
	ours := c.Versions
	switch {
	case m.Versions == nil || m.Env == nil:
		return "its hello is incomplete", ""
	case m.Versions.Protocol != ours.Protocol:
		// Even --allow-mixed cannot make them understand each other.
		return fmt.Sprintf("it has %v, the coordinator has %v: use the same zbench", *m.Versions, ours), ""
	case *m.Versions != ours && !c.AllowMixed:
		return fmt.Sprintf("it has %v, the coordinator has %v: use the same zbench, or --allow-mixed", *m.Versions, ours), ""
	case c.begun || len(c.live()) >= c.Expect:
		return fmt.Sprintf("busy: the coordinator has its %d agents; raise its --expect, or wait until it has ended", c.Expect), ""
	case m.Name != "" && slices.ContainsFunc(c.live(), func(a *member) bool { return a.name == m.Name }):
		return fmt.Sprintf("there is an agent %q already: use another --name", m.Name), ""
	case *m.Versions != ours:
		mixed = m.Versions.String()
	}
	return "", mixed
}

// nameFor returns the name that an agent asks for, or a number that is free.
func (c *Coordinator) nameFor(wish string) string {
	if wish != "" {
		return wish
	}
	for i := 1; ; i++ {
		name := fmt.Sprintf("agent-%d", i)
		if !slices.ContainsFunc(c.agents, func(a *member) bool { return a.name == name }) {
			return name
		}
	}
}
