package zmq

import (
	"errors"
	"net/netip"
	"strings"
	"syscall"
)

// attachState is what the binding remembers of a socket's binds and connects, to
// refuse what libzmq would answer by aborting the process. Socket.configMu guards
// it.
type attachState struct {
	used bool // something was bound or connected: frozen options are frozen

	// By the endpoint as it was given, the name under which libzmq keeps it. A
	// bind is entered under both, but not under a wildcard, which names many.
	bound     map[string]string
	connected map[string]string

	secured security // what AsCurveServer and its like have made of the socket

	topics map[string]int // a SUB's: how often it has subscribed to each

	raw       bool // RouterRaw was set
	probes    bool // ProbeRouter is set
	greets    bool // HelloMessage is set
	manual    bool // XPubManual or XPubManualLastValue was set
	openWS    bool // it has used WebSockets without a mechanism
	conflates bool // Conflate is set

	peers map[uint32]string // of a PEER: endpoints by the routing id that ConnectPeer returned

	wssCert, wssKey string // what WSSCertPEM and WSSKeyPEM were set to

	exposed   bool                // bound once, or connected without an id: peers choose ids
	pendingID string              // ConnectRoutingID for the next Connect
	usedIDs   map[string]struct{} // ids that a Connect took

	fd     int // our duplicate for UseFD, until a Bind takes it
	hasFD  bool
	fdUnix bool // it is a UNIX domain socket: for ipc, otherwise for tcp
}

// spelled returns an endpoint as libzmq is told it: the name that it knows, or for what
// begins the endpoint itself. Without IPv6 it is told 127.0.0.1 for [::ffff:127.0.0.1], as
// a socket with IPv6 calls that: not every C library knows them to be the same.
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
	if ipv6, err := s.intOption(numIPv6); err != nil || ipv6 != 0 {
		return endpoint
	}
	return "tcp://" + address.Unmap().String() + port
}

// known returns the name under which libzmq keeps what is to be unbound or
// disconnected: "tcp://127.0.0.1:5555" for a bind to "tcp://localhost:5555". For
// the other verbs, and what is not attached, it is the endpoint itself.
func (a *attachState) known(verb, endpoint string) string {
	entries := a.entries(verb)
	if name, ok := entries[endpoint]; ok {
		return name
	}
	if entries != nil {
		// Other spellings of a numeric address.
		same := canonicalEndpoint(endpoint)
		for _, name := range entries {
			if canonicalEndpoint(name) == same {
				return name
			}
		}
	}
	return endpoint
}

// entries returns the endpoints that a verb can end, nil for verbs that begin.
func (a *attachState) entries(verb string) map[string]string {
	switch verb {
	case verbUnbind:
		return a.bound
	case verbDisconnect:
		return a.connected
	}
	return nil
}

// noteAttached records what libzmq has accepted under a name. The caller holds s.configMu.
func (s *Socket) noteAttached(verb, endpoint, name string) {
	a := &s.attach
	if strings.HasPrefix(endpoint, "ws") && (verb == verbBind || verb == verbConnect) {
		mechanism, err := s.intOption(numMechanism)
		a.openWS = a.openWS || err == nil && mechanism == 0
	}
	switch verb {
	case verbBind:
		a.used, a.exposed = true, true
		name = s.boundName(name)
		if !strings.Contains(endpoint, "*") {
			put(&a.bound, endpoint, name)
		}
		put(&a.bound, name, name)
		if a.hasFD && takesFD(endpoint) {
			// The listener owns it now. A second one on the same descriptor would
			// abort the process, so libzmq forgets it.
			a.hasFD = false
			o := specOf(numUseFD)
			_ = s.core.SetOption(numUseFD, o.wire(optionValue{n: -1}))
		}
	case verbConnect:
		a.used = true
		put(&a.connected, endpoint, name)
		if a.pendingID == "" {
			a.exposed = true
		} else {
			if a.usedIDs == nil {
				a.usedIDs = make(map[string]struct{})
			}
			a.usedIDs[a.pendingID] = struct{}{}
			a.pendingID = ""
		}
	default:
		// libzmq ends everything of that name, whichever way it was made, except
		// that an inproc name is unbound or disconnected.
		if !strings.HasPrefix(name, inprocPrefix) || verb == verbUnbind {
			drop(a.bound, name)
		}
		if !strings.HasPrefix(name, inprocPrefix) || verb == verbDisconnect {
			drop(a.connected, name)
		}
	}
}

func put(entries *map[string]string, endpoint, name string) {
	if *entries == nil {
		*entries = make(map[string]string)
	}
	(*entries)[endpoint] = name
}

func drop(entries map[string]string, name string) {
	for endpoint, n := range entries {
		if n == name {
			delete(entries, endpoint)
		}
	}
}

// boundName returns the name under which libzmq keeps an endpoint that was just
// bound: for these transports what it has resolved it to.
func (s *Socket) boundName(endpoint string) string {
	transport, _, _ := strings.Cut(endpoint, "://")
	switch transport {
	case "tcp", "ipc", "ws", "wss", "vmci":
		if v, err := specOf(numLastEndpoint).read(s); err == nil && len(v.b) > 0 {
			return string(v.b)
		}
	}
	return endpoint
}

// setConnectRoutingID accepts only ids that no peer can hold. libzmq aborts the
// process when a Connect uses an id that is taken, and any peer that names itself
// may have taken it.
func setConnectRoutingID(s *Socket, o *optionSpec, v optionValue) error {
	a, id := &s.attach, string(v.b)
	if madeUp(v.b) {
		return o.fail(opSet, syscall.EINVAL, "an id of five bytes may not begin with a zero byte; libzmq makes up such ids itself")
	}
	if _, ok := a.usedIDs[id]; ok {
		return o.fail(opSet, syscall.EINVAL, "the id %q was used by this socket before; ids are for one Connect each", id)
	}
	// The peers of a STREAM socket do not name themselves.
	if s.Type() == Router && a.exposed {
		return o.fail(opSet, syscall.EINVAL, "a peer may have the same id already, at which libzmq aborts; connect with ids before Bind and before any Connect without one, or use a Router of its own for it")
	}
	if err := o.store(s, v); err != nil {
		return err
	}
	a.pendingID = id
	return nil
}

// checkPendingID keeps an id that waits for its Connect from becoming dangerous.
func (c *endpointCheck) checkPendingID() error {
	a := &c.s.attach
	if a.pendingID == "" {
		return nil
	}
	if c.verb == verbBind && c.s.Type() == Router {
		return c.fail(syscall.EINVAL, "ConnectRoutingID %q waits for a Connect; a peer that comes through this Bind could take the id, so connect first", a.pendingID)
	}
	if immediate, err := c.s.intOption(numImmediate); c.verb == verbConnect && err == nil && immediate != 0 {
		return c.fail(syscall.EINVAL, "libzmq does not use ConnectRoutingID while Immediate is set; use one of them")
	}
	return nil
}

// setUseFD gives libzmq a duplicate of a listening socket: libzmq closes what it
// gets, and a descriptor that the program closes under it aborts the process.
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
		return o.fail(opSet, errnoOf(err), "descriptor %d cannot be used: %v; it takes a socket that listens on TCP or a UNIX domain path", v.n, err)
	}
	fd, err := duplicate(int(v.n))
	if err != nil {
		return o.fail(opSet, errnoOf(err), "descriptor %d cannot be duplicated: %v", v.n, err)
	}
	if err := o.store(s, optionValue{n: int64(fd)}); err != nil {
		syscall.Close(fd)
		return err
	}
	s.attach.closeFD()
	s.attach.fd, s.attach.hasFD, s.attach.fdUnix = fd, true, unix
	return nil
}

// dropUnusedFD closes the duplicate of UseFD that no Bind has taken, once the
// socket is closed.
func (s *Socket) dropUnusedFD() {
	s.configMu.Lock()
	defer s.configMu.Unlock()
	s.attach.closeFD()
}

func (a *attachState) closeFD() {
	if a.hasFD {
		a.hasFD = false
		syscall.Close(a.fd)
	}
}

// takesFD tells whether a listener for the endpoint uses the descriptor of UseFD.
func takesFD(endpoint string) bool {
	return strings.HasPrefix(endpoint, "tcp://") || strings.HasPrefix(endpoint, "ipc://")
}

// listeningSocket reports whether fd is a UNIX domain socket, and an error unless
// it is a stream socket that listens.
func listeningSocket(fd int) (unix bool, err error) {
	listens, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_ACCEPTCONN)
	if err != nil {
		return false, err
	}
	if listens == 0 {
		return false, errors.New("it does not listen")
	}
	kind, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_TYPE)
	if err != nil {
		return false, err
	}
	if kind != syscall.SOCK_STREAM {
		return false, errors.New("it is no stream socket")
	}
	address, err := syscall.Getsockname(fd)
	if err != nil {
		return false, err
	}
	switch address.(type) {
	case *syscall.SockaddrInet4, *syscall.SockaddrInet6:
		return false, nil
	case *syscall.SockaddrUnix:
		return true, nil
	}
	return false, errors.New("it is of another family")
}

// duplicate returns a copy of fd that programs started later do not inherit. It
// makes the socket behind it non-blocking, or an I/O thread could hang in accept.
func duplicate(fd int) (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	dup, err := syscall.Dup(fd)
	if err != nil {
		return -1, err
	}
	syscall.CloseOnExec(dup)
	if err := syscall.SetNonblock(dup, true); err != nil {
		syscall.Close(dup)
		return -1, err
	}
	return dup, nil
}

func errnoOf(err error) syscall.Errno {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return syscall.EINVAL
}
