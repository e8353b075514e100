// Package peercount counts the peers of a socket from libzmq's reports about its connections.
//
// libzmq reports at which endpoint a handshake succeeded, but not on which connection
// there. It reports which connection ended, but not whether its handshake had succeeded.
// So a Counter keeps connections by endpoint: the number of those that are certainly
// ready, and a set of others, of which it knows how many are ready.
package peercount

import (
	"maps"
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
	made      bool               // the socket has connected there
	half      bool               // WebSockets: a connection reports two successes
}

// Look returns the number of peers, a channel that is closed when the number changes, and
// the error of the last Miss.
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
const events = libzmq.MonitorConnected | libzmq.MonitorAccepted | libzmq.MonitorDisconnected | libzmq.MonitorStopped |
	libzmq.MonitorNoDetail | libzmq.MonitorSucceeded | libzmq.MonitorProtocol | libzmq.MonitorAuth

// Note counts an event.
func (c *Counter) Note(e *libzmq.MonitorEvent) {
	if e.Event&events == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.groupAt(e.Endpoint)
	switch e.Event {
	case libzmq.MonitorConnected, libzmq.MonitorAccepted:
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
		return
	case libzmq.MonitorDisconnected:
		c.ended = time.Now()
		c.forget(e.Value)
	}
	c.closed += min(c.peers(), 0) // one in closed has ended in another way
	c.changed.Wake()
}

func (c *Counter) groupAt(endpoint string) *group {
	g := c.at[endpoint]
	if g == nil {
		if c.at == nil {
			c.at, c.fds = map[string]*group{}, map[int32]*group{}
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
		if !servedBy(at, endpoint) {
			continue
		}
		delete(c.at, at)
		c.ended = time.Now()
		// It is not known which of the closed connections belong to this endpoint.
		c.closed -= min(c.closed, g.ready+g.successes)
		maps.DeleteFunc(c.fds, func(_ int32, owner *group) bool { return owner == g })
	}
	c.closed += min(c.peers(), 0)
	c.changed.Wake()
}

// servedBy reports whether connections at an endpoint belong to an endpoint that was
// bound or connected: the same endpoint, or any address with the port of a wildcard.
func servedBy(at, attached string) bool {
	if at == attached {
		return true
	}
	for _, wildcard := range []string{"tcp://0.0.0.0:", "tcp://[::]:"} {
		if port, ok := strings.CutPrefix(attached, wildcard); ok {
			return strings.HasPrefix(at, "tcp://") && strings.HasSuffix(at, ":"+port)
		}
	}
	return false
}
