package zmq

import (
	"context"
	"fmt"
	"net/netip"
	"sort"
	"strconv"
	"strings"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// What an endpoint is checked for.
const (
	verbBind       = "bind"
	verbConnect    = "connect"
	verbUnbind     = "unbind"
	verbDisconnect = "disconnect"
)

const (
	inprocPrefix = "inproc://"

	// zapEndpoint is where libzmq asks who may connect. It aborts when anything
	// but a replying socket answers there.
	zapEndpoint = "inproc://zeromq.zap.01"

	maxEndpoint   = 1024
	maxInprocName = 255
)

// endpointCheck is one endpoint on its way to libzmq.
type endpointCheck struct {
	ctx       context.Context // bounds what is looked up
	s         *Socket
	verb      string
	endpoint  string
	transport string
	address   string // what follows "://"
}

// transports are the ways that libzmq knows, with the capability that a libzmq
// needs for each ("" for none) and the check of the address.
var transports = map[string]struct {
	capability string
	check      func(*endpointCheck) error
}{
	"tcp":    {"", (*endpointCheck).checkTCP},
	"ipc":    {"ipc", (*endpointCheck).checkIPC},
	"inproc": {"", (*endpointCheck).checkInproc},
	"pgm":    {"pgm", (*endpointCheck).checkPGM},
	"epgm":   {"pgm", (*endpointCheck).checkPGM},
	"norm":   {"norm", (*endpointCheck).checkNorm},
	"tipc":   {"tipc", (*endpointCheck).checkTIPC},
	"vmci":   {"vmci", (*endpointCheck).checkVMCI},
	"ws":     {"WS", (*endpointCheck).checkWS},
	"wss":    {"WSS", (*endpointCheck).checkWS},
	"udp":    {"", (*endpointCheck).checkUDP},
}

// checkEndpoint refuses, with a complete *Error, what libzmq would misread, wait
// for in vain or abort at. The caller holds s.configMu, and has not looked at
// what it guards: while a name is looked up in DNS the mutex is released, so that
// Set and Close need not wait.
func checkEndpoint(ctx context.Context, s *Socket, verb, endpoint string) error {
	c := &endpointCheck{ctx: ctx, s: s, verb: verb, endpoint: endpoint}
	if err := c.split(); err != nil {
		return err
	}
	if verb == verbUnbind || verb == verbDisconnect {
		return c.checkAttached()
	}
	if s.Type() == Dgram && c.transport != "udp" {
		return c.fail(errNoCompatibleProtocol, "a DGRAM socket sends and receives datagrams only; use udp")
	}
	transport := transports[c.transport]
	if transport.capability != "" && !libzmq.Has(transport.capability) {
		return c.fail(syscall.ENOTSUP, "this libzmq was built without the %s transport; %s", c.transport, needText(transport.capability))
	}
	if err := transport.check(c); err != nil {
		return err
	}
	if err := c.checkPendingID(); err != nil {
		return err
	}
	if c.transport == "inproc" {
		return nil
	}
	if err := c.checkThreads(); err != nil {
		return err
	}
	return c.checkSecurity()
}

// checkThreads: every transport but inproc needs an I/O thread of the context.
func (c *endpointCheck) checkThreads() error {
	const errNoThread = syscall.Errno(libzmq.EMTHREAD)
	threads, err := c.s.ctx.core.GetOption(libzmq.CtxIOThreads)
	if err != nil {
		return c.wrap(err)
	}
	affinity, err := c.s.intOption(numAffinity)
	switch {
	case err != nil:
		return c.wrap(err)
	case threads == 0:
		return c.fail(errNoThread, "the context has no I/O thread (IOThreads), so only inproc is possible")
	case affinity != 0 && threads < 64 && affinity&(1<<threads-1) == 0:
		return c.fail(errNoThread, "Affinity %#x names none of the context's %d I/O threads", uint64(affinity), threads)
	}
	return nil
}

// fail returns the error that the user of Bind, Connect, ... gets.
func (c *endpointCheck) fail(errno syscall.Errno, format string, args ...any) error {
	return &Error{Op: c.verb, Endpoint: c.endpoint, Errno: errno, Detail: fmt.Sprintf(format, args...)}
}

// wrap reports an error from reading an option, which is not what the user did.
func (c *endpointCheck) wrap(err error) error {
	if e, ok := err.(*Error); ok {
		copied := *e
		copied.Op, copied.Endpoint, copied.Option = c.verb, c.endpoint, ""
		return &copied
	}
	return wrapError(c.verb, c.endpoint, "", err)
}

func (c *endpointCheck) split() error {
	e := c.endpoint
	switch {
	case e == "":
		return c.fail(syscall.EINVAL, "the endpoint is empty; it looks like tcp://127.0.0.1:5555")
	case strings.IndexByte(e, 0) >= 0:
		return c.fail(syscall.EINVAL, "the endpoint contains a NUL byte, at which libzmq would cut it off")
	case len(e) > maxEndpoint:
		return c.fail(syscall.ENAMETOOLONG, "the endpoint has %d bytes; the longest has %d", len(e), maxEndpoint)
	}
	var ok bool
	if c.transport, c.address, ok = strings.Cut(e, "://"); !ok {
		return c.fail(syscall.EINVAL, `there is no "://"; an endpoint looks like tcp://127.0.0.1:5555`)
	}
	if _, ok = transports[c.transport]; !ok {
		names := make([]string, 0, len(transports))
		for name := range transports {
			names = append(names, name)
		}
		sort.Strings(names)
		return c.fail(syscall.EPROTONOSUPPORT, "there is no transport %q; libzmq knows %s", c.transport, strings.Join(names, ", "))
	}
	if c.address == "" {
		return c.fail(syscall.EINVAL, "there is nothing after %s://", c.transport)
	}
	return nil
}

// checkAttached: libzmq would answer ENOENT too, after asking DNS for it.
func (c *endpointCheck) checkAttached() error {
	a := &c.s.attach
	name := a.known(c.verb, c.endpoint)
	if _, bound := a.bound[name]; bound && c.verb == verbUnbind && c.transport == "udp" {
		return c.fail(syscall.ENOTSUP, "libzmq cannot end a bind to udp; close the socket")
	}
	for _, known := range a.entries(c.verb) {
		if known == name {
			return c.checkPendingInproc()
		}
	}
	begin := verbBind
	if c.verb == verbDisconnect {
		begin = verbConnect
	}
	return c.fail(syscall.ENOENT, "the socket has no such %s; %s", begin, listText(a.entries(c.verb)))
}

func listText(entries map[string]string) string {
	names := make(map[string]bool, len(entries))
	var list []string
	for _, name := range entries {
		if !names[name] {
			names[name] = true
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return "it has none"
	}
	sort.Strings(list)
	if len(list) > 5 {
		list = append(list[:5], fmt.Sprintf("... (%d in all)", len(names)))
	}
	return "it has " + strings.Join(list, ", ")
}

// checkPendingInproc: libzmq keeps such a connection for whoever binds the name
// later, and aborts then if it was ended on one of these sockets.
func (c *endpointCheck) checkPendingInproc() error {
	t := c.s.Type()
	if c.verb != verbDisconnect || c.transport != "inproc" || (t != Router && t != Rep) {
		return nil
	}
	if c.s.ctx.inprocBound(c.address) {
		return nil
	}
	return c.fail(syscall.EINVAL, "nobody has bound it yet, and libzmq aborts when somebody does after this; close the %s socket instead", t)
}

func (c *endpointCheck) checkInproc() error {
	t := c.s.Type()
	switch {
	case len(c.address) > maxInprocName:
		return c.fail(syscall.ENAMETOOLONG, "the name has %d bytes; the longest has %d", len(c.address), maxInprocName)
	case t == Stream:
		// Parts of a message would reach it, at which it aborts.
		return c.fail(syscall.EPROTONOSUPPORT, "a STREAM socket talks to plain TCP peers only; use tcp, or a PAIR socket")
	case c.s.attach.raw:
		// libzmq would end a connection in the middle of a message, or before the
		// name is bound, and abort.
		return c.fail(syscall.EPROTONOSUPPORT, "a ROUTER with RouterRaw talks to plain TCP peers only; use tcp or ipc, or a ROUTER without it")
	case t >= Server:
		// These have locks of their own, and one that is held takes its peer's: two
		// that send to each other, or one that is being closed, stop for ever.
		return c.fail(syscall.ENOTSUP, "libzmq freezes when draft types use inproc; use ipc or tcp")
	case c.endpoint == zapEndpoint && c.verb == verbBind && t != Rep && t != Router:
		return c.fail(syscall.EINVAL, "libzmq sends its authentication requests here and aborts when a %s socket answers; bind a ROUTER or REP", t)
	}
	return nil
}

// canonicalEndpoint spells a numeric address in one way, so that [::ffff:1.2.3.4]
// and 1.2.3.4 are known to be the same.
func canonicalEndpoint(endpoint string) string {
	rest, ok := strings.CutPrefix(endpoint, "tcp://")
	if !ok {
		return endpoint
	}
	i := strings.LastIndexByte(rest, ':')
	if i < 0 {
		return endpoint
	}
	host, port := strings.Trim(rest[:i], "[]"), rest[i+1:]
	address, err := netip.ParseAddr(host)
	if err != nil {
		return endpoint
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return endpoint
	}
	return "tcp://" + netip.AddrPortFrom(address.Unmap(), uint16(n)).String()
}
