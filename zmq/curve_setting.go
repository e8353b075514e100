package zmq

import "syscall"

// Clients says which clients a server lets in: made by [Authenticated] or
// [AllowAnyClient]. The zero value is refused, so that nobody leaves the door open
// by forgetting it. It is immutable and may be used by any number of goroutines.
type Clients struct {
	domain string
	any    bool
}

// Authenticated lets in the clients that the context's authenticator (package
// zmq/zap) accepts, which is told the domain: 1 to 255 bytes, a name for the rules
// that are to apply. Without an authenticator Bind and Connect fail with ErrState,
// and once it is closed nobody is let in.
func Authenticated(domain string) Clients { return Clients{domain: domain} }

// AllowAnyClient lets in every client that knows the server's public key,
// without asking an authenticator: messages are encrypted, but whoever got hold
// of that key may send them.
func AllowAnyClient() Clients { return Clients{any: true} }

// AsCurveServer is a Setting that makes a socket the CURVE server of its
// connections: secret is its secret key, in 40 characters of Z85 as made by
// [NewCurveKeypair], clients says who may connect. The clients need the public key
// that belongs to secret.
//
// It sets CurveServer, CurveSecretKey, CurvePublicKey, ZapDomain and
// ZapEnforceDomain, or nothing: a key that is none, a zero Clients, or a socket that
// has another kind of security already or is bound or connected without, is an
// *Error with EINVAL, whose text does not contain the key; a libzmq without CURVE is
// ErrNotSupported. Bind and Connect refuse the socket if a later Set has undone
// any of it, and transports on which libzmq would not encrypt; inproc stays as it
// is, within the process. It may be applied again with another secret, which counts
// for the endpoints that are bound afterwards.
//
// libzmq: ZMQ_CURVE_SERVER, ZMQ_CURVE_SECRETKEY, ZMQ_ZAP_DOMAIN,
// ZMQ_ZAP_ENFORCE_DOMAIN.
func AsCurveServer(secret string, clients Clients) Setting {
	return Setting{apply: func(s *Socket) error {
		b := bundle{s, "AsCurveServer"}
		if err := haveCurve(); err != nil {
			return b.wrap(err)
		}
		keys := CurveKeys{Secret: secret}
		if err := keys.check(); err != nil {
			return b.wrap(err)
		}
		if err := b.checkClients(clients); err != nil {
			return err
		}
		want := security{mechanism: MechanismCurve, server: true, domain: clients.domain}
		if err := b.begin(want); err != nil {
			return err
		}
		return b.finish(want,
			setIf(clients.domain != "", ZapDomain.To(clients.domain)),
			ZapEnforceDomain.To(true),
			CurveSecretKey.To(keys.Secret), CurvePublicKey.To(keys.Public), CurveServer.To(true))
	}}
}

// AsCurveClient is a Setting that makes a socket a CURVE client: serverPublic is
// the server's public key, keys the client's own pair, by which the server's
// authenticator knows it. A pair without Public gets it from its Secret. Without
// keys, each socket gets a new pair of its own, good for servers that let any
// client in.
//
// It sets CurveServerKey, CurveSecretKey and CurvePublicKey, or nothing: half a
// pair, a pair whose keys do not belong together, more than one pair, or a socket
// that has another kind of security already, is an *Error with EINVAL, whose text
// does not contain a secret; a libzmq without CURVE is ErrNotSupported. Bind and
// Connect refuse as they do for [AsCurveServer].
//
// libzmq: ZMQ_CURVE_SERVERKEY, ZMQ_CURVE_SECRETKEY, ZMQ_CURVE_PUBLICKEY.
func AsCurveClient(serverPublic string, keys ...CurveKeys) Setting {
	return Setting{apply: func(s *Socket) error {
		b := bundle{s, "AsCurveClient"}
		if err := haveCurve(); err != nil {
			return b.wrap(err)
		}
		if err := checkKeyText(serverPublic); err != nil {
			return b.fail("the server's public key: %v", err)
		}
		pair, err := onePair(keys)
		if err != nil {
			return b.wrap(err)
		}
		if pair.Public == serverPublic {
			return b.fail("the client's own public key was given as the server's; the server has keys of its own")
		}
		want := security{mechanism: MechanismCurve}
		if err := b.begin(want); err != nil {
			return err
		}
		return b.finish(want,
			CurveSecretKey.To(pair.Secret), CurvePublicKey.To(pair.Public), CurveServerKey.To(serverPublic))
	}}
}

// onePair returns the pair that was given, complete, or a new one.
func onePair(keys []CurveKeys) (CurveKeys, error) {
	switch len(keys) {
	case 0:
		return NewCurveKeys()
	case 1:
		pair := keys[0]
		return pair, pair.check()
	}
	return CurveKeys{}, &Error{Errno: syscall.EINVAL, Detail: "a client has one pair of keys; several were given"}
}
