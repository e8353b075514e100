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

// bundle returns a Setting that gives a socket the security that plan returns, by the
// settings that plan returns. plan checks all values first, so that either all of the
// settings are applied or none. name is the name of the bundle in errors. The caller of the
// Setting holds s.configMu.
func bundle(name string, plan func(s *Socket) (security, []Setting, error)) Setting {
	return Setting{apply: func(s *Socket) error {
		want, settings, err := plan(s)
		if err == nil {
			err = s.checkBundle(want)
		}
		if err == nil {
			err = s.apply(settings)
		}
		if err == nil {
			s.attach.secured = want
			return nil
		}
		named := &Error{Op: opSet, Option: name, Errno: syscall.EINVAL, Detail: err.Error()}
		var e *Error
		if errors.As(err, &e) {
			*named = *e
			named.Op, named.Option = opSet, name
			if e.Option != "" {
				named.Detail = e.Option + ": " + e.Detail
			}
		}
		return named
	}}
}

// checkClients returns an error if it is not clear which clients may connect to a server.
func (s *Socket) checkClients(c Clients) error {
	if c.any {
		if domain := s.textOption(numZapDomain); domain != "" {
			return fmt.Errorf("the socket has the ZapDomain %q, so libzmq would ask an authenticator despite AllowAnyClient; remove one of the two", domain)
		}
		return nil
	}
	if c.domain == "" {
		return errors.New("it is not clear which clients may connect; pass a domain for the authenticator (Authenticated), or AllowAnyClient")
	}
	return ZapDomain.spec.checkRange(optionValue{b: []byte(c.domain)})
}

// checkBundle returns an error if the socket cannot get the security that is wanted.
func (s *Socket) checkBundle(want security) error {
	have := s.attach.secured
	switch {
	case have != security{} && (have.mechanism != want.mechanism || have.server != want.server):
		return fmt.Errorf("the socket is already a %s; use another socket", have.role())
	case have == security{} && s.attach.used:
		return fmt.Errorf("the socket is already bound or connected without %s; pass the setting to NewSocket", want.mechanism)
	case s.Type() == Stream || s.core().On(numRouterRaw):
		return errors.New("the socket speaks plain TCP, which libzmq does not protect; use another socket type, or a ROUTER without RouterRaw")
	}
	return nil
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
	case c.s.core().On(numRouterRaw):
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
