package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// NodeVariable names the environment variable with the node of Kubernetes that a pod
// is on, as the manifest of zbench k8s sets it.
const NodeVariable = "NODE_NAME"

// AgentConfig is what an agent is told.
type AgentConfig struct {
	Coordinator string        // endpoint to connect to
	Name        string        // "": the coordinator gives a number
	Advertise   string        // address under which other agents reach this host; "": the one that leads to the coordinator
	Bind        string        // address to bind; "": the advertised one
	Node        string        // of Kubernetes, that it runs on; "": none
	Join        time.Duration // for how long to look for the coordinator
	Key         string        // see Config
	Versions    Versions
	Env         record.Env
	Say         func(format string, args ...any) // what a user may want to know meanwhile
}

// RefusedError says that the coordinator does not want this agent.
type RefusedError struct{ Why string }

func (e *RefusedError) Error() string { return "the coordinator refuses this agent: " + e.Why }

// helloAgain is when a coordinator that has not replied is told again.
const helloAgain = 5 * time.Second

// Agent measures what a coordinator says, until that has no more, or has gone.
func Agent(ctx context.Context, cfg AgentConfig) (err error) {
	settings, err := clientSecurity(cfg.Key)
	if err != nil {
		return err
	}
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, zctx.Close()) }()
	// Without Immediate: with it libzmq drops, at the connection's end, what was not
	// read yet, and that is the coordinator's goodbye.
	settings = append(settings, zmq.Linger.To(time.Second))
	socket, err := zctx.NewSocket(zmq.Dealer, append(settings, forIPv6(cfg.Coordinator)...)...)
	if err != nil {
		return err
	}
	a := &agent{AgentConfig: cfg, socket: socket}
	if err := a.join(ctx); err != nil {
		return err
	}
	err = a.loop(ctx)
	if cause := context.Cause(ctx); cause != nil {
		a.send(message{Kind: leave, Text: cause.Error()})
	}
	a.end(errAborted)
	return err
}

// agent is one that has joined, or is about to.
type agent struct {
	AgentConfig
	socket    *zmq.Socket
	lostAfter time.Duration
	task      *task // nil: none
}

// join looks for the coordinator until it welcomes or refuses the agent.
func (a *agent) join(ctx context.Context) error {
	nobody := fmt.Errorf("%w: no coordinator answered at %s within %v", ErrJoin, a.Coordinator, a.Join)
	ctx, cancel := context.WithTimeoutCause(ctx, a.Join, nobody)
	defer cancel()
	if err := a.socket.Connect(a.Coordinator); err != nil {
		return err
	}
	for {
		reply, err := a.greet(ctx)
		if cause := context.Cause(ctx); err != nil && cause != nil {
			return cause
		}
		switch {
		case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
			continue
		case err != nil:
			return err
		case reply.Kind == refused:
			return &RefusedError{reply.Text}
		case reply.Kind == welcome && reply.LostAfter > 0:
			a.Name, a.lostAfter = reply.Name, reply.LostAfter
			a.Say("joined %s as %s", a.Coordinator, a.Name)
			return nil
		}
	}
}

// greet says hello, as soon as there is a connection, and returns the reply.
func (a *agent) greet(ctx context.Context) (message, error) {
	if err := a.socket.WaitConnected(ctx, 1); err != nil {
		return message{}, err
	}
	var err error
	// Not before: the coordinator's name may only now be known.
	if a.Advertise == "" {
		if a.Advertise, err = addressFor(a.Coordinator); err != nil {
			return message{}, err
		}
	}
	if a.Bind == "" {
		a.Bind = a.Advertise
	}
	if err := CheckBind(a.Bind, a.Advertise); err != nil {
		return message{}, err
	}
	host, err := os.Hostname()
	if err != nil {
		host = a.Advertise
	}
	data, err := encode(message{
		Kind: hello, Versions: &a.Versions, Name: a.Name, Env: &a.Env,
		Host: host, Node: a.Node, Boot: boot(), Loopback: isLoopback(a.Advertise),
	})
	if err != nil {
		return message{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, helloAgain)
	defer cancel()
	if err := a.socket.Send(ctx, data); err != nil {
		return message{}, err
	}
	part, err := a.socket.RecvBytes(ctx)
	if err != nil {
		return message{}, err
	}
	return decode(part)
}

// send sends to the coordinator. That it cannot shows by its silence.
func (a *agent) send(m message) {
	if data, err := encode(m); err == nil {
		_ = a.socket.Send(context.Background(), data, zmq.DontWait)
	}
}

// loop takes messages until the coordinator says that all is done.
func (a *agent) loop(ctx context.Context) error {
	every := beatEvery(a.lostAfter)
	heard, ticked := time.Now(), time.Now()
	for {
		limited, cancel := context.WithDeadline(ctx, ticked.Add(every))
		part, err := a.socket.RecvBytes(limited)
		cancel()
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		now := time.Now()
		if now.After(ticked.Add(every)) {
			if now.Sub(ticked) > 3*every {
				heard = now // it is this machine that stood still
			}
			ticked = now
			a.send(message{Kind: beat})
		}
		switch {
		case err == nil:
			heard = now
		case !errors.Is(err, context.DeadlineExceeded):
			return err
		case now.Sub(heard) > a.lostAfter:
			return fmt.Errorf("nothing was heard of the coordinator %s for %v; it has ended, or there is no way to it", a.Coordinator, now.Sub(heard).Round(time.Second/10))
		default:
			continue
		}
		m, err := decode(part)
		if err != nil {
			return err
		}
		if m.Kind == bye {
			return goodbye(m)
		}
		a.handle(ctx, m)
	}
}

func goodbye(m message) error {
	if m.Text == "" {
		return nil
	}
	return fmt.Errorf("the coordinator gave up: %s", m.Text)
}

// handle does what the coordinator says, without waiting for it to be done.
func (a *agent) handle(ctx context.Context, m message) {
	switch m.Kind {
	case probe:
		a.send(message{Kind: clock, Probe: m.Probe, Wall: time.Now().UnixNano()})
	case work:
		a.end(errAborted)
		if m.Assignment != nil {
			a.begin(ctx, m)
		}
	case start, stop, abort:
		if a.task == nil || a.task.number != m.Task {
			return
		}
		switch m.Kind {
		case start:
			a.task.start(time.Unix(0, m.Wall))
		case stop:
			a.task.stop()
		case abort:
			a.end(errAborted)
		}
	}
}
