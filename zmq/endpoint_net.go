package zmq

import (
	"net/netip"
	"strconv"
	"strings"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// checkTCP checks host:port and, for Connect, source:port;host:port.
func (c *endpointCheck) checkTCP() error {
	address := c.address
	if source, target, ok := cutLast(address, ";"); ok {
		if err := c.checkAddress(source, true); err != nil {
			return err
		}
		address = target
	}
	if c.verb != verbBind {
		return c.checkAddress(address, false)
	}
	if err := c.checkFD(false); err != nil {
		return err
	}
	return c.checkAddress(address, true)
}

// checkWS checks host:port and an optional path.
func (c *endpointCheck) checkWS() error {
	if err := c.checkWSPeers(); err != nil {
		return err
	}
	address, path, _ := strings.Cut(c.address, "/")
	if strings.ContainsAny(path, ":;") {
		return c.fail(syscall.EINVAL, "the path must not contain a colon or semicolon, because libzmq would look for the port there; choose another path")
	}
	if c.verb == verbBind {
		if c.s.attach.hasFD {
			return c.fail(syscall.EINVAL, "UseFD is set, which only tcp and ipc support; set it to -1 first")
		}
		// libzmq aborts at such a listener. Without WSS it refuses the transport.
		if c.transport == "wss" && libzmq.Has("WSS") && (!c.s.core().On(numWSSCert) || !c.s.core().On(numWSSKey)) {
			return c.fail(syscall.EINVAL, "a wss listener needs WSSCertPEM and WSSKeyPEM; set them first")
		}
	}
	return c.checkAddress(address, c.verb == verbBind)
}

// checkWSPeers refuses settings with which any peer could make libzmq abort, because a peer
// over WebSockets may choose to use no security mechanism (subprotocol ZWS2.0).
func (c *endpointCheck) checkWSPeers() error {
	t := c.s.Type()
	if t == Stream || c.s.core().On(numRouterRaw) {
		return c.fail(syscall.EPROTONOSUPPORT, "a STREAM, or a ROUTER with RouterRaw, talks plain TCP, and libzmq aborts when a WebSocket peer sends a multipart message; use tcp or ipc")
	}
	if c.s.intOption(numMechanism) == 0 && c.s.core().On(numHeartbeatIvl) {
		return c.fail(syscall.EINVAL, "libzmq aborts when it sends a heartbeat to a WebSocket peer without a security mechanism; use HeartbeatInterval with PLAIN or CURVE, or over tcp")
	}
	if c.verb == verbConnect && c.s.core().On(numImmediate) && (t == Router || t == Rep) {
		return c.fail(syscall.EINVAL, "a WebSocket server can make libzmq abort when a %s with Immediate connects; turn Immediate off or use tcp", t)
	}
	return nil
}

// checkAddress checks host:port. An address of this machine may have the host "*", and a
// port that the system chooses. Names are not resolved: libzmq does that before each attempt
// to connect.
func (c *endpointCheck) checkAddress(address string, local bool) error {
	host, port, ok := cutLast(address, ":")
	wild := port == "*" || port == "0"
	switch {
	case !ok || host == "":
		return c.fail(syscall.EINVAL, "%q has no host or no port; use the form %s://127.0.0.1:5555", address, c.transport)
	case !local && (host == "*" || wild):
		return c.fail(syscall.EINVAL, `a host "*" and a port * or 0 are for Bind; Connect needs the address of the peer, see LastEndpoint`)
	case !wild:
		if err := c.checkPort(port); err != nil {
			return err
		}
	}
	if host == "*" {
		return nil
	}
	return c.checkHost(host)
}

// checkPort refuses ports that are not 1 to 65535. libzmq reads "5x" as 5 and 99999 as 34463.
func (c *endpointCheck) checkPort(port string) error {
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || port[0] == '0' {
		return c.fail(syscall.EINVAL, "the port %q is not a number in the range 1 to 65535", port)
	}
	return nil
}

// checkHost checks an IPv4 address, an IPv6 address in brackets, or a name. An IPv6 address
// with IPv6 off is refused because libzmq would try to connect forever.
func (c *endpointCheck) checkHost(host string) error {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		address, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		switch {
		case err != nil || !address.Is6() || !strings.HasSuffix(inner, "]"):
			return c.fail(syscall.EINVAL, "%s is not an IPv6 address in brackets; use the form %s://[::1]:5555", host, c.transport)
		case !address.Is4In6() && c.s.intOption(numIPv6) == 0:
			return c.fail(syscall.EINVAL, "IPv6 is off on this socket; set IPv6 to true first")
		}
		return nil
	}
	return c.checkName(host)
}

// checkName allows the characters that libzmq allows and the length that DNS and SOCKS allow.
func (c *endpointCheck) checkName(host string) error {
	if len(host) > 253 {
		return c.fail(syscall.ENAMETOOLONG, "the host name has %d bytes; the limit is 253", len(host))
	}
	for i, r := range host {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("-._", r)) {
			return c.fail(syscall.EINVAL, "the host name %[2]q must not contain %[1]q; an IPv6 address needs brackets, as in %[3]s://[::1]:5555", r, host, c.transport)
		}
	}
	return nil
}

// cutLast is like strings.Cut, but cuts at the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
