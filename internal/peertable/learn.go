package peertable

import (
	"bytes"
	"slices"
	"time"
)

// learner learns the routing ids and user ids of peers from their first messages. A message
// names its connection by the descriptor, which may belong to another connection by the time
// the message is received. Messages of a connection that ended can be received later than
// those of the next one with its descriptor. So a connection whose descriptor had another one
// before learns nothing until the messages of that one are certain to be received, unless the
// message cannot be from there because its routing id is another.
type learner struct {
	learns bool
	before map[int32][]*conn // ended connections that may have messages left, by descriptor
}

// Learn makes the table learn, or stops that.
func (t *Table) Learn(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.learns = on
}

// Learns reports whether the table learns.
func (t *Table) Learns() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.learns
}

// gone notes the end of a connection that may have messages left.
func (t *Table) gone(c *conn) {
	if !t.learns {
		return
	}
	if t.before == nil {
		t.before = map[int32][]*conn{}
	}
	t.before[c.fd] = append(t.before[c.fd], c)
}

// Knows reports whether a message from a descriptor, with a routing id that exact describes
// like that of Met, teaches the table nothing.
func (t *Table) Knows(fd int, routingID []byte, exact bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.conns[int32(fd)]
	return c != nil && c.learned && (!exact || bytes.Equal(c.RoutingID, routingID))
}

// Met records what a message from a descriptor says about its sender. All reports that came
// before the message must have been noted, so that the descriptor is the current one. exact says that the
// routing id is that of the connection inside the socket, so that no other connection has it.
func (t *Table) Met(fd int, routingID []byte, userID string, exact bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.conns[int32(fd)]
	if c == nil || c.learned {
		return
	}
	if slices.ContainsFunc(t.before[c.fd], func(old *conn) bool {
		return !exact || !old.learned || bytes.Equal(old.RoutingID, routingID)
	}) {
		return
	}
	c.RoutingID, c.UserID, c.learned = bytes.Clone(routingID), userID, true
	if g := c.group; !c.ready() && g.successes > 0 { // it has sent a message
		g.successes--
		t.finish(c)
	}
}

// Mark returns a mark for Quiet.
func (t *Table) Mark() uint64 { return ids.Load() }

// keepEnded is how long after the report of its end a connection may still deliver messages,
// if its descriptor is not in use again.
const keepEnded = time.Second

// Quiet records that there was nothing to receive after Mark had been called.
func (t *Table) Quiet(mark uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for fd := range t.before {
		// libzmq closes a descriptor after it has handed over the last messages.
		if c := t.conns[fd]; c != nil && c.ID <= mark || c == nil && time.Since(t.ended) > keepEnded {
			delete(t.before, fd)
		}
	}
}
