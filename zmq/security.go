package zmq

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// security is what a bundle of settings (AsCurveServer and its like) has made of a
// socket. The zero value: no bundle was applied.
type security struct {
	mechanism SecurityMechanism
	server    bool
	domain    string // a server's; empty if it lets any client in
}

// bundle is such a group of settings on its way to a socket. The caller holds
// s.configMu.
type bundle struct {
	s    *Socket
	name string
}

func (b bundle) fail(format string, args ...any) error {
	return &Error{Op: opSet, Option: b.name, Errno: syscall.EINVAL, Detail: fmt.Sprintf(format, args...)}
}

// wrap gives an error the bundle's name.
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
		domain, err := specOf(numZapDomain).read(b.s)
		if err != nil {
			return b.wrap(err)
		}
		if len(domain.b) > 0 {
			return b.fail("the socket has the ZapDomain %q, so an authenticator would be asked in spite of AllowAnyClient; leave one of them out", domain.b)
		}
		return nil
	case n == 0:
		return b.fail("it is not said which clients may connect; name a domain for the authenticator (Authenticated), or say AllowAnyClient")
	case n > 255:
		return b.fail("a domain of %d bytes is too long; it has 1 to 255", n)
	}
	if err := ZapDomain.spec.checkRange(optionValue{b: []byte(c.domain)}); err != nil {
		return b.wrap(err)
	}
	return nil
}

// begin looks whether the socket can become what is wanted.
func (b bundle) begin(want security) error {
	have := b.s.attach.secured
	switch {
	case have != security{} && (have.mechanism != want.mechanism || have.server != want.server):
		return b.fail("the socket is a %s already; use a socket of its own", have.role())
	case have == security{} && b.s.attach.used:
		return b.fail("the socket is bound or connected already, without %s; give the setting to NewSocket", want.mechanism)
	case b.s.Type() == Stream || b.s.attach.raw:
		return b.fail("the socket talks plain TCP, which libzmq does not protect")
	}
	return nil
}

// finish applies the settings, whose values have been checked before.
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

// setIf returns the setting, or none.
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

// unprotected are the transports on which libzmq uses no mechanism.
var unprotected = map[string]bool{"pgm": true, "epgm": true, "norm": true, "udp": true}

// checkSecured holds a socket to what a bundle of settings has promised.
func (c *endpointCheck) checkSecured() error {
	want := c.s.attach.secured
	if want == (security{}) {
		return nil
	}
	have, err := c.s.securityNow(want.mechanism)
	if err != nil {
		return c.wrap(err)
	}
	switch {
	case c.s.attach.raw:
		return c.fail(syscall.EINVAL, "the socket is a %s, but RouterRaw makes it talk plain TCP, which libzmq does not protect", want.role())
	case have != want:
		return c.fail(syscall.EINVAL, "the socket was made a %s, but an option that was set later has changed that; set it before, or not at all", want.role())
	case unprotected[c.transport]:
		return c.fail(syscall.EINVAL, "the socket is a %s, and libzmq does not protect %s; use tcp, ipc or ws", want.role(), c.transport)
	case want.domain != "" && !c.s.ctx.inprocBound(zapEndpoint[len(inprocPrefix):]):
		return c.fail(libzmq.EFSM, "the socket lets in whom an authenticator accepts, and the context has none; start one with zap.Start first")
	}
	return nil
}

// notEnforced is no domain that a socket can have.
const notEnforced = "\x00"

// securityNow reads from libzmq what the socket is.
func (s *Socket) securityNow(expected SecurityMechanism) (security, error) {
	mechanism, err := s.intOption(numMechanism)
	if err != nil || SecurityMechanism(mechanism) != expected {
		return security{mechanism: SecurityMechanism(mechanism)}, err
	}
	have := security{mechanism: expected}
	number, hasRoles := map[SecurityMechanism]int{MechanismPlain: numPlainServer, MechanismCurve: numCurveServer}[expected]
	if hasRoles { // NULL has no such option, its two ends are alike
		server, err := s.intOption(number)
		if err != nil || server == 0 {
			return have, err
		}
	}
	have.server = true
	domain, err := specOf(numZapDomain).read(s)
	if err != nil {
		return have, err
	}
	enforce, err := s.intOption(numZapEnforceDomain)
	if err != nil {
		return have, err
	}
	if enforce == 0 {
		// Without it libzmq lets everybody in when there is no authenticator.
		have.domain = notEnforced
		return have, nil
	}
	have.domain = string(domain.b)
	return have, nil
}
