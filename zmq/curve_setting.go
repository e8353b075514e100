package zmq

import (
	"errors"
	"fmt"
)

// Clients says which clients a server accepts. Create it with [Authenticated] or
// [AllowAnyClient]. The zero value is refused, so a server never accepts all clients by
// mistake. It is immutable and safe for use by any number of goroutines.
type Clients struct {
	domain string
	any    bool
}

// Authenticated returns a Clients value with which a server accepts the clients that the
// context's authenticator (package zmq/zap) accepts. domain has 1 to 255 bytes. The
// authenticator receives it and applies the rules for that domain. Without an
// authenticator, Bind and Connect return ErrState. With one, such a server can only bind:
// Connect returns EINVAL. After the authenticator is closed, all clients are refused.
func Authenticated(domain string) Clients { return Clients{domain: domain} }

// AllowAnyClient returns a Clients value with which a server accepts every client that
// knows its public key, without an authenticator. Messages are encrypted, but everyone
// with that key can send them.
func AllowAnyClient() Clients { return Clients{any: true} }

// AsCurveServer returns a Setting that makes a socket the CURVE server of its
// connections. secret is its secret key, 40 characters of Z85 as [NewCurveKeypair]
// returns them. Clients need the public key that belongs to secret. clients says which
// clients are accepted.
//
// It sets CurveServer, CurveSecretKey, CurvePublicKey, ZapDomain and ZapEnforceDomain. If
// it fails, it sets none of them. EINVAL means that secret is not a key or clients is the
// zero value. It can also mean that the socket has another kind of security, or is
// already bound or connected without security. The error does not contain secret. Without
// CURVE in libzmq the error is ErrNotSupported.
//
// Bind and Connect return EINVAL if a later Set has changed one of these options. They
// also return EINVAL on the transports pgm, epgm, norm and udp, which libzmq does not
// protect. Connections over inproc stay within the process; they are neither
// authenticated nor encrypted. The setting may be applied again with another secret,
// which applies to subsequent calls of Bind.
//
// Implements: zmq_setsockopt(ZMQ_CURVE_SERVER, ZMQ_CURVE_SECRETKEY, ZMQ_CURVE_PUBLICKEY,
// ZMQ_ZAP_DOMAIN, ZMQ_ZAP_ENFORCE_DOMAIN).
func AsCurveServer(secret string, clients Clients) Setting {
	return bundle("AsCurveServer", func(s *Socket) (security, []Setting, error) {
		want := security{mechanism: MechanismCurve, server: true, domain: clients.domain}
		keys := CurveKeys{Secret: secret}
		if err := keys.check(); err != nil {
			return want, nil, err
		}
		settings := []Setting{
			ZapEnforceDomain.To(true), CurveSecretKey.To(keys.Secret), CurvePublicKey.To(keys.Public), CurveServer.To(true),
		}
		if clients.domain != "" {
			settings = append(settings, ZapDomain.To(clients.domain))
		}
		return want, settings, s.checkClients(clients)
	})
}

// AsCurveClient returns a Setting that makes a socket a CURVE client. serverPublic is the
// server's public key. keys is the client's own pair, by which the server's authenticator
// can identify it. If the pair has no Public, it is computed from Secret. Without keys,
// each socket gets a new pair, which suits servers that accept any client.
//
// It sets CurveServerKey, CurveSecretKey and CurvePublicKey. If it fails, it sets none of
// them. EINVAL means that the pair is incomplete, that its keys do not belong together,
// or that there is more than one pair. It can also mean that the socket has another kind
// of security, or is already bound or connected without security. The error does not
// contain a secret. Without CURVE in libzmq the error is ErrNotSupported. Bind and
// Connect fail in the cases that [AsCurveServer] lists.
//
// Implements: zmq_setsockopt(ZMQ_CURVE_SERVERKEY, ZMQ_CURVE_SECRETKEY,
// ZMQ_CURVE_PUBLICKEY).
func AsCurveClient(serverPublic string, keys ...CurveKeys) Setting {
	return bundle("AsCurveClient", func(*Socket) (security, []Setting, error) {
		want := security{mechanism: MechanismCurve}
		pair, err := onePair(keys)
		if err != nil {
			return want, nil, err
		}
		if err := checkKeyText(serverPublic); err != nil {
			return want, nil, fmt.Errorf("the server's public key: %w", err)
		}
		if pair.Public == serverPublic {
			return want, nil, errors.New("the client's own public key was passed as the server's; pass the server's public key")
		}
		return want, []Setting{CurveSecretKey.To(pair.Secret), CurvePublicKey.To(pair.Public), CurveServerKey.To(serverPublic)}, nil
	})
}

// onePair returns the pair in keys, completed, or a new pair.
func onePair(keys []CurveKeys) (CurveKeys, error) {
	switch len(keys) {
	case 0:
		return NewCurveKeys()
	case 1:
		pair := keys[0]
		return pair, pair.check()
	}
	return CurveKeys{}, errors.New("several pairs of keys were given; a client has one")
}
