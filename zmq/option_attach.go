package zmq

import (
	"cmp"
	"errors"
	"maps"
	"net/netip"
	"strings"
	"syscall"
)

// attachState records the binds and connects of a socket, and settings that matter to them.
// The checks need it to refuse calls at which libzmq would abort the process. Socket.configMu
// guards it.
type attachState struct {
	used bool // after the first Bind or Connect, which freezes the frozen options

	// The names under which libzmq keeps endpoints, by the endpoint that the caller gave. A
	// bind is also entered under libzmq's name. It is not entered under a wildcard, which
	// can stand for several.
	bound     attachments
	connected attachments
	connects  map[string]int // the number of Connect calls by libzmq's name

	secured security // set by AsCurveServer and its like

	topics map[string]int // on a SUB: the number of its subscriptions by topic

	openWS bool // the socket has used WebSockets without a mechanism

	peers map[uint32]string // on a PEER: libzmq's names by the routing ID that ConnectPeer returned

	exposed   bool              // bound, or connected without an ID, so peers can choose IDs
	pendingID string            // ConnectRoutingID for the next Connect
	usedIDs   map[string]string // the endpoints of Connect calls by ID

	fd     handle // the duplicate for UseFD, until a Bind uses it
	hasFD  bool
	fdUnix bool // fd is a UNIX domain socket, for ipc; otherwise it is for tcp
}

func newAttachState() *attachState {
	return &attachState{
		bound: newAttachments(), connected: newAttachments(), connects: map[string]int{},
		usedIDs: map[string]string{}, topics: map[string]int{}, peers: map[uint32]string{},
	}
}

// spelled returns the form of an endpoint that is passed to libzmq. For Unbind and
// Disconnect this is the name under which libzmq keeps it. For Bind and Connect it is the
// endpoint itself, with one exception. A socket with IPv6 reports 127.0.0.1 in the form
// [::ffff:127.0.0.1], and not every C library treats the two as equal. A socket without IPv6
// therefore gets 127.0.0.1.
func (s *Socket) spelled(verb, endpoint string) string {
	if verb == verbUnbind || verb == verbDisconnect {
		return s.attach.known(verb, endpoint)
	}
	rest, bracketed := strings.CutPrefix(endpoint, "tcp://[")
	host, port, _ := strings.Cut(rest, "]")
	address, err := netip.ParseAddr(host)
	if !bracketed || err != nil || !address.Is4In6() {
		return endpoint
	}
	if s.intOption(numIPv6) != 0 {
		return endpoint
	}
	return "tcp://" + address.Unmap().String() + port
}

// known returns the name under which libzmq keeps an endpoint that is to be unbound or
// disconnected: "tcp://127.0.0.1:5555" for a bind to "tcp://lo:5555". For an endpoint that
// is not attached, it returns the endpoint itself.
func (a *attachState) known(verb, endpoint string) string {
	entries, _ := a.entries(verb)
	return cmp.Or(entries.names[endpoint], endpoint)
}

// entries returns the endpoints that Unbind or Disconnect can remove, and how they are
// attached.
func (a *attachState) entries(verb string) (entries attachments, attached string) {
	if verb == verbUnbind {
		return a.bound, "bound"
	}
	return a.connected, "connected"
}

// noteAttached records a call that libzmq has accepted. The caller holds s.configMu.
func (s *Socket) noteAttached(verb, endpoint, name string) {
	a := s.attach
	if strings.HasPrefix(endpoint, "ws") && (verb == verbBind || verb == verbConnect) {
		a.openWS = a.openWS || s.intOption(numMechanism) == 0
	}
	switch verb {
	case verbBind:
		a.used, a.exposed = true, true
		name = s.boundName(name)
		if !strings.Contains(endpoint, "*") {
			a.bound.add(endpoint, name)
		}
		a.bound.add(name, name)
		if a.hasFD && takesFD(endpoint) {
			// The listener owns the descriptor now. A second listener on it would abort the
			// process, so the option is cleared.
			a.hasFD = false
			_ = specOf(numUseFD).store(s, optionValue{n: -1})
		}
	case verbConnect:
		a.used = true
		a.connected.add(endpoint, name)
		a.connects[name]++
		if a.pendingID == "" {
			a.exposed = true
		} else {
			a.usedIDs[a.pendingID] = endpoint
			a.pendingID = ""
		}
	default:
		// libzmq removes all binds and connects with that name. Only for inproc does it tell
		// the two apart.
		if !strings.HasPrefix(name, inprocPrefix) || verb == verbUnbind {
			a.bound.drop(name)
		}
		if !strings.HasPrefix(name, inprocPrefix) || verb == verbDisconnect {
			a.connected.drop(name)
			maps.DeleteFunc(a.peers, func(_ uint32, n string) bool { return n == name })
			delete(a.connects, name)
		}
	}
}

// boundName returns the name under which libzmq keeps an endpoint that was just bound. For
// some transports this is the resolved endpoint.
func (s *Socket) boundName(endpoint string) string {
	transport, _, _ := strings.Cut(endpoint, "://")
	switch transport {
	case "tcp", "ipc", "ws", "wss", "vmci":
		if last := s.textOption(numLastEndpoint); last != "" {
			return last
		}
	}
	return endpoint
}

// setConnectRoutingID accepts only IDs that no peer can have. libzmq aborts the process if a
// Connect uses an ID that is in use, and any peer that chooses its own ID may use it.
func setConnectRoutingID(s *Socket, o *optionSpec, v optionValue) error {
	a, id := s.attach, string(v.b)
	if madeUp(v.b) {
		return o.fail(opSet, syscall.EINVAL, "an ID of five bytes must not begin with a zero byte, because libzmq generates such IDs; choose another ID")
	}
	if _, ok := a.usedIDs[id]; ok {
		return o.fail(opSet, syscall.EINVAL, "this socket has used the ID %q before; use a new ID for each Connect", id)
	}
	// The peers of a STREAM socket do not choose IDs.
	if s.Type() == Router && a.exposed {
		return o.fail(opSet, syscall.EINVAL, "a peer may already have the same ID, and libzmq would abort; use IDs before the first Bind and the first Connect without an ID, or use a separate ROUTER")
	}
	if err := o.store(s, v); err != nil {
		return err
	}
	a.pendingID = id
	return nil
}

// checkPendingID refuses calls that make it unsafe to use the pending ID later.
func (c *endpointCheck) checkPendingID() error {
	a := c.s.attach
	if a.pendingID == "" {
		return nil
	}
	if c.verb == verbBind && c.s.Type() == Router {
		return c.fail(syscall.EINVAL, "ConnectRoutingID %q is set for the next Connect, and a peer that connects to this Bind could take the ID; connect first", a.pendingID)
	}
	if c.verb == verbConnect && c.s.core().On(numImmediate) {
		return c.fail(syscall.EINVAL, "libzmq ignores ConnectRoutingID while Immediate is set; use one of the two")
	}
	return nil
}

// setUseFD gives libzmq a duplicate of a listening socket. libzmq closes the descriptor that
// it gets, and aborts the process if the program closes it.
func setUseFD(s *Socket, o *optionSpec, v optionValue) error {
	if v.n < 0 {
		if err := o.store(s, v); err != nil {
			return err
		}
		s.attach.closeFD()
		return nil
	}
	unix, err := listeningSocket(int(v.n))
	if err != nil {
		return o.fail(opSet, errnoOf(err), "descriptor %d cannot be used: %v; pass a listening TCP or UNIX domain socket", v.n, err)
	}
	fd, err := duplicate(int(v.n))
	if err != nil {
		return o.fail(opSet, errnoOf(err), "descriptor %d cannot be duplicated: %v", v.n, err)
	}
	if err := o.store(s, optionValue{n: int64(fd)}); err != nil {
		closeHandle(fd)
		return err
	}
	s.attach.closeFD()
	s.attach.fd, s.attach.hasFD, s.attach.fdUnix = fd, true, unix
	return nil
}

// closeFD closes the duplicate for UseFD if no Bind has used it. Socket.configMu is held.
func (a *attachState) closeFD() {
	if a.hasFD {
		a.hasFD = false
		closeHandle(a.fd)
	}
}

// takesFD reports whether a listener for the endpoint uses the descriptor of UseFD.
func takesFD(endpoint string) bool {
	return strings.HasPrefix(endpoint, "tcp://") || strings.HasPrefix(endpoint, "ipc://")
}

func errnoOf(err error) syscall.Errno {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return syscall.EINVAL
}
