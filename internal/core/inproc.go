package core

import (
	"math"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// inprocNames records the inproc names of a context and the sockets that are connected
// through them, because libzmq does not report them. In the order of locks, its mutex
// comes after Socket.mu. It is held while libzmq changes its own table, so that both
// tables agree, and a Close that has closed all sockets finds all names.
type inprocNames struct {
	mu      sync.Mutex
	bound   map[string]*Socket
	unbound map[string]struct{}  // connected before they were bound
	pending map[string][]*Socket // sockets connected to a name that is not bound yet
	left    map[string]time.Time // until when messages for names that were left are kept
	settled bool                 // the reserve must not be used any more
}

// inprocEnds is the part of a socket that concerns inproc. Socket.mu guards it, and the
// mutex of inprocNames awaits and pairs.
type inprocEnds struct {
	names     []string         // that the socket has bound
	awaits    map[string]await // by unbound name
	pairs     map[*inprocPair]struct{}
	hello     bool // has ZMQ_HELLO_MSG
	welcome   bool // has ZMQ_XPUB_WELCOME_MSG
	handsOver bool // has ZMQ_ROUTER_HANDOVER
	named     bool // has a ZMQ_CONNECT_ROUTING_ID for the next connect
}

// inprocPair is one connection. A socket that is connected to itself has both ends.
type inprocPair struct {
	name              string
	connecter, binder *Socket
}

func inprocName(endpoint string) (string, bool) { return strings.CutPrefix(endpoint, "inproc://") }

// A socket that connects to a name before it is bound gets both ends of the connection.
// When the name is bound, libzmq uses the other end (ctx.cpp, connect_inproc_sockets). It
// reads the routing id of the connecting socket. It writes the subscriptions of a SUB,
// its own id if a ROUTER or REP is connected, and ZMQ_HELLO_MSG or a welcome. If it
// cannot, because either end was closed before or the queue is full, it aborts. These
// errors prevent that. No end can be closed while n.mu is held.
var (
	errGreetLeft = &Fault{syscall.EINVAL, "a socket that connected to the name before it was bound has disconnected or closed, and libzmq would abort when it sends that socket the HelloMessage or XPubWelcomeMessage; bind without that option, or use another name"}
	errGreetPair = &Fault{syscall.EINVAL, "a PAIR is connected to the name and may have another peer, and libzmq would abort when it sends that PAIR the HelloMessage or XPubWelcomeMessage; bind without that option, or use a DEALER instead of the PAIR"}
	errPairBinds = &Fault{syscall.EINVAL, "a ROUTER or REP is connected to the name, and libzmq would abort when a PAIR that already has a peer refuses it; bind a DEALER, or bind the PAIR before other sockets connect"}
	errSubBinds  = &Fault{syscall.EINVAL, "a ROUTER or REP is connected to the name, and libzmq would abort when the subscriptions of a SUB or XSUB leave no room for its routing ID in the queue; bind before other sockets connect, or bind a PULL"}
	errConflates = &Fault{syscall.EINVAL, "with Conflate, libzmq loses the first message of a connection to an inproc name that is not bound yet, and aborts if the connection ends before the name is bound; bind the name first"}
	errNameless  = &Fault{syscall.EINVAL, "a ROUTER or REP is bound to the name, and would read the first message of a socket with Conflate as its routing ID; connect without Conflate"}
	errOwnName   = &Fault{syscall.EINVAL, "the socket itself has bound the name, and libzmq would unbind it; call Unbind first"}
	errHandover  = &Fault{syscall.EINVAL, "with RouterHandover, a peer that presents the same routing ID ends the connection, and libzmq aborts if its inproc name is not bound yet; bind the name first, or use only one of RouterHandover and ConnectRoutingID"}
)

// bind binds a name. s.mu is held, here and below.
//
// Implements: zmq_bind.
func (n *inprocNames) bind(s *Socket, name string) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, left := n.left[name]; left && s.greets() {
		return -int(syscall.EINVAL), errGreetLeft
	}
	for _, waiting := range n.pending[name] {
		if s.greets() && waiting.onePeer() {
			return -int(syscall.EINVAL), errGreetPair
		}
		if s.onePeer() && (waiting.typ == libzmq.Router || waiting.typ == libzmq.Rep) {
			return -int(syscall.EINVAL), errPairBinds
		}
		if (s.typ == libzmq.Sub || s.typ == libzmq.XSub) && (waiting.typ == libzmq.Router || waiting.typ == libzmq.Rep) {
			return -int(syscall.EINVAL), errSubBinds
		}
	}
	rc := libzmq.Bind(s.handle, "inproc://"+name)
	if rc < 0 {
		return rc, nil
	}
	put(&n.bound, name, s)
	s.names = append(s.names, name)
	delete(n.unbound, name)
	delete(n.left, name)
	for _, waiting := range n.pending[name] {
		delete(waiting.awaits, name)
		n.pair(name, waiting, s)
	}
	delete(n.pending, name)
	return rc, nil
}

// unbind unbinds a name. Existing connections stay.
//
// Implements: zmq_unbind.
func (n *inprocNames) unbind(s *Socket, name string) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	rc := libzmq.Unbind(s.handle, "inproc://"+name)
	if rc == 0 && n.bound[name] == s {
		delete(n.bound, name)
		s.names = slices.DeleteFunc(s.names, func(other string) bool { return other == name })
	}
	return rc, nil
}

// connect connects to a name. call is zmq_connect or a function with the same effect.
func (n *inprocNames) connect(s *Socket, name string, call func(libzmq.Socket) int) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	binder := n.bound[name]
	switch {
	case binder == nil && s.named && s.handsOver:
		return -int(syscall.EINVAL), errHandover
	case binder == nil && s.conflates.Load():
		return -int(syscall.EINVAL), errConflates
	case binder != nil && (binder.typ == libzmq.Router || binder.typ == libzmq.Rep) && s.conflates.Load():
		return -int(syscall.EINVAL), errNameless
	}
	rc := call(s.handle)
	switch {
	case rc < 0:
	case binder != nil:
		n.pair(name, s, binder)
	default:
		put(&n.unbound, name, struct{}{})
		put(&n.pending, name, append(n.pending[name], s))
		s.await(name)
	}
	return rc, nil
}

// pendingRouted reports whether a connection with a routing id waits for its name to be
// bound.
func (n *inprocNames) pendingRouted(s *Socket) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, a := range s.awaits {
		if a.named {
			return true
		}
	}
	return false
}

// await describes the connections of a socket to a name that is not bound.
type await struct {
	named bool   // one of them has a ZMQ_CONNECT_ROUTING_ID
	sent  uint64 // messages that the socket had sent before the first of them
}

func (s *Socket) await(name string) {
	a, waits := s.awaits[name]
	if !waits {
		a.sent = s.stats.Sent.Messages
	}
	a.named = a.named || s.named
	put(&s.awaits, name, a)
}

// abandon ends the connections to a name that no socket will bind. libzmq would keep
// them, and the places and descriptors of their sockets, until the name is bound. So the
// reserve binds it for a moment. connected is an open socket with such a connection, or
// nil.
func (n *inprocNames) abandon(reserve, connected libzmq.Socket, name string) {
	endpoint := "inproc://" + name
	if libzmq.Bind(reserve, endpoint) < 0 {
		put(&n.unbound, name, struct{}{}) // the context was shut down
		return
	}
	libzmq.Unbind(reserve, endpoint)
	if connected != nil {
		libzmq.Disconnect(connected, endpoint)
	}
	delete(n.unbound, name)
	delete(n.left, name)
	// The reserve closes its end of a connection after it has received all messages.
	var parts [4]libzmq.Msg
	for {
		got, _ := libzmq.Recv(reserve, &parts[0], parts[1:], 0, 0)
		if got <= 0 {
			return
		}
		libzmq.CloseMsgs(parts[:got])
	}
}

// zapName is the inproc name at which libzmq's I/O threads look for the authenticator.
// They abort the process if they find a socket of the reserve's type.
const zapName = "zeromq.zap.01"

// leave ends the wait of a socket for a name. The messages that it has sent there are
// kept for the given period, without limit if that is negative. connected is as in
// abandon. While other sockets wait for the name, libzmq keeps the connections as well.
func (n *inprocNames) leave(s *Socket, connected libzmq.Socket, name string, period time.Duration) {
	n.withdraw(s, name)
	if period == 0 && len(n.pending[name]) == 0 && time.Now().After(n.left[name]) && name != zapName {
		n.abandon(s.ctx.reserve, connected, name)
		return
	}
	n.keep(name, period)
	n.abandonLater(s.ctx.reserve, name)
}

// keep records that a socket has left a name and that libzmq keeps its connections. They
// must not be touched before the thread that ends the socket's side has done so.
func (n *inprocNames) keep(name string, period time.Duration) {
	if period < 0 || period > longestLinger {
		period = math.MaxInt64 - attendAgain
	}
	if until := time.Now().Add(period + attendAgain); until.After(n.left[name]) {
		put(&n.left, name, until)
	}
}

// abandonLater abandons a name when the periods of all connections that were left there
// have ended, unless a socket waits for the name at that time.
func (n *inprocNames) abandonLater(reserve libzmq.Socket, name string) {
	rest := time.Until(n.left[name])
	if rest > longestLinger+attendAgain || name == zapName {
		return
	}
	time.AfterFunc(rest, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		until, left := n.left[name]
		switch {
		case !left || n.settled || len(n.pending[name]) > 0:
		case time.Now().Before(until):
			n.abandonLater(reserve, name)
		default:
			n.abandon(reserve, nil, name)
		}
	})
}

// put stores a value in a map, which may be nil.
func put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// disconnect disconnects a socket from a name.
//
// Implements: zmq_disconnect.
func (n *inprocNames) disconnect(s *Socket, name string) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.bound[name] == s {
		return -int(syscall.EINVAL), errOwnName
	}
	rc := libzmq.Disconnect(s.handle, "inproc://"+name)
	if rc < 0 {
		return rc, nil
	}
	if a, waits := s.awaits[name]; waits {
		// The binder's end of the connection is closed by a command to s. Events
		// processes that command.
		libzmq.Events(s.handle)
		period := time.Duration(0)
		if s.stats.Sent.Messages > a.sent {
			period = s.lingerPeriod()
		}
		n.leave(s, nil, name, period)
	}
	for p := range s.pairs {
		if p.connecter == s && p.name == name {
			p.part()
		}
	}
	return rc, nil
}

// withdraw removes a socket from the list of those that wait for a name.
func (n *inprocNames) withdraw(s *Socket, name string) {
	delete(s.awaits, name)
	rest := slices.DeleteFunc(n.pending[name], func(other *Socket) bool { return other == s })
	if len(rest) == 0 {
		delete(n.pending, name)
	} else {
		n.pending[name] = rest
	}
}

// close removes a socket that is about to be closed. libzmq frees an inproc name on
// another thread, some time after the close. A caller expects the name to be free at
// once. period is how long messages are kept that were sent to unbound names.
func (n *inprocNames) close(s *Socket, period time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, name := range s.names {
		delete(n.bound, name)
		libzmq.Unbind(s.handle, "inproc://"+name)
	}
	s.names = nil
	for name := range s.awaits {
		n.leave(s, s.handle, name, period)
	}
	for p := range s.pairs {
		p.part()
	}
}

// pair records a connection. A PAIR that has a peer refuses another.
func (n *inprocNames) pair(name string, connecter, binder *Socket) {
	if connecter.single() || binder.single() {
		return
	}
	p := &inprocPair{name: name, connecter: connecter, binder: binder}
	for _, s := range []*Socket{connecter, binder} {
		put(&s.pairs, p, struct{}{})
		s.links.addInproc(1)
	}
}

// single reports whether the socket already has the only peer that it can have.
func (s *Socket) single() bool { return s.onePeer() && len(s.pairs) > 0 }

// greets reports whether the socket sends a message to each new peer.
func (s *Socket) greets() bool { return s.hello || s.welcome }

func (s *Socket) onePeer() bool { return s.typ == libzmq.Pair || s.typ == libzmq.Channel }

func (p *inprocPair) part() {
	delete(p.connecter.pairs, p)
	delete(p.binder.pairs, p)
	p.connecter.links.addInproc(-1)
	p.binder.links.addInproc(-1)
}

func (n *inprocNames) isBound(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.bound[name] != nil
}

// settle binds the names that have connections but were never bound. It uses a socket
// that was created for this. zmq_ctx_term would bind them with new sockets and abort the
// process if it gets none. The socket must be of a type that takes any number of peers: a
// PAIR refuses the second, and libzmq crashes if that connection belongs to a socket that
// is being closed.
func (n *inprocNames) settle(reserve libzmq.Socket) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.settled = true
	for name := range n.unbound {
		libzmq.Bind(reserve, "inproc://"+name)
	}
}
