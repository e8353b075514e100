package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/load"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// headStart is how long before the start all agents are told of it.
const headStart = 100 * time.Millisecond

// Measure measures a cell once, on all agents that are there. The Env is that of the
// first agent whose numbers count.
func (c *Coordinator) Measure(ctx context.Context, cell record.Cell, method record.Method) (record.Run, record.Env, error) {
	var none record.Env
	agents := c.live()
	parts, err := roles(cell, method, len(agents))
	if err != nil {
		return record.Run{}, none, err
	}
	c.task++
	r := &running{Coordinator: c, ctx: ctx, parts: parts, agents: agents, outcomes: make([]outcome, len(parts))}
	if err := r.run(); err != nil {
		for _, p := range parts {
			c.send(agents[p.agent], message{Kind: abort, Task: c.task})
		}
		return record.Run{}, none, err
	}
	merged, err := merge(cell, r.outcomes)
	env := none
	for i, p := range parts {
		a := agents[p.agent]
		if measures(p.assignment.Role) && env.ID == "" {
			env = a.env
		}
		if a.mixed != "" {
			merged.Warnings = append(merged.Warnings, fmt.Sprintf("%s is of another version: %s", r.outcomes[i].agent, a.mixed))
		}
	}
	if len(agents) < c.Expect {
		merged.Warnings = append(merged.Warnings, fmt.Sprintf("%d of %d agents were left: %v", len(agents), c.Expect, c.Lost()))
	}
	merged.Env = env.ID
	return merged, env, err
}

// running is a run under way.
type running struct {
	*Coordinator
	ctx      context.Context
	parts    []part
	agents   []*member
	outcomes []outcome
}

func (r *running) run() error {
	if err := r.clocks(0); err != nil {
		return err
	}
	receivers, senders := r.split()
	// Receivers first: the others have to know where they are.
	peers := make([]load.Peer, len(r.parts))
	for _, i := range receivers {
		r.tell(i, message{Kind: work, Assignment: &r.parts[i].assignment})
	}
	err := r.wait(receivers, bound, func(i int, m message) {
		if m.Peer != nil {
			peers[i] = *m.Peer
		}
	})
	if err != nil {
		return err
	}
	first, all := 0, 0
	for _, i := range senders {
		all += r.parts[i].assignment.Cell.Senders
	}
	for _, i := range senders {
		p := &r.parts[i]
		peer := peers[p.to]
		peer.First, peer.All = first, all
		first += p.assignment.Cell.Senders
		p.assignment.Peer = &peer
		r.tell(i, message{Kind: work, Assignment: &p.assignment})
	}
	if err := r.wait(senders, ready, nil); err != nil {
		return err
	}
	at := time.Now().Add(headStart)
	for _, i := range senders {
		r.tell(i, message{Kind: start, Wall: at.Add(r.outcomes[i].clocks[0].Offset).UnixNano()})
	}
	keep := func(i int, m message) {
		o := &r.outcomes[i]
		o.total, o.took = m.Total, m.Took
		if m.Run != nil {
			o.run = *m.Run
		}
	}
	if err := r.wait(senders, done, keep); err != nil {
		return err
	}
	for _, i := range receivers {
		r.tell(i, message{Kind: stop})
	}
	if err := r.wait(receivers, done, keep); err != nil {
		return err
	}
	return r.clocks(1)
}

// split returns the places of the parts.
func (r *running) split() (receivers, senders []int) {
	for i, p := range r.parts {
		if p.assignment.Role == record.Server || p.assignment.Role == record.Receiver {
			receivers = append(receivers, i)
		} else {
			senders = append(senders, i)
		}
	}
	return receivers, senders
}

func (r *running) agent(i int) *member { return r.agents[r.parts[i].agent] }

func (r *running) tell(i int, m message) {
	m.Task = r.task
	r.send(r.agent(i), m)
}

// wait waits until each of some parts has said what is wanted. One that is lost ends
// it, and one that failed; but what fails is often the consequence of another's end,
// which is then the better reason and on its way.
func (r *running) wait(some []int, kind string, each func(i int, m message)) error {
	left := slices.Clone(some)
	var failure error
	var until time.Time
	for len(left) > 0 {
		if err := r.gone(); err != nil {
			return err
		}
		if failure != nil && time.Now().After(until) {
			return failure
		}
		a, m, err := r.step(r.ctx)
		if err != nil {
			return err
		}
		if a == nil || m.Task != r.task {
			continue
		}
		i := slices.IndexFunc(r.parts, func(p part) bool { return r.agents[p.agent] == a })
		switch at := slices.Index(left, i); {
		case m.Kind == failed && failure == nil:
			failure = fmt.Errorf("%s (%s): %s", a.name, r.parts[i].assignment.Role, m.Text)
			until = time.Now().Add(2 * beatEvery(r.LostAfter))
		case m.Kind == kind && at >= 0:
			if each != nil {
				each(i, m)
			}
			left = slices.Delete(left, at, at+1)
		}
	}
	if err := r.gone(); err != nil {
		return err
	}
	return failure // of somebody else, who will not say it again
}

// gone returns that an agent was lost that has a part.
func (r *running) gone() error {
	for i := range r.parts {
		if lost := r.agent(i).lost; lost != nil {
			return fmt.Errorf("%w; it was %s", lost, r.parts[i].assignment.Role)
		}
	}
	return nil
}

// clocks notes the clocks of those that have a part, before or after.
func (r *running) clocks(when int) error {
	var involved []*member
	for i := range r.parts {
		involved = append(involved, r.agent(i))
	}
	if err := r.readClocks(r.ctx, involved); err != nil {
		return err
	}
	for i := range r.parts {
		o := &r.outcomes[i]
		o.agent, o.role = r.agent(i).name, r.parts[i].assignment.Role
		o.clocks[when] = r.agent(i).clock
	}
	return nil
}

// readClocks asks agents for their time.
func (c *Coordinator) readClocks(ctx context.Context, agents []*member) error {
	for _, a := range agents {
		var all []exchange
		for len(all) < exchanges {
			c.probes++
			e := exchange{asked: time.Now()}
			c.send(a, message{Kind: probe, Probe: c.probes})
			for e.answered.IsZero() {
				if a.lost != nil {
					return a.lost
				}
				from, m, err := c.step(ctx)
				if err != nil {
					return err
				}
				if from == a && m.Kind == clock && m.Probe == c.probes {
					e.answered, e.theirs = time.Now(), time.Unix(0, m.Wall)
				}
			}
			all = append(all, e)
		}
		a.clock = estimate(all)
	}
	return nil
}

// errAborted ends an agent's work.
var errAborted = errors.New("the coordinator has given up the run")
