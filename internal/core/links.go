package core

import (
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// links counts the peers that a socket is connected to: over inproc from inprocNames,
// over other transports from the reports of the monitor. The package comment has the
// order of locks.
//
// libzmq reports at which endpoint a handshake succeeded, but not on which connection
// there. It reports which connection ended, but not whether its handshake had succeeded.
// So links keeps connections by endpoint: the number of those that are certainly ready,
// and a set of others, of which it knows how many are ready.
type links struct {
	mu      sync.Mutex
	at      map[string]*linkGroup // by endpoint
	fds     map[int32]*linkGroup
	inproc  int
	again   uint64      // connections made to an endpoint after its first
	raw     atomic.Bool // STREAM, RouterRaw: no handshake, and an empty part closes a connection
	closed  int         // connections that a STREAM closed, without a report of libzmq
	ended   time.Time   // last end of a connection; it may have messages left
	missed  error       // why some connections may not have been seen
	changed change
}

type linkGroup struct {
	ready     int                // connections that are certainly ready
	open      map[int32]struct{} // the others, by descriptor
	successes int                // ready connections among the others
	failures  int                // failures that were reported, but not yet their ends
	doubt     int                // ends of connections that may have been successes
	made      bool               // the socket has connected there
	half      bool               // WebSockets: a connection reports two successes
}

// look returns the number of peers and a channel that is closed when it changes.
func (l *links) look() (peers int, changed <-chan struct{}, missed error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.peers(), l.changed.next(), l.missed
}

// peers returns the number of peers. l.mu is held.
func (l *links) peers() int {
	peers := l.inproc - l.closed
	for _, g := range l.at {
		peers += g.ready + g.successes
	}
	return peers
}

// close counts connections that the socket closed itself. Their descriptors stay recorded
// until libzmq uses the numbers for other connections.
func (l *links) close(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n = min(n, l.peers()); n > 0 {
		l.closed += n
		l.ended = time.Now()
		l.changed.wake()
	}
}

// miss records that the count is not complete any more.
func (l *links) miss(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.missed = err
	l.changed.wake()
}

func (l *links) addInproc(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inproc += n
	if n < 0 {
		l.ended = time.Now()
	}
	l.changed.wake()
}

// haveEnded reports whether a connection has ended, or may have ended without a report.
func (l *links) haveEnded() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.ended.IsZero() || l.missed != nil
}

// settled records that there are no more messages to receive. It has no effect until the
// given duration after the last end, because the report of an end may come before its
// last messages.
func (l *links) settled(after time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.ended) > after {
		l.ended = time.Time{}
	}
}

// linkEvents is the set of events that the count needs.
const linkEvents = libzmq.MonitorConnected | libzmq.MonitorAccepted | libzmq.MonitorDisconnected | libzmq.MonitorStopped |
	libzmq.MonitorNoDetail | libzmq.MonitorSucceeded | libzmq.MonitorProtocol | libzmq.MonitorAuth

// note counts an event.
func (l *links) note(e *MonitorEvent) {
	if e.Event&linkEvents == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.group(e.Endpoint)
	switch e.Event {
	case libzmq.MonitorConnected, libzmq.MonitorAccepted:
		if l.fds[e.Value] != nil { // ended unreported: its descriptor is used again
			l.closed = max(l.closed-1, 0)
			l.forget(e.Value)
		}
		l.fds[e.Value] = g
		if e.Event == libzmq.MonitorConnected {
			if g.made {
				l.again++
			}
			g.made = true
		}
		if l.raw.Load() {
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
		l.ended = time.Now()
		l.forget(e.Value)
	}
	l.closed += min(l.peers(), 0) // one in closed has ended in another way
	l.changed.wake()
}

func (l *links) group(endpoint string) *linkGroup {
	g := l.at[endpoint]
	if g == nil {
		if l.at == nil {
			l.at, l.fds = map[string]*linkGroup{}, map[int32]*linkGroup{}
		}
		g = &linkGroup{open: map[int32]struct{}{}}
		l.at[endpoint] = g
	}
	return g
}

// forget removes a connection.
func (l *links) forget(fd int32) {
	g := l.fds[fd]
	if g == nil {
		return
	}
	delete(l.fds, fd)
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
func (g *linkGroup) resolve() {
	if len(g.open) == 0 || g.successes < len(g.open) {
		return
	}
	g.ready += len(g.open)
	g.successes -= len(g.open)
	clear(g.open)
	g.failures = 0
}

// detach removes the connections of an endpoint that was unbound or disconnected. libzmq
// ends them without a report.
func (l *links) detach(endpoint string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for at, g := range l.at {
		if !servedBy(at, endpoint) {
			continue
		}
		delete(l.at, at)
		l.ended = time.Now()
		// It is not known which of the closed connections belong to this endpoint.
		l.closed -= min(l.closed, g.ready+g.successes)
		maps.DeleteFunc(l.fds, func(_ int32, owner *linkGroup) bool { return owner == g })
	}
	l.closed += min(l.peers(), 0)
	l.changed.wake()
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
