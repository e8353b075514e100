package zmq

import (
	"errors"
	"fmt"
	"syscall"
)

// SecurityMechanism is how a socket authenticates and encrypts, as Mechanism
// reports it.
type SecurityMechanism int

// The security mechanisms. Which one a socket uses follows from the options that
// were set: PlainServer, PlainUsername and PlainPassword make it PLAIN, the
// CURVE keys and CurveServer CURVE, the GSSAPI options GSSAPI.
const (
	MechanismNull   SecurityMechanism = 0 // none
	MechanismPlain  SecurityMechanism = 1 // name and password in clear text
	MechanismCurve  SecurityMechanism = 2 // encryption with elliptic curves
	MechanismGSSAPI SecurityMechanism = 3 // Kerberos
)

// String returns libzmq's word for the mechanism, such as "CURVE".
func (m SecurityMechanism) String() string {
	switch m {
	case MechanismNull:
		return "NULL"
	case MechanismPlain:
		return "PLAIN"
	case MechanismCurve:
		return "CURVE"
	case MechanismGSSAPI:
		return "GSSAPI"
	}
	return "unknown"
}

const (
	z85KeyLen = 40 // characters of a CURVE key
	rawKeyLen = 32 // bytes of it

	// unsetKey is how libzmq shows a key that was never set: 32 zero bytes.
	unsetKey = "0000000000000000000000000000000000000000"
)

// checkKey accepts a key as 40 characters of Z85, or raw (OptionByNumber) as 32
// bytes. The value is never part of the error: it may be secret.
func (o *optionSpec) checkKey(key []byte) error {
	if len(key) == rawKeyLen {
		if [rawKeyLen]byte(key) == [rawKeyLen]byte{} {
			return o.fail(opSet, syscall.EINVAL, zeroKey)
		}
		return nil
	}
	if err := checkKeyText(string(key)); err != nil {
		return o.fail(opSet, syscall.EINVAL, "%v", err)
	}
	return nil
}

const zeroKey = "the key is all zeros, which is no key"

// checkKeyText says what is wrong with a key in Z85, without repeating it.
func checkKeyText(key string) error {
	if len(key) != z85KeyLen {
		return fmt.Errorf("a key is 40 characters of Z85, as NewCurveKeypair makes them; this one has %d", len(key))
	}
	if _, err := decodeZ85(key); err != nil {
		return fmt.Errorf("the key is no Z85: %w", err)
	}
	if key == unsetKey {
		return errors.New(zeroKey)
	}
	return nil
}

// setServer sets PLAIN_SERVER, CURVE_SERVER and GSSAPI_SERVER. Setting one that
// is off to off again is not passed on: libzmq would make the socket forget its
// mechanism, and a CURVE client would talk in clear text.
func setServer(s *Socket, o *optionSpec, v optionValue) error {
	if v.n == 0 {
		now, err := o.read(s)
		if err != nil || now.n == 0 {
			return err
		}
	}
	return o.store(s, v)
}

// setPlain sets PLAIN_USERNAME and PLAIN_PASSWORD. An empty one turns PLAIN off;
// it is not passed on when another mechanism is in use, which libzmq would turn
// off too.
func setPlain(s *Socket, o *optionSpec, v optionValue) error {
	if len(v.b) == 0 {
		mechanism, err := s.intOption(numMechanism)
		if err != nil || SecurityMechanism(mechanism) != MechanismPlain {
			return err
		}
	}
	return o.store(s, v)
}

// intOption reads an option that is a number in the table.
func (s *Socket) intOption(number int) (int64, error) {
	v, err := specOf(number).read(s)
	return v.n, err
}

// checkSecurity refuses combinations of security options with which no message
// would ever arrive, or a client that connects would abort the process. They are
// looked at when the socket is attached to a network, where they begin to count.
func (c *endpointCheck) checkSecurity() error {
	s := c.s
	if err := c.checkSecured(); err != nil {
		return err
	}
	mechanism, err := s.intOption(numMechanism)
	if err != nil {
		return c.wrap(err)
	}
	plain, err := s.intOption(numPlainServer)
	if err != nil {
		return c.wrap(err)
	}
	domain, err := specOf(numZapDomain).read(s)
	if err != nil {
		return c.wrap(err)
	}
	if plain != 0 && len(domain.b) == 0 {
		// libzmq asserts, when a client connects, that a domain is set.
		if enforce, err := s.intOption(numZapEnforceDomain); err == nil && enforce != 0 {
			return c.fail(syscall.EINVAL, "PlainServer with ZapEnforceDomain needs a ZapDomain; set one")
		}
	}
	server := plain != 0
	if SecurityMechanism(mechanism) == MechanismCurve {
		curve, err := s.intOption(numCurveServer)
		if err != nil {
			return c.wrap(err)
		}
		server = curve != 0
		if err := c.checkCurveKeys(server); err != nil {
			return err
		}
	}
	if SecurityMechanism(mechanism) == MechanismGSSAPI {
		gssapi, err := s.intOption(numGSSAPIServer)
		if err != nil {
			return c.wrap(err)
		}
		server = gssapi != 0
	}
	if !server && len(domain.b) == 0 {
		return nil
	}
	hwm, err := s.intOption(numRecvHWM)
	if err == nil && hwm == 1 {
		// The name of the authenticated user takes one place in the queue for good.
		return c.fail(syscall.EINVAL, "with RecvHWM 1 an authenticating socket never receives a message; set RecvHWM to 2 or more, or 0")
	}
	return c.checkAsks(SecurityMechanism(mechanism), server, len(domain.b) > 0)
}

// checkCurveKeys: a handshake without one of these fails for ever and in silence.
func (c *endpointCheck) checkCurveKeys(server bool) error {
	needed := []int{numCurveSecretKey}
	who := "a CURVE server"
	if !server {
		needed = []int{numCurveSecretKey, numCurvePublicKey, numCurveServerKey}
		who = "a CURVE client"
	}
	for _, number := range needed {
		o := specOf(number)
		key, err := o.read(c.s)
		if err != nil {
			return c.wrap(err)
		}
		if len(key.b) == 0 {
			return c.fail(syscall.EINVAL, "%s needs %s, which is not set", who, o.goName)
		}
	}
	return nil
}

// checkAsks refuses to connect a socket that asks the authenticator. A connection
// that ends while the answer is on its way leaves that answer to the next one on
// the same endpoint: libzmq then lets in another peer than it asked about, or
// aborts. Accepted connections have no next one.
func (c *endpointCheck) checkAsks(mechanism SecurityMechanism, server, domain bool) error {
	asks := server
	switch mechanism {
	case MechanismNull:
		asks = domain
	case MechanismCurve:
		// Only with ZapEnforceDomain nobody is asked where there is no domain.
		if enforce, err := c.s.intOption(numZapEnforceDomain); err == nil && enforce != 0 && !domain {
			asks = false
		}
	}
	if !asks || c.verb != verbConnect {
		return nil
	}
	return c.fail(syscall.EINVAL, "a socket that asks the authenticator (%s, ZapDomain or the server's role) may not connect: an answer that comes late would be taken for another peer's, or abort the process; bind it, and connect the other side", mechanism)
}
