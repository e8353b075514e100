package zmq

import (
	"cmp"
	"errors"
	"fmt"
)

// AsPlainServer returns a Setting that makes a socket the PLAIN server of its
// connections. The context's authenticator (package zmq/zap) accepts or refuses each
// client by domain, user name and password. domain has 1 to 255 bytes. Without an
// authenticator, Bind and Connect return ErrState. With one, the socket can only bind:
// Connect returns EINVAL. PLAIN encrypts nothing; use it within trusted networks or over
// ipc.
//
// It sets PlainServer, ZapDomain and ZapEnforceDomain. If it fails, it sets none of them.
// EINVAL means that domain is not valid, that the socket has another kind of security, or
// that it is already bound or connected without security. Bind and Connect fail in the
// cases that [AsCurveServer] lists.
//
// Implements: zmq_setsockopt(ZMQ_PLAIN_SERVER, ZMQ_ZAP_DOMAIN, ZMQ_ZAP_ENFORCE_DOMAIN).
func AsPlainServer(domain string) Setting {
	return bundle("AsPlainServer", func(s *Socket) (security, []Setting, error) {
		want := security{mechanism: MechanismPlain, server: true, domain: domain}
		return want, []Setting{ZapDomain.To(domain), ZapEnforceDomain.To(true), PlainServer.To(true)}, s.checkClients(Authenticated(domain))
	})
}

// AsPlainClient returns a Setting that makes a socket a PLAIN client. user has 1 to 255
// bytes and password at most 255. Both are sent over the network in clear text.
//
// It sets PlainUsername and PlainPassword. If it fails, it sets neither. EINVAL means that
// user is empty, or that user or password is too long or contains a NUL byte. It can also
// mean that the socket has another kind of security, or is already bound or connected
// without security. The error does not contain password. Bind and Connect fail in the
// cases that [AsCurveServer] lists.
//
// Implements: zmq_setsockopt(ZMQ_PLAIN_USERNAME, ZMQ_PLAIN_PASSWORD).
func AsPlainClient(user, password string) Setting {
	return bundle("AsPlainClient", func(s *Socket) (security, []Setting, error) {
		want := security{mechanism: MechanismPlain}
		settings := []Setting{PlainUsername.To(user)}
		if user == "" {
			return want, nil, errors.New("the user is empty, and libzmq would use no security; pass a name")
		}
		if password != "" {
			settings = append(settings, PlainPassword.To(password))
		} else if s.textOption(numPlainPassword) != "" {
			// The empty password is only libzmq's default, it cannot be set.
			return want, nil, errors.New("the socket already has a password, which libzmq cannot make empty; use a new socket")
		}
		return want, settings, cmp.Or(
			PlainUsername.spec.checkRange(optionValue{b: []byte(user)}), PlainPassword.spec.checkRange(optionValue{b: []byte(password)}))
	})
}

// AsNullServer returns a Setting that lets the context's authenticator (package zmq/zap)
// accept or refuse the peers of a socket by their addresses. Peers send no credentials,
// and nothing is encrypted. domain has 1 to 255 bytes. Without an authenticator, Bind and
// Connect return ErrState. With one, the socket can only bind: Connect returns EINVAL.
//
// It sets ZapDomain and ZapEnforceDomain. If it fails, it sets neither. EINVAL means that
// domain is not valid, that the socket has another kind of security, or that it is
// already bound or connected without security. Bind and Connect fail in the cases that
// [AsCurveServer] lists.
//
// Implements: zmq_setsockopt(ZMQ_ZAP_DOMAIN, ZMQ_ZAP_ENFORCE_DOMAIN).
func AsNullServer(domain string) Setting {
	return bundle("AsNullServer", func(s *Socket) (security, []Setting, error) {
		want := security{server: true, domain: domain}
		if m := SecurityMechanism(s.intOption(numMechanism)); m != MechanismNull {
			return want, nil, fmt.Errorf("the socket already uses %s; use a new socket", m)
		}
		return want, []Setting{ZapDomain.To(domain), ZapEnforceDomain.To(true)}, s.checkClients(Authenticated(domain))
	})
}
