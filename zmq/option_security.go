package zmq

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// SecurityMechanism is the way in which a socket authenticates peers and encrypts messages.
// The option Mechanism returns it.
type SecurityMechanism int

// The security mechanisms. The options of a socket select one: PlainServer, PlainUsername and
// PlainPassword select PLAIN, CurveServer and the CURVE keys select CURVE, and the GSSAPI
// options select GSSAPI.
const (
	MechanismNull   SecurityMechanism = 0 // none
	MechanismPlain  SecurityMechanism = 1 // user name and password in clear text
	MechanismCurve  SecurityMechanism = 2 // encryption with elliptic curves
	MechanismGSSAPI SecurityMechanism = 3 // Kerberos
)

// String returns libzmq's name for the mechanism, such as "CURVE".
func (m SecurityMechanism) String() string {
	names := [...]string{MechanismNull: "NULL", MechanismPlain: "PLAIN", MechanismCurve: "CURVE", MechanismGSSAPI: "GSSAPI"}
	if m >= 0 && int(m) < len(names) {
		return names[m]
	}
	return "unknown"
}

const (
	z85KeyLen = 40 // characters of a CURVE key in Z85
	rawKeyLen = 32 // bytes of a CURVE key

	// unsetKey is the value that libzmq returns for a key that was never set: 32 zero bytes.
	unsetKey = "0000000000000000000000000000000000000000"
)

// checkKey accepts a key of 40 characters of Z85, or of 32 bytes (OptionByNumber). The error
// never contains the key, which may be secret.
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

const zeroKey = "the key is all zeros, which is not valid; create a pair with NewCurveKeypair"

// checkKeyText returns an error that says what is wrong with a key in Z85. The error does not
// contain the key.
func checkKeyText(key string) error {
	if len(key) != z85KeyLen {
		return fmt.Errorf("the key has %d characters; a key has 40 characters of Z85, see NewCurveKeypair", len(key))
	}
	if _, err := decodeZ85(key); err != nil {
		return fmt.Errorf("the key is not Z85: %w", err)
	}
	if key == unsetKey {
		return errors.New(zeroKey)
	}
	return nil
}

// setServer sets PLAIN_SERVER, CURVE_SERVER and GSSAPI_SERVER. It does not tell libzmq to
// turn off an option that is off already. libzmq would clear the mechanism of the socket, and
// a CURVE client would talk in clear text.
func setServer(s *Socket, o *optionSpec, v optionValue) error {
	if v.n == 0 {
		now, err := o.read(s)
		if err != nil || now.n == 0 {
			return err
		}
	}
	return o.store(s, v)
}

// setPlain sets PLAIN_USERNAME and PLAIN_PASSWORD. An empty value turns PLAIN off. It does
// not reach libzmq while another mechanism is in use, because libzmq would turn that one off.
func setPlain(s *Socket, o *optionSpec, v optionValue) error {
	if len(v.b) == 0 {
		if SecurityMechanism(s.intOption(numMechanism)) != MechanismPlain {
			return nil
		}
	}
	return o.store(s, v)
}

// intOption returns the value of an option that is a number. It returns 0 if the socket
// was closed or shut down at this moment, which the call that asks will report.
func (s *Socket) intOption(number int) int64 {
	v, _ := specOf(number).read(s)
	return v.n
}

// textOption is like intOption, for an option that is text.
func (s *Socket) textOption(number int) string {
	v, _ := specOf(number).read(s)
	return string(v.b)
}

// checkSecurity refuses combinations of security options with which no message would ever
// arrive, or with which a client that connects would make libzmq abort. Bind and Connect call
// it, because the options apply from there on.
func (c *endpointCheck) checkSecurity() error {
	if err := c.checkSecured(); err != nil {
		return err
	}
	mechanism := SecurityMechanism(c.s.intOption(numMechanism))
	server := mechanism != MechanismNull && c.s.intOption(serverOptions[mechanism]) != 0
	domain := c.s.textOption(numZapDomain) != ""
	switch {
	case mechanism == MechanismNull && domain && c.verb == verbBind && strings.HasPrefix(c.transport, "ws"):
		return c.fail(syscall.EINVAL, "a NULL server with a ZapDomain cannot use %s, because libzmq does not authenticate clients that offer no mechanism there; use CURVE or PLAIN, or tcp", c.transport)
	case mechanism == MechanismPlain && server && !domain && c.s.core().On(numZapEnforceDomain):
		// When a client connects, libzmq asserts that a domain is set.
		return c.fail(syscall.EINVAL, "PlainServer with ZapEnforceDomain needs a ZapDomain; set ZapDomain")
	case mechanism == MechanismCurve:
		if err := c.checkCurveKeys(server); err != nil {
			return err
		}
	}
	return c.checkAsks(mechanism, server, domain)
}

var serverOptions = map[SecurityMechanism]int{
	MechanismPlain: numPlainServer, MechanismCurve: numCurveServer, MechanismGSSAPI: numGSSAPIServer,
}

// checkCurveKeys refuses a socket without the keys that its role needs. Its handshakes would
// all fail, and libzmq would not report it.
func (c *endpointCheck) checkCurveKeys(server bool) error {
	needed := []int{numCurveSecretKey}
	role := "a CURVE server"
	if !server {
		needed = []int{numCurveSecretKey, numCurvePublicKey, numCurveServerKey}
		role = "a CURVE client"
	}
	for _, number := range needed {
		if c.s.textOption(number) == "" {
			return c.fail(syscall.EINVAL, "%s needs %s; set it first", role, specOf(number).goName)
		}
	}
	return nil
}

// checkAsks refuses a RecvHWM with which an authenticating socket receives nothing. It also
// refuses to connect a socket that consults the authenticator. If a connection
// closes before the reply arrives, the next connection to the same endpoint gets the reply.
// libzmq then admits a peer that it did not ask about, or aborts. An accepted connection has
// no next one.
func (c *endpointCheck) checkAsks(mechanism SecurityMechanism, server, domain bool) error {
	if !server && !domain {
		return nil
	}
	if c.s.intOption(numRecvHWM) == 1 {
		// The user name of the peer occupies one place in the queue permanently.
		return c.fail(syscall.EINVAL, "with a RecvHWM of 1 an authenticating socket never receives a message; set RecvHWM to 2 or more, or 0")
	}
	asks := server
	switch mechanism {
	case MechanismNull:
		asks = domain
	case MechanismCurve:
		// With ZapEnforceDomain libzmq consults the authenticator only if there is a domain.
		asks = server && (domain || !c.s.core().On(numZapEnforceDomain))
	}
	if !asks || c.verb != verbConnect {
		return nil
	}
	return c.fail(syscall.EINVAL, "a socket that consults the authenticator (%s, with a ZapDomain or as server) may not connect, because libzmq could apply a late reply to another peer or abort; bind this socket and connect the other side", mechanism)
}
