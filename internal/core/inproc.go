package core

import (
	"math"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/peertable"
)

// of returns the first connection of a socket, or nil.
func (u *unboundName) of(s *Socket) *await {
	for i := range u.awaits {
		if u.awaits[i].s == s {
			return &u.awaits[i]
		}
	}
	return nil
}

func inprocName(endpoint string) (string, bool) { return strings.CutPrefix(endpoint, "inproc://") }

// A socket that connects to a name before it is bound gets both ends of the connection.
// When the name is bound, libzmq uses the other end (ctx.cpp, connect_inproc_sockets). It
// reads the routing id of the connecting socket. It writes the subscriptions of a SUB,
// its own id if a ROUTER or REP is connected, and ZMQ_HELLO_MSG or a welcome. If it
// cannot, because either end was closed before or the queue is full, it aborts. These
// errors prevent that. No end can be closed while n.mu is held.
var (
	errGreets    = fault.New(syscall.EINVAL, "a socket that connected to the name before it was bound has left, or is a PAIR that may have another peer, and libzmq would abort when it sends that socket the HelloMessage or XPubWelcomeMessage; bind without that option, or use another name")
	errRefuses   = fault.New(syscall.EINVAL, "a ROUTER or REP is connected to the name, and libzmq would abort when a PAIR that already has a peer refuses it, or when the subscriptions of a SUB or XSUB leave no room for its routing ID; bind before other sockets connect, or bind a DEALER or PULL")
	errConflates = fault.New(syscall.EINVAL, "with Conflate, libzmq loses the first message of a connection to an inproc name that is not bound yet, and aborts if the connection ends before the name is bound; bind the name first")
	errNameless  = fault.New(syscall.EINVAL, "a ROUTER or REP is bound to the name, and would read the first message of a socket with Conflate as its routing ID; connect without Conflate")
	errOwnName   = fault.New(syscall.EINVAL, "the socket itself has bound the name, and libzmq would unbind it; call Unbind first")
	errHandover  = fault.New(syscall.EINVAL, "with RouterHandover, a peer that presents the same routing ID ends the connection, and libzmq aborts if its inproc name is not bound yet; bind the name first, or use only one of RouterHandover and ConnectRoutingID")
)

// bind binds a name.
//
// Implements: zmq_bind.
func (n *inprocNames) bind(s *held, name string) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	u := n.unbound[name]
	if u == nil {
		u = &unboundName{}
	}
	if err := u.refuses(s.sock); err != nil {
		return -int(syscall.EINVAL), err
	}
	rc := libzmq.Bind(s.handle, "inproc://"+name)
	if rc < 0 {
		return rc, nil
	}
	n.bound[name] = s.sock
	s.names[name] = struct{}{}
	delete(n.unbound, name)
	for _, a := range u.awaits {
		n.pair(name, a.s, s.sock)
	}
	return rc, nil
}

// refuses returns the reason why a socket must not bind the name, or nil.
func (u *unboundName) refuses(s *Socket) error {
	greets := s.options.On(libzmq.OptHelloMsg) || s.options.On(libzmq.OptXPubWelcome)
	if greets && !u.left.IsZero() {
		return errGreets
	}
	mayRefuse := s.typ.OnePeer() || s.typ == libzmq.Sub || s.typ == libzmq.XSub
	for _, a := range u.awaits {
		switch {
		case greets && a.s.typ.OnePeer():
			return errGreets
		case mayRefuse && a.s.typ.NamesPeers():
			return errRefuses
		}
	}
	return nil
}

// unbind unbinds a name. Existing connections stay.
//
// Implements: zmq_unbind.
func (n *inprocNames) unbind(s *held, name string) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	rc := libzmq.Unbind(s.handle, "inproc://"+name)
	if rc == 0 && n.bound[name] == s.sock {
		delete(n.bound, name)
		delete(s.names, name)
	}
	return rc, nil
}

// connect connects to a name. call is zmq_connect or a function with the same effect.
func (n *inprocNames) connect(s *held, name string, call func(libzmq.Socket) int) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	binder := n.bound[name]
	switch {
	case binder == nil && s.options.On(libzmq.OptConnectID) && s.options.On(libzmq.OptRouterHandover):
		return -int(syscall.EINVAL), errHandover
	case binder == nil && s.options.On(libzmq.OptConflate):
		return -int(syscall.EINVAL), errConflates
	case binder != nil && binder.typ.NamesPeers() && s.options.On(libzmq.OptConflate):
		return -int(syscall.EINVAL), errNameless
	}
	rc := call(s.handle)
	switch {
	case rc < 0:
	case binder != nil:
		n.pair(name, s.sock, binder)
	default:
		u := n.unbound[name]
		if u == nil {
			u = &unboundName{}
			n.unbound[name] = u
		}
		u.awaits = append(u.awaits, await{s: s.sock, named: s.options.On(libzmq.OptConnectID), sent: s.stats.Sent.Messages})
		s.names[name] = struct{}{}
	}
	return rc, nil
}

// pendingRouted reports whether a connection with a routing id waits for its name to be
// bound.
func (n *inprocNames) pendingRouted(s *Socket) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, u := range n.unbound {
		if slices.ContainsFunc(u.awaits, func(a await) bool { return a.s == s && a.named }) {
			return true
		}
	}
	return false
}

// AwaitsName reports whether a connection of the socket waits for an inproc name to be bound.
func (s *Socket) AwaitsName(name string) bool {
	n := &s.ctx.inproc
	n.mu.Lock()
	defer n.mu.Unlock()
	u := n.unbound[name]
	return u != nil && u.of(s) != nil
}

// abandon ends the connections to a name that no socket will bind. libzmq would keep
// them, and the places and descriptors of their sockets, until the name is bound. So the
// reserve binds it for a moment. connected is an open socket with such a connection, or
// nil.
func (n *inprocNames) abandon(reserve, connected libzmq.Socket, name string) {
	endpoint := "inproc://" + name
	if libzmq.Bind(reserve, endpoint) < 0 {
		return
	}
	libzmq.Unbind(reserve, endpoint)
	if connected != nil {
		libzmq.Disconnect(connected, endpoint)
	}
	delete(n.unbound, name)
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
	u, reserve := n.unbound[name], s.ctx.reserve
	u.awaits = slices.DeleteFunc(u.awaits, func(a await) bool { return a.s == s })
	now := time.Now()
	until := now.Add(math.MaxInt64)
	switch {
	case n.settled || period < 0 || name == zapName:
	case period == 0 && len(u.awaits) == 0 && now.After(u.left):
		n.abandon(reserve, connected, name)
		return
	default:
		// The connections must not be touched before the thread that ends the socket's
		// side has done so.
		until = now.Add(period + attendAgain)
		time.AfterFunc(period+attendAgain, func() { n.abandonLeft(reserve, name) })
	}
	if until.After(u.left) {
		u.left = until
	}
}

// abandonLeft abandons a name if the periods of all connections that were left there have
// ended, unless a socket waits for the name.
func (n *inprocNames) abandonLeft(reserve libzmq.Socket, name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	u := n.unbound[name]
	if u != nil && !n.settled && len(u.awaits) == 0 && !time.Now().Before(u.left) {
		n.abandon(reserve, nil, name)
	}
}

// disconnect disconnects a socket from a name.
//
// Implements: zmq_disconnect.
func (n *inprocNames) disconnect(s *held, name string) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.bound[name] == s.sock {
		return -int(syscall.EINVAL), errOwnName
	}
	rc := libzmq.Disconnect(s.handle, "inproc://"+name)
	if rc < 0 {
		return rc, nil
	}
	if u := n.unbound[name]; u != nil && u.of(s.sock) != nil {
		// The binder's end of the connection is closed by a command to s. Events
		// processes that command.
		libzmq.Events(s.handle)
		period := time.Duration(0)
		if s.stats.Sent.Messages > u.of(s.sock).sent {
			period = s.linger
		}
		n.leave(s.sock, nil, name, period)
	}
	delete(s.names, name)
	for p := range s.pairs {
		if p.connecter == s.sock && p.name == name {
			n.part(p, s.sock)
		}
	}
	return rc, nil
}

// close removes a socket that is about to be closed. libzmq frees an inproc name on
// another thread, some time after the close. A caller expects the name to be free at
// once. period is how long messages are kept that were sent to unbound names.
func (n *inprocNames) close(s *held, period time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for name := range s.names {
		if n.bound[name] == s.sock {
			delete(n.bound, name)
			libzmq.Unbind(s.handle, "inproc://"+name)
		} else if u := n.unbound[name]; u != nil && u.of(s.sock) != nil {
			n.leave(s.sock, s.handle, name, period)
		}
	}
	for p := range s.pairs {
		n.part(p, s.sock)
	}
}

// pair records a connection. A PAIR that has a peer refuses another.
func (n *inprocNames) pair(name string, connecter, binder *Socket) {
	if connecter.single() || binder.single() {
		return
	}
	p := &inprocPair{name: name, ids: [2]uint64{peertable.NewID(), peertable.NewID()}, connecter: connecter, binder: binder}
	connecter.pairs[p], binder.pairs[p] = struct{}{}, struct{}{}
	peer := peertable.Peer{ID: p.ids[0], Endpoint: "inproc://" + name, Outgoing: true, Since: time.Now()}
	connecter.peers.JoinInproc(peer)
	peer.ID, peer.Outgoing = p.ids[1], false
	binder.peers.JoinInproc(peer)
	n.changed = append(n.changed, connecter, binder)
}

// single reports whether the socket already has the only peer that it can have.
func (s *shared) single() bool { return s.typ.OnePeer() && len(s.pairs) > 0 }

// part ends a connection. by is the socket that does it.
func (n *inprocNames) part(p *inprocPair, by *Socket) {
	for i, s := range []*Socket{p.connecter, p.binder} {
		delete(s.pairs, p)
		cause := peertable.Ended
		if s == by {
			cause = peertable.Detached
		}
		s.peers.LeaveInproc(p.ids[i], cause)
		n.changed = append(n.changed, s)
	}
}

// announceInproc tells the monitors of the sockets whose peers over inproc have changed. No
// mutex is held.
func (c *Context) announceInproc() {
	n := &c.inproc
	n.mu.Lock()
	changed := n.changed
	n.changed = nil
	n.mu.Unlock()
	for _, s := range changed {
		s.announce()
	}
}

// InprocBound reports whether an inproc name is bound in this context.
func (c *Context) InprocBound(name string) bool {
	c.inproc.mu.Lock()
	defer c.inproc.mu.Unlock()
	return c.inproc.bound[name] != nil
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
