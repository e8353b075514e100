package zmq

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// security is the security that a bundle of settings, such as AsCurveServer, has given a
// socket. The zero value means that no bundle was applied.
type security struct {
	mechanism SecurityMechanism
	server    bool
	domain    string // of a server; empty if it accepts any client
}

// bundle is a group of settings that are applied to a socket together. The caller holds
// s.configMu.
type bundle struct {
	s    *Socket
	name string
}

func (b bundle) fail(format string, args ...any) error {
	return &Error{Op: opSet, Option: b.name, Errno: syscall.EINVAL, Detail: fmt.Sprintf(format, args...)}
}

// wrap adds the bundle's name to an error.
func (b bundle) wrap(err error) error {
	var e *Error
	if errors.As(err, &e) {
		named := *e
		named.Op, named.Option = opSet, b.name
		if e.Option != "" {
			named.Detail = e.Option + ": " + e.Detail
		}
		return &named
	}
	return b.fail("%v", err)
}

func (b bundle) checkClients(c Clients) error {
	switch n := len(c.domain); {
	case c.any:
		if domain := b.s.textOption(numZapDomain); domain != "" {
			return b.fail("the socket has the ZapDomain %q, so libzmq would ask an authenticator despite AllowAnyClient; remove one of the two", domain)
		}
		return nil
	case n == 0:
		return b.fail("it is not clear which clients may connect; pass a domain for the authenticator (Authenticated), or AllowAnyClient")
	case n > 255:
		return b.fail("the domain has %d bytes; it must have 1 to 255", n)
	}
	if err := ZapDomain.spec.checkRange(optionValue{b: []byte(c.domain)}); err != nil {
		return b.wrap(err)
	}
	return nil
}

// begin returns an error if the socket cannot get the security that is wanted.
func (b bundle) begin(want security) error {
	have := b.s.attach.secured
	switch {
	case have != security{} && (have.mechanism != want.mechanism || have.server != want.server):
		return b.fail("the socket is already a %s; use another socket", have.role())
	case have == security{} && b.s.attach.used:
		return b.fail("the socket is already bound or connected without %s; pass the setting to NewSocket", want.mechanism)
	case b.s.Type() == Stream || b.s.attach.on[numRouterRaw]:
		return b.fail("the socket speaks plain TCP, which libzmq does not protect; use another socket type, or a ROUTER without RouterRaw")
	}
	return nil
}

// finish applies the settings, whose values were checked before.
func (b bundle) finish(want security, settings ...Setting) error {
	for _, setting := range settings {
		if setting.apply == nil {
			continue
		}
		if err := setting.apply(b.s); err != nil {
			return b.wrap(err)
		}
	}
	b.s.attach.secured = want
	return nil
}

// setIf returns setting if condition holds, otherwise an empty one.
func setIf(condition bool, setting Setting) Setting {
	if condition {
		return setting
	}
	return Setting{}
}

func (w security) role() string {
	if w.server {
		return w.mechanism.String() + " server"
	}
	return w.mechanism.String() + " client"
}

// unprotected holds the transports on which libzmq uses no mechanism.
var unprotected = map[string]bool{"pgm": true, "epgm": true, "norm": true, "udp": true}

// checkSecured refuses an endpoint if the socket no longer has the security that a bundle
// gave it.
func (c *endpointCheck) checkSecured() error {
	want := c.s.attach.secured
	if want == (security{}) {
		return nil
	}
	have := c.s.securityNow()
	switch {
	case c.s.attach.on[numRouterRaw]:
		return c.fail(syscall.EINVAL, "the socket is a %s, but with RouterRaw it speaks plain TCP, which libzmq does not protect; set only one of the two", want.role())
	case have != want:
		return c.fail(syscall.EINVAL, "the socket was a %s, but an option that was set later has changed that; remove that option, or set it first", want.role())
	case unprotected[c.transport]:
		return c.fail(syscall.EINVAL, "the socket is a %s, and libzmq does not protect %s; use tcp, ipc or ws", want.role(), c.transport)
	case want.domain != "" && !c.s.ctx.inprocBound(zapEndpoint[len(inprocPrefix):]):
		return c.fail(libzmq.EFSM, "the socket needs an authenticator, and the context has none; start one with zap.Start first")
	}
	return nil
}

// notEnforced is a domain that no socket can have.
const notEnforced = "\x00"

// securityNow reads the socket's security from libzmq.
func (s *Socket) securityNow() security {
	have := security{mechanism: SecurityMechanism(s.intOption(numMechanism))}
	// NULL has no roles, and no such option.
	if number, hasRoles := serverOptions[have.mechanism]; hasRoles && s.intOption(number) == 0 {
		return have
	}
	have.server = true
	have.domain = s.textOption(numZapDomain)
	if s.intOption(numZapEnforceDomain) == 0 {
		// Without ZapEnforceDomain libzmq accepts all peers if there is no authenticator.
		have.domain = notEnforced
	}
	return have
}
