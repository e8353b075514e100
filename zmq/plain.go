package zmq

// AsPlainServer is a Setting that makes a socket the PLAIN server of its
// connections: the context's authenticator (package zmq/zap) is told the domain,
// 1 to 255 bytes, and each client's name and password, and decides. Without an
// authenticator Bind and Connect fail with ErrState. PLAIN encrypts nothing; use it
// within networks that you trust, or over ipc.
//
// It sets PlainServer, ZapDomain and ZapEnforceDomain, or nothing: a domain that
// is none, or a socket that has another kind of security already or is bound or
// connected without, is an *Error with EINVAL. Bind and Connect refuse as they do
// for [AsCurveServer].
//
// libzmq: ZMQ_PLAIN_SERVER, ZMQ_ZAP_DOMAIN, ZMQ_ZAP_ENFORCE_DOMAIN.
func AsPlainServer(domain string) Setting {
	return Setting{apply: func(s *Socket) error {
		b := bundle{s, "AsPlainServer"}
		if err := b.checkClients(Authenticated(domain)); err != nil {
			return err
		}
		want := security{mechanism: MechanismPlain, server: true, domain: domain}
		if err := b.begin(want); err != nil {
			return err
		}
		return b.finish(want, ZapDomain.To(domain), ZapEnforceDomain.To(true), PlainServer.To(true))
	}}
}

// AsPlainClient is a Setting that makes a socket a PLAIN client with a name of 1 to
// 255 bytes and a password of up to 255, which cross the network in clear text.
//
// It sets PlainUsername and PlainPassword, or nothing: an empty name, which libzmq
// takes for "no security", text with a NUL byte, or a socket that has another kind
// of security already, is an *Error with EINVAL, whose text does not contain the
// password. Bind and Connect refuse as they do for [AsCurveServer].
//
// libzmq: ZMQ_PLAIN_USERNAME, ZMQ_PLAIN_PASSWORD.
func AsPlainClient(user, password string) Setting {
	return Setting{apply: func(s *Socket) error {
		b := bundle{s, "AsPlainClient"}
		if user == "" {
			return b.fail("the user's name is empty, with which libzmq would use no security at all")
		}
		for _, text := range []struct {
			option Option[string]
			value  string
		}{{PlainUsername, user}, {PlainPassword, password}} {
			if err := text.option.spec.checkRange(optionValue{b: []byte(text.value)}); err != nil {
				return b.wrap(err)
			}
		}
		if password == "" {
			// libzmq cannot be told the empty password, it only begins with it.
			if old, err := specOf(numPlainPassword).read(s); err != nil {
				return b.wrap(err)
			} else if len(old.b) > 0 {
				return b.fail("the socket has a password already, and libzmq cannot make it empty again; use a new socket")
			}
		}
		want := security{mechanism: MechanismPlain}
		if err := b.begin(want); err != nil {
			return err
		}
		return b.finish(want, PlainUsername.To(user), setIf(password != "", PlainPassword.To(password)))
	}}
}

// AsNullServer is a Setting that makes a socket one whose peers the context's
// authenticator (package zmq/zap) accepts or refuses by their addresses: they say
// nothing of themselves, and nothing is encrypted. The domain has 1 to 255 bytes.
// Without an authenticator Bind and Connect fail with ErrState.
//
// It sets ZapDomain and ZapEnforceDomain, or nothing: a domain that is none, or a
// socket that has another kind of security already or is bound or connected
// without, is an *Error with EINVAL. Bind and Connect refuse as they do for
// [AsCurveServer].
//
// libzmq: ZMQ_ZAP_DOMAIN, ZMQ_ZAP_ENFORCE_DOMAIN.
func AsNullServer(domain string) Setting {
	return Setting{apply: func(s *Socket) error {
		b := bundle{s, "AsNullServer"}
		if err := b.checkClients(Authenticated(domain)); err != nil {
			return err
		}
		mechanism, err := s.intOption(numMechanism)
		if err != nil {
			return b.wrap(err)
		}
		if m := SecurityMechanism(mechanism); m != MechanismNull {
			return b.fail("the socket uses %s already", m)
		}
		want := security{server: true, domain: domain}
		if err := b.begin(want); err != nil {
			return err
		}
		return b.finish(want, ZapDomain.To(domain), ZapEnforceDomain.To(true))
	}}
}
