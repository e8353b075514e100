// Package peertable knows the peers of a socket: how many there are, who they are, and who
// came and left. It has no socket and takes no lock of one. It learns from libzmq's reports
// about connections, from the socket's attaching and detaching of endpoints, from the
// context's table of inproc names, and, if a setting asks for that, from received messages.
//
// libzmq reports a connection by its descriptor, and says which descriptor has ended. But it
// reports at which endpoint a handshake succeeded or failed, not on which connection there. A
// Table therefore counts successes by endpoint and finds out to which connection each belongs
// (handshake.go). A peer is listed once that is certain. The count is right before.
//
// The terms: a connection is open until its handshake is known to be over. It is ready when
// the handshake succeeded, and then it is a peer.
package peertable

import (
	"cmp"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Peer describes a connection.
type Peer struct {
	ID        uint64 // unique in the process, never reused
	Endpoint  string // bound or connected by the socket
	Address   netip.AddrPort
	Process   int
	Outgoing  bool
	RoutingID []byte
	UserID    string
	Since     time.Time // of the handshake
}

// Cause says why a peer left.
type Cause uint8

// The causes.
const (
	Ended    Cause = iota // by the peer or by the network, or heartbeats were not answered
	Protocol              // the peer violated the protocol
	Detached              // this socket ended it: Disconnect, Unbind, Close, or a STREAM's empty part
	Revoked               // the authenticator no longer admits it
)

// News is the arrival or the departure of a peer.
type News struct {
	Peer  Peer
	Left  bool
	Cause Cause // of a departure
}

// Table is the table of the peers of one socket. The zero value is empty. Any number of
// goroutines may use it. It calls nothing that blocks while it holds its mutex.
type Table struct {
	Raw atomic.Bool // STREAM, RouterRaw: no handshake, and an empty part closes a connection

	mu     sync.Mutex
	at     map[string]*group // by endpoint
	also   map[string]*group // by addresses to which libzmq has resolved endpoints
	left   ports             // endpoints detached since the socket was last attached there
	conns  map[int32]*conn   // by descriptor
	count  int               // connections whose handshake succeeded, as far as it is known
	inproc map[uint64]*Peer
	again  uint64 // connections made to an endpoint after its first
	closed int    // connections that a STREAM closed, without a report of libzmq
	last   uint64 // the event of the last report

	ended   time.Time // last end of a connection; it may have messages left
	missed  error     // why some connections may not have been seen
	changed Change
	news    []News
	listens bool // somebody takes the news
	learner

	bytesReceived func(fd int32) int64 // for tests; nil: libzmq.BytesReceived
}

// conn is a connection over a network.
type conn struct {
	Peer
	fd      int32
	inode   uint64 // of the descriptor; 0: unknown
	group   *group
	made    time.Time
	learned bool
	revoked bool
}

var ids atomic.Uint64

// NewID returns a new id of a connection.
func NewID() uint64 { return ids.Add(1) }

// ListenForNews makes the table keep news for Take.
func (t *Table) ListenForNews() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.listens = true
}

// Take returns the news since the last call.
func (t *Table) Take() []News {
	t.mu.Lock()
	defer t.mu.Unlock()
	news := t.news
	t.news = nil
	return news
}

func (t *Table) tell(p *Peer, left bool, cause Cause) {
	if t.listens {
		t.news = append(t.news, News{Peer: *p, Left: left, Cause: cause})
	}
}

// Peers returns the peers in the order of their ids. alive reports whether a descriptor is
// still that of the connection with an inode; the table forgets connections that are not.
func (t *Table) Peers(alive func(fd int32, inode uint64) bool) []Peer {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed > 0 {
		t.removeClosed(alive)
	}
	peers := make([]Peer, 0, len(t.conns)+len(t.inproc))
	for _, c := range t.conns {
		if c.ready() {
			peers = append(peers, c.Peer)
		}
	}
	for _, p := range t.inproc {
		peers = append(peers, *p)
	}
	slices.SortFunc(peers, func(a, b Peer) int { return cmp.Compare(a.ID, b.ID) })
	return peers
}

// removeClosed removes the connections that the socket itself has closed.
func (t *Table) removeClosed(alive func(fd int32, inode uint64) bool) {
	for fd, c := range t.conns {
		if c.inode != 0 && !alive(fd, c.inode) {
			t.closed = max(t.closed-1, 0)
			t.remove(c, Detached)
		}
	}
}

// Look returns the number of peers, the error of the last Miss, and a channel that is closed
// when one of them may have changed.
func (t *Table) Look() (peers int, changed <-chan struct{}, missed error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.peers(), t.changed.Next(), t.missed
}

// Totals returns the number of peers, and how many connections were made to an endpoint
// after the first one there.
func (t *Table) Totals() (peers int, reconnects uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.peers(), t.again
}

// peers returns the number of peers. t.mu is held.
func (t *Table) peers() int { return t.count + len(t.inproc) - t.closed }

// Closed counts connections that the socket closed itself. Their descriptors stay recorded
// until libzmq uses the numbers for other connections, or Peers looks.
func (t *Table) Closed(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n = min(n, t.peers()); n > 0 {
		t.closed += n
		t.ended = time.Now()
		t.changed.Wake()
	}
}

// Miss records why the count is not complete any more.
func (t *Table) Miss(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.missed = err
	t.changed.Wake()
}

// JoinInproc adds a peer over inproc, which libzmq does not report.
func (t *Table) JoinInproc(p Peer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inproc == nil {
		t.inproc = map[uint64]*Peer{}
	}
	t.inproc[p.ID] = &p
	t.tell(&p, false, 0)
	t.changed.Wake()
}

// LeaveInproc removes a peer over inproc. by tells which side ended the connection.
func (t *Table) LeaveInproc(id uint64, by Cause) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.inproc[id]; p != nil {
		delete(t.inproc, id)
		t.tell(p, true, by)
		t.ended = time.Now()
		t.changed.Wake()
	}
}

// HaveEnded reports whether a connection has ended, or may have ended without a report.
func (t *Table) HaveEnded() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.ended.IsZero() || t.missed != nil
}

// Settled records that there are no more messages to receive. It has no effect until the
// given duration after the last end, because the report of an end may come before its
// last messages.
func (t *Table) Settled(after time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.ended) > after {
		t.ended = time.Time{}
	}
}

// events is the set of events that the table needs.
const events = libzmq.MonitorConnected | libzmq.MonitorAccepted | libzmq.MonitorDisconnected |
	libzmq.MonitorNoDetail | libzmq.MonitorSucceeded | libzmq.MonitorProtocol | libzmq.MonitorAuth

// Note takes a report of libzmq. who is the identity of the descriptor in a report of a new
// connection. It returns the connection that the report is about, or one with the ID 0 if
// that is not certain.
func (t *Table) Note(e *libzmq.MonitorEvent, who libzmq.Identity) (of Peer) {
	if e.Event&events == 0 {
		return of
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if e.Event == libzmq.MonitorDisconnected {
		t.ended = time.Now()
		of = t.end(e.Value)
	} else if !t.hasLeft(e.Endpoint) {
		of = t.noteAt(t.groupAt(e.Endpoint), e, who)
	}
	t.last = e.Event
	t.closed += min(t.peers(), 0) // one in closed has ended in another way
	t.changed.Wake()
	return of
}
