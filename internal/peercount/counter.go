// Package peercount counts the peers of a socket from libzmq's reports about its connections.
//
// libzmq reports at which endpoint a handshake succeeded, but not on which connection
// there. It reports which connection ended, but not whether its handshake had succeeded.
// So a Counter keeps connections by endpoint: the number of those that are certainly
// ready, and a set of others, of which it knows how many are ready.
package peercount

import (
	"maps"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Counter counts the peers of one socket. The zero value counts none. A Counter may be used
// by any number of goroutines, and calls nothing while it holds its mutex.
type Counter struct {
	Raw atomic.Bool // STREAM, RouterRaw: no handshake, and an empty part closes a connection

	mu      sync.Mutex
	at      map[string]*group // by endpoint
	also    map[string]*group // by addresses to which libzmq has resolved endpoints
	left    []string          // endpoints detached since the socket was last attached there
	fds     map[int32]*group
	inproc  int
	again   uint64    // connections made to an endpoint after its first
	closed  int       // connections that a STREAM closed, without a report of libzmq
	ended   time.Time // last end of a connection; it may have messages left
	missed  error     // why some connections may not have been seen
	changed Change
}

type group struct {
	ready     int                // connections that are certainly ready
	open      map[int32]struct{} // the others, by descriptor
	successes int                // ready connections among the others
	failures  int                // failures that were reported, but not yet their ends
	doubt     int                // ends of connections that may have been successes
	attached  bool               // the endpoint was passed to Connect
	made      bool               // the socket has connected there
	half      bool               // WebSockets: a connection reports two successes
}

// Look returns the number of peers, the error of the last Miss, and a channel that is closed
// when one of them may have changed.
func (c *Counter) Look() (peers int, changed <-chan struct{}, missed error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peers(), c.changed.Next(), c.missed
}

// Totals returns the number of peers, and how many connections were made to an endpoint
// after the first one there.
func (c *Counter) Totals() (peers int, reconnects uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peers(), c.again
}

// peers returns the number of peers. c.mu is held.
func (c *Counter) peers() int {
	peers := c.inproc - c.closed
	for _, g := range c.at {
		peers += g.ready + g.successes
	}
	return peers
}

// Closed counts connections that the socket closed itself. Their descriptors stay recorded
// until libzmq uses the numbers for other connections.
func (c *Counter) Closed(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n = min(n, c.peers()); n > 0 {
		c.closed += n
		c.ended = time.Now()
		c.changed.Wake()
	}
}

// Miss records why the count is not complete any more.
func (c *Counter) Miss(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.missed = err
	c.changed.Wake()
}

// AddInproc counts connections over inproc, which libzmq does not report. A negative
// number counts their ends.
func (c *Counter) AddInproc(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inproc += n
	if n < 0 {
		c.ended = time.Now()
	}
	c.changed.Wake()
}

// HaveEnded reports whether a connection has ended, or may have ended without a report.
func (c *Counter) HaveEnded() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.ended.IsZero() || c.missed != nil
}

// Settled records that there are no more messages to receive. It has no effect until the
// given duration after the last end, because the report of an end may come before its
// last messages.
func (c *Counter) Settled(after time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.ended) > after {
		c.ended = time.Time{}
	}
}

// events is the set of events that the count needs.
const events = libzmq.MonitorConnected | libzmq.MonitorAccepted | libzmq.MonitorDisconnected |
	libzmq.MonitorNoDetail | libzmq.MonitorSucceeded | libzmq.MonitorProtocol | libzmq.MonitorAuth

// Note counts an event.
func (c *Counter) Note(e *libzmq.MonitorEvent) {
	if e.Event&events == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.Event == libzmq.MonitorDisconnected {
		c.ended = time.Now()
		c.forget(e.Value)
	} else if !c.hasLeft(e.Endpoint) {
		c.noteAt(c.groupAt(e.Endpoint), e)
	}
	c.closed += min(c.peers(), 0) // one in closed has ended in another way
	c.changed.Wake()
}

// noteAt counts an event of the connections of a group.
func (c *Counter) noteAt(g *group, e *libzmq.MonitorEvent) {
	switch e.Event {
	case libzmq.MonitorConnected, libzmq.MonitorAccepted:
		if e.Event == libzmq.MonitorConnected && !g.attached {
			g = c.resolved(e.Endpoint, g)
		}
		if c.fds[e.Value] != nil { // ended unreported: its descriptor is used again
			c.closed = max(c.closed-1, 0)
			c.forget(e.Value)
		}
		c.fds[e.Value] = g
		if e.Event == libzmq.MonitorConnected {
			if g.made {
				c.again++
			}
			g.made = true
		}
		if c.Raw.Load() {
			g.ready++
		} else {
			g.open[e.Value] = struct{}{}
			g.resolve()
		}
	case libzmq.MonitorSucceeded:
		if strings.HasPrefix(e.Endpoint, "ws") {
			if g.half = !g.half; g.half {
				return
			}
		}
		if len(g.open) == 0 && g.doubt > 0 {
			g.doubt-- // counted before, in place of a connection that had ended
			return
		}
		// It may come before the connection itself, from another libzmq thread.
		g.successes++
		g.resolve()
	case libzmq.MonitorNoDetail, libzmq.MonitorProtocol, libzmq.MonitorAuth:
		if len(g.open) > 0 {
			g.failures++
		}
	}
}

// Attach records an endpoint that is about to be connected. If the connect fails, undo
// reverses that.
func (c *Counter) Attach(endpoint string) (undo func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rejoin(endpoint)
	delete(c.also, endpoint)
	g := c.groupAt(endpoint)
	if g.attached {
		return func() {}
	}
	g.attached = true
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if g.attached = false; !g.made && len(g.open) == 0 && g.ready+g.successes == 0 {
			delete(c.at, endpoint)
		}
	}
}

// Listen says that the socket is about to bind an endpoint.
func (c *Counter) Listen(endpoint string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rejoin(endpoint)
}

// rejoin drops from left what may be an endpoint or its resolved address: equal ports suffice.
func (c *Counter) rejoin(endpoint string) {
	transport, _, port := address(endpoint)
	c.left = slices.DeleteFunc(c.left, func(left string) bool {
		t, _, p := address(left)
		return left == endpoint || t == transport && p != "" && (p == port || port == "*" || port == "0")
	})
}

// hasLeft reports whether an endpoint was detached. A connection there may still become
// ready, while unsent messages linger, but libzmq will not report its end. An address that
// belongs to another endpoint as well has not left.
func (c *Counter) hasLeft(endpoint string) bool {
	return c.at[endpoint] == nil && c.also[endpoint] == nil &&
		slices.ContainsFunc(c.left, func(left string) bool { return endpoint == left || coveredBy(endpoint, left) })
}

// resolved returns the group of a connection that was made to an endpoint which was not
// passed to Connect. libzmq reports the first connection to a host name, or from a source
// address, at that endpoint, and further ones at the address to which it has resolved the
// endpoint. So the group is that of an attached endpoint with the same port whose
// connection has ended, if there is one, and otherwise at. Two names with the same address
// share a group after that, because libzmq does not report to which of them it belongs.
func (c *Counter) resolved(endpoint string, at *group) *group {
	if at.made || at.ready+len(at.open) > 0 {
		return at
	}
	transport, _, port := address(endpoint)
	for name, g := range c.at {
		t, host, p := address(name)
		_, err := netip.ParseAddr(strings.Trim(host, "[]"))
		if err == nil || p == "" || t != transport || p != port || !g.attached || !g.made || g.ready+len(g.open) > 0 {
			continue
		}
		g.successes += at.successes // reported before the connection
		g.half = g.half != at.half
		delete(c.at, endpoint)
		c.also[endpoint] = g
		return g
	}
	return at
}

func (c *Counter) groupAt(endpoint string) *group {
	if g := c.also[endpoint]; g != nil {
		return g
	}
	g := c.at[endpoint]
	if g == nil {
		if c.at == nil {
			c.at, c.also, c.fds = map[string]*group{}, map[string]*group{}, map[int32]*group{}
		}
		g = &group{open: map[int32]struct{}{}}
		c.at[endpoint] = g
	}
	return g
}

// forget removes a connection.
func (c *Counter) forget(fd int32) {
	g := c.fds[fd]
	if g == nil {
		return
	}
	delete(c.fds, fd)
	if _, ok := g.open[fd]; !ok {
		if g.ready--; g.ready+len(g.open) == 0 {
			g.doubt = 0
		}
		return
	}
	// The connection failed, was refused because of its socket type (libzmq reports
	// nothing else about that), or is one of the successes. It is not counted as a
	// success while the other connections suffice for the number of successes.
	delete(g.open, fd)
	switch {
	case g.failures > 0:
		g.failures--
	case g.successes > 0:
		g.doubt++
	}
	g.successes = min(g.successes, len(g.open))
	g.resolve()
}

// resolve records which connections are ready, once all of them are.
func (g *group) resolve() {
	if len(g.open) == 0 || g.successes < len(g.open) {
		return
	}
	g.ready += len(g.open)
	g.successes -= len(g.open)
	clear(g.open)
	g.failures = 0
}

// Detach removes the connections of an endpoint that was unbound or disconnected. libzmq
// ends them without a report.
func (c *Counter) Detach(endpoint string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at, g := range c.at {
		if at != endpoint && (g.made || g.attached || !coveredBy(at, endpoint)) {
			continue
		}
		delete(c.at, at)
		c.left = append(c.left, at)
		c.ended = time.Now()
		// It is not known which of the closed connections belong to this endpoint.
		c.closed -= min(c.closed, g.ready+g.successes)
		for address, owner := range c.also {
			if owner == g {
				delete(c.also, address)
				c.left = append(c.left, address)
			}
		}
		maps.DeleteFunc(c.fds, func(_ int32, owner *group) bool { return owner == g })
	}
	c.left = append(c.left, endpoint)
	c.closed += min(c.peers(), 0)
	c.changed.Wake()
}

// coveredBy reports whether a bound endpoint is a wildcard that accepts connections at an
// address.
func coveredBy(at, bound string) bool {
	transport, host, port := address(bound)
	t, _, p := address(at)
	return (host == "0.0.0.0" || host == "[::]") && t == transport && p == port
}

// address splits an endpoint such as tcp://127.0.0.1:5555 or ws://127.0.0.1:5555/path. The
// port of other endpoints is empty.
func address(endpoint string) (transport, host, port string) {
	transport, rest, _ := strings.Cut(endpoint, "://")
	rest, _, _ = strings.Cut(rest, "/")
	colon := strings.LastIndexByte(rest, ':')
	if colon < 0 {
		return transport, rest, ""
	}
	return transport, rest[:colon], rest[colon+1:]
}
