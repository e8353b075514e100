package core

import (
	"strings"
	"sync"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// links counts the peers that a socket is connected to: over inproc from the
// account of names, over other transports from what the monitor reports. Its mutex
// is taken last.
//
// libzmq says of a handshake at which endpoint it succeeded, but not on which of
// the connections there; and of a connection that ended, which one it was, but not
// whether its handshake had succeeded. So connections are kept by endpoint, as
// those that certainly are ready, and those of which a number is.
type links struct {
	mu      sync.Mutex
	at      map[string]*linkGroup // by endpoint
	fds     map[int32]*linkGroup
	inproc  int
	ever    uint64        // handshakes that succeeded
	again   uint64        // connections that the socket made to an endpoint after the first one there
	raw     bool          // connections without a handshake: STREAM, RouterRaw
	closed  int           // connections that a STREAM closed: libzmq does not report which ones, or that they ended
	ended   time.Time     // some connection has, and its messages may not have been received
	missed  error         // why there may be connections that were not seen
	changed chan struct{} // closed at the next change; nil while nobody waits
}

type linkGroup struct {
	ready     map[int32]struct{}
	open      map[int32]struct{} // of these, so many are ready as there are successes
	successes int
	failures  int  // reported, their ends not yet
	doubt     int  // ends of which it was not clear whether they were successes
	made      bool // the socket has connected there
	half      bool // WebSockets: a connection reports two successes
}

// look returns the number of peers, and a channel that is closed when it changes.
func (l *links) look() (peers int, changed <-chan struct{}, missed error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return l.peers(), l.changed, l.missed
}

// peers returns the number of peers. l.mu is held.
func (l *links) peers() int {
	peers := l.inproc - l.closed
	for _, g := range l.at {
		peers += len(g.ready) + g.successes
	}
	return peers
}

// close counts a connection that the socket closed itself. Its descriptor stays on the
// account until libzmq uses the number for another connection.
func (l *links) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.peers() > 0 {
		l.closed++
		l.ended = time.Now()
		l.wake()
	}
}

// wake wakes everybody who waits for a change. l.mu is held.
func (l *links) wake() {
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// end wakes everybody because the socket ended.
func (l *links) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wake()
}

// miss notes that the count is not complete any more.
func (l *links) miss(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.missed = err
	l.wake()
}

func (l *links) addInproc(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inproc += n
	if n < 0 {
		l.ended = time.Now()
	}
	l.wake()
}

// haveEnded reports whether a connection has ended, or may have unseen.
func (l *links) haveEnded() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.ended.IsZero() || l.missed != nil
}

// settled notes that nothing is left to be received, which counts for connections that
// ended that long ago: the report of an end may come before its last messages.
func (l *links) settled(after time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.ended) > after {
		l.ended = time.Time{}
	}
}

func (l *links) setRaw(raw bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.raw = raw
}

// linkEvents are the events that the count needs.
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
		if l.fds[e.Value] != nil { // ended unseen: its descriptor is used again
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
		if l.raw {
			g.ready[e.Value] = struct{}{}
			l.ever++
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
		l.ever++
		if len(g.open) == 0 && g.doubt > 0 {
			g.doubt-- // counted before, in place of one that had ended
			return
		}
		// It may come before the connection itself, from another of libzmq's threads.
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
	l.closed += min(l.peers(), 0) // one that was closed has ended otherwise
	l.wake()
}

func (l *links) group(endpoint string) *linkGroup {
	g := l.at[endpoint]
	if g == nil {
		if l.at == nil {
			l.at, l.fds = map[string]*linkGroup{}, map[int32]*linkGroup{}
		}
		g = &linkGroup{ready: map[int32]struct{}{}, open: map[int32]struct{}{}}
		l.at[endpoint] = g
	}
	return g
}

// forget takes a connection off the account.
func (l *links) forget(fd int32) {
	g := l.fds[fd]
	if g == nil {
		return
	}
	delete(l.fds, fd)
	if _, ok := g.ready[fd]; ok {
		delete(g.ready, fd)
		if len(g.ready)+len(g.open) == 0 {
			g.doubt = 0
		}
		return
	}
	// Failed, refused for its type of socket (of which libzmq reports nothing else),
	// or one of the successes. It is taken for the former as long as there are
	// enough others to have succeeded.
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

// resolve notes which connections are ready once all of them are.
func (g *linkGroup) resolve() {
	if len(g.open) == 0 || g.successes < len(g.open) {
		return
	}
	for fd := range g.open {
		g.ready[fd] = struct{}{}
	}
	g.successes -= len(g.open)
	clear(g.open)
	g.failures = 0
}

// detach forgets the connections of an endpoint that was unbound or disconnected:
// libzmq ends them without a report.
func (l *links) detach(endpoint string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for at, g := range l.at {
		if !servedBy(at, endpoint) {
			continue
		}
		delete(l.at, at)
		l.ended = time.Now()
		// Which of the closed connections were this endpoint's is not known.
		l.closed -= min(l.closed, len(g.ready)+g.successes)
		for fd, owner := range l.fds {
			if owner == g {
				delete(l.fds, fd)
			}
		}
	}
	l.closed += min(l.peers(), 0)
	l.wake()
}

// servedBy reports whether connections at an endpoint are those of an endpoint that
// was bound or connected: the same, or any address with the port of a wildcard.
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
