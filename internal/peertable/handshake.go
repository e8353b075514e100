package peertable

import (
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// group has the connections at an endpoint.
type group struct {
	ready     map[int32]*conn // connections that are certainly ready, by descriptor
	open      map[int32]*conn // the others, by descriptor
	successes int             // ready connections among the others
	failures  []uint64        // failed handshakes that were reported, but not yet their ends
	doubt     int             // successes that may have been those of connections that ended
	attached  bool            // the endpoint was passed to Connect
	made      bool            // the socket has connected there
	half      bool            // WebSockets: a connection reports two successes
}

func (c *conn) ready() bool { return c.group.ready[c.fd] == c }

// noteAt takes a report of the connections of a group, except that of an end.
func (t *Table) noteAt(g *group, e *libzmq.MonitorEvent, who libzmq.Identity) Peer {
	switch e.Event {
	case libzmq.MonitorConnected, libzmq.MonitorAccepted:
		return t.begin(g, e, who)
	case libzmq.MonitorSucceeded:
		if strings.HasPrefix(e.Endpoint, "ws") {
			if g.half = !g.half; g.half {
				return Peer{}
			}
		}
		if len(g.open) == 0 && g.doubt > 0 {
			g.doubt-- // counted before, in place of a connection that had ended
			return Peer{}
		}
		// It may come before the connection itself, from another libzmq thread.
		g.successes++
		t.count++
		only := g.only()
		t.settle(g)
		if only != nil && only.ready() {
			return only.Peer
		}
	default:
		if len(g.open)+len(g.ready) > 0 {
			g.failures = append(g.failures, e.Event)
		}
		if only := g.only(); only != nil {
			return only.Peer
		}
	}
	return Peer{}
}

// only returns the open connection of a group if there is just one.
func (g *group) only() *conn {
	if len(g.open) == 1 {
		for _, c := range g.open {
			return c
		}
	}
	return nil
}

// begin adds a connection.
func (t *Table) begin(g *group, e *libzmq.MonitorEvent, who libzmq.Identity) Peer {
	outgoing := e.Event == libzmq.MonitorConnected
	if outgoing && !g.attached {
		g = t.resolved(e.Endpoint, g)
	}
	if old := t.conns[e.Value]; old != nil { // ended unreported: its descriptor is used again
		t.closed = max(t.closed-1, 0)
		t.remove(old, Detached)
	}
	c := &conn{fd: e.Value, inode: who.Inode, group: g, made: time.Now(), Peer: Peer{
		ID: NewID(), Endpoint: e.Endpoint, Address: who.Address, Process: who.Process, Outgoing: outgoing,
	}}
	t.conns[e.Value] = c
	if outgoing {
		if g.made {
			t.again++
		}
		g.made = true
	}
	g.open[c.fd] = c
	if t.Raw.Load() {
		t.count++
		t.finish(c)
	} else {
		t.settle(g)
	}
	return c.Peer
}

// finish records that the handshake of an open connection succeeded. t.count has it already.
func (t *Table) finish(c *conn) {
	delete(c.group.open, c.fd)
	c.group.ready[c.fd] = c
	c.Since = time.Now()
	t.tell(&c.Peer, false, 0)
}

// shortestHandshake is the least number of bytes that a peer sends in a handshake of ZMTP 3: a
// greeting and a READY command without properties.
const shortestHandshake = 64 + 2 + 6

// settle finds out which open connections are ready: all, or all that can have finished a
// handshake, if there are as many as successes. A peer that stalls in the middle of its
// handshake can make that uncertain until it ends or is cut off (HandshakeInterval).
func (t *Table) settle(g *group) {
	defer t.drop(g)
	if g.successes == 0 || len(g.open) == 0 {
		return
	}
	finished := g.open
	if g.successes < len(g.open) {
		finished = map[int32]*conn{}
		for fd, c := range g.open {
			if t.received(c) >= shortestHandshake {
				finished[fd] = c
			}
		}
	}
	if g.successes < len(finished) || len(finished) == 0 {
		return
	}
	g.successes -= len(finished)
	for _, c := range finished {
		t.finish(c)
	}
	if len(g.open) == 0 {
		g.failures = nil
	}
}

// drop drops successes that were those of connections that have ended.
func (t *Table) drop(g *group) {
	if n := min(g.successes, g.doubt); n > 0 && len(g.open) == 0 {
		g.successes -= n
		g.doubt -= n
		t.count -= n
	}
}

// received returns how many bytes the peer of a connection has sent, or a large number.
func (t *Table) received(c *conn) int64 {
	if t.bytesReceived != nil {
		return t.bytesReceived(c.fd)
	}
	return libzmq.BytesReceived(int(c.fd), c.inode)
}

// stalls is how much older an open connection must be than one that has just ended, so that
// its handshake is taken for one that stalls.
const stalls = time.Second

// mayBeReady returns how many open connections, other than one that has ended, may be ready.
func (t *Table) mayBeReady(g *group, ended *conn) (n int) {
	for _, c := range g.open {
		if c != ended && ended.made.Sub(c.made) < stalls && t.received(c) >= shortestHandshake {
			n++
		}
	}
	return n
}

// end removes the connection whose end was reported.
func (t *Table) end(fd int32) Peer {
	c := t.conns[fd]
	if c == nil {
		return Peer{}
	}
	g, cause := c.group, Ended
	switch {
	case c.ready():
		if g.failed(libzmq.MonitorProtocol) { // after the handshake
			cause = Protocol
		} else if n := len(g.failures); n > 0 && t.last == libzmq.MonitorNoDetail {
			// It was taken for ready in place of one that has ended. libzmq reports that a
			// handshake failed right before the end.
			g.failed(libzmq.MonitorNoDetail)
			g.doubt = max(g.doubt-1, 0)
		}
	case g.failed(libzmq.MonitorNoDetail), g.failed(libzmq.MonitorAuth):
	case g.successes < len(g.open) && g.failed(libzmq.MonitorProtocol):
	case g.successes > t.mayBeReady(g, c):
		g.successes--
		t.finish(c)
	case g.successes > 0:
		// This end was that of a ready connection, or of a peer whose socket type does not
		// fit, for which libzmq reports nothing else. The successes suffice for others.
		g.doubt++
	}
	if c.revoked {
		cause = Revoked
	}
	t.remove(c, cause)
	t.settle(g)
	return c.Peer
}

// failed takes a reported failure of the given kind.
func (g *group) failed(kind uint64) bool {
	for i, f := range g.failures {
		if f == kind {
			g.failures = append(g.failures[:i], g.failures[i+1:]...)
			return true
		}
	}
	return false
}

// remove removes a connection.
func (t *Table) remove(c *conn, cause Cause) {
	delete(t.conns, c.fd)
	t.gone(c)
	g := c.group
	if !c.ready() {
		delete(g.open, c.fd)
	} else {
		delete(g.ready, c.fd)
		t.count--
		t.tell(&c.Peer, true, cause)
	}
	if len(g.open) == 0 {
		g.failures = nil
		t.drop(g)
		if len(g.ready) == 0 {
			g.doubt = 0
		}
	}
}
