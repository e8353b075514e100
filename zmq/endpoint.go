package zmq

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
)

// The operations on endpoints.
const (
	verbBind       = "bind"
	verbConnect    = "connect"
	verbUnbind     = "unbind"
	verbDisconnect = "disconnect"
)

const (
	inprocPrefix = "inproc://"

	// zapEndpoint is where libzmq sends its authentication requests. It aborts if a socket
	// other than REP or ROUTER answers there.
	zapEndpoint = "inproc://zeromq.zap.01"

	maxEndpoint = 1024
)

// endpointCheck holds one endpoint while it is checked.
type endpointCheck struct {
	s         *Socket
	verb      string
	endpoint  string
	transport string
	address   string // the part after "://"
}

// checks holds the check of the addresses of each transport. A check refuses only addresses
// that libzmq would misread, at which it would abort, or with which it would delete a file.
// libzmq decides about everything else, including transports that are not listed here.
var checks = map[string]func(*endpointCheck) error{
	"tcp":    (*endpointCheck).checkTCP,
	"ipc":    (*endpointCheck).checkIPC,
	"inproc": (*endpointCheck).checkInproc,
	"pgm":    (*endpointCheck).checkMulticast,
	"epgm":   (*endpointCheck).checkMulticast,
	"norm":   (*endpointCheck).checkMulticast,
	"ws":     (*endpointCheck).checkWS,
	"wss":    (*endpointCheck).checkWS,
	"udp":    (*endpointCheck).checkUDP,
}

// checkEndpoint refuses, with a complete *Error, endpoints that libzmq would misread or
// abort at. The caller holds s.configMu.
func checkEndpoint(s *Socket, verb, endpoint string) error {
	c := &endpointCheck{s: s, verb: verb, endpoint: endpoint}
	if err := c.split(); err != nil {
		return err
	}
	if verb == verbUnbind || verb == verbDisconnect {
		return c.checkAttached()
	}
	if s.Type() == Dgram && c.transport != "udp" {
		return c.fail(errNoCompatibleProtocol, "a DGRAM socket supports only the transport udp; use udp")
	}
	if check := checks[c.transport]; check != nil {
		if err := check(c); err != nil {
			return err
		}
	}
	if err := c.checkPendingID(); err != nil {
		return err
	}
	if c.transport == "inproc" {
		return nil
	}
	return c.checkSecurity()
}

// fail returns an error about the endpoint.
func (c *endpointCheck) fail(errno syscall.Errno, format string, args ...any) error {
	return &Error{Op: c.verb, Endpoint: c.endpoint, Errno: errno, Detail: fmt.Sprintf(format, args...)}
}

func (c *endpointCheck) split() error {
	e := c.endpoint
	switch {
	case e == "":
		return c.fail(syscall.EINVAL, "the endpoint is empty; use the form tcp://127.0.0.1:5555")
	case strings.IndexByte(e, 0) >= 0:
		return c.fail(syscall.EINVAL, "the endpoint contains a NUL byte, where libzmq would cut it off")
	case len(e) > maxEndpoint:
		return c.fail(syscall.ENAMETOOLONG, "the endpoint has %d bytes; the limit is %d", len(e), maxEndpoint)
	}
	var ok bool
	if c.transport, c.address, ok = strings.Cut(e, "://"); !ok || c.transport == "" {
		return c.fail(syscall.EINVAL, `the endpoint does not begin with a transport and "://"; use the form tcp://127.0.0.1:5555`)
	}
	if c.address == "" {
		return c.fail(syscall.EINVAL, "there is nothing after %s://; add an address", c.transport)
	}
	return nil
}

// checkAttached refuses endpoints that are not attached. libzmq would also return ENOENT, but
// only after it has resolved the name.
func (c *endpointCheck) checkAttached() error {
	a := c.s.attach
	name := a.known(c.verb, c.endpoint)
	if _, bound := a.bound.names[name]; bound && c.verb == verbUnbind && c.transport == "udp" {
		return c.fail(syscall.ENOTSUP, "libzmq cannot unbind udp; close the socket instead")
	}
	entries, attached := a.entries(c.verb)
	if entries.has(name) {
		return c.checkPendingInproc()
	}
	names := slices.Compact(slices.Sorted(maps.Values(entries.names)))
	list := "no endpoint"
	if n := len(names); n > 0 {
		list = strings.Join(names[:min(n, 5)], ", ")
	}
	if n := len(names) - 5; n > 0 {
		list += fmt.Sprintf(" and %d others", n)
	}
	return c.fail(syscall.ENOENT, "the socket is not %s to this endpoint; it is %s to %s", attached, attached, list)
}

// checkPendingInproc refuses to disconnect a ROUTER or REP from an inproc name for which the
// connection still waits. libzmq keeps it until a socket binds the name, and aborts in that
// bind. Only a connect makes a connection wait, so a connection that does not wait now does
// not wait later in this call either.
func (c *endpointCheck) checkPendingInproc() error {
	t := c.s.Type()
	if c.verb != verbDisconnect || c.transport != "inproc" || (t != Router && t != Rep) {
		return nil
	}
	if !c.s.core().AwaitsName(c.address) {
		return nil
	}
	return c.fail(syscall.EINVAL, "no socket has bound the name yet, and a later Bind would make libzmq abort; close the %s socket instead", t)
}

func (c *endpointCheck) checkInproc() error {
	t := c.s.Type()
	switch {
	case t == Stream:
		// libzmq aborts when a STREAM receives a multipart message.
		return c.fail(syscall.EPROTONOSUPPORT, "a STREAM socket talks only to plain TCP peers; use tcp, or a PAIR socket")
	case c.s.core().On(numRouterRaw):
		// libzmq would close a connection in the middle of a message, or before the name is
		// bound, and abort.
		return c.fail(syscall.EPROTONOSUPPORT, "a ROUTER with RouterRaw talks only to plain TCP peers; use tcp or ipc, or a ROUTER without RouterRaw")
	case t >= Server:
		// Each of these sockets has a lock and takes that of its peer while it holds its own.
		// Two sockets that send to each other deadlock, and so can a socket that is closed.
		return c.fail(syscall.ENOTSUP, "libzmq can deadlock when a draft type uses inproc; use ipc or tcp")
	case c.endpoint == zapEndpoint && c.verb == verbBind && t != Rep && t != Router:
		return c.fail(syscall.EINVAL, "libzmq sends its authentication requests to this endpoint and aborts if a %s socket answers; bind a ROUTER or REP", t)
	}
	return nil
}
