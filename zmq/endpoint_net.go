package zmq

import (
	"net/netip"
	"strconv"
	"strings"
	"syscall"
)

// checkTCP checks host:port and, for Connect, source:port;host:port.
func (c *endpointCheck) checkTCP() error {
	address := c.address
	if source, target, ok := cutLast(address, ";"); ok {
		if c.verb == verbBind {
			return c.fail(syscall.EINVAL, "source;target is for Connect; Bind takes one address")
		}
		if source != "" && source[0] == '*' {
			return c.fail(syscall.EINVAL, `libzmq does not accept "*" as the source; leave the source out`)
		}
		if err := c.checkLocal(source); err != nil {
			return err
		}
		address = target
	}
	if c.verb == verbBind {
		if err := c.checkFD(false); err != nil {
			return err
		}
		return c.checkLocal(address)
	}
	return c.checkRemote(address)
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
		if err := c.checkWSS(); err != nil {
			return err
		}
		return c.checkLocal(address)
	}
	return c.checkRemote(address)
}

// checkWSPeers refuses settings with which any peer could make libzmq abort, because a peer
// over WebSockets may choose to use no security mechanism (subprotocol ZWS2.0).
func (c *endpointCheck) checkWSPeers() error {
	t := c.s.Type()
	if t == Stream || c.s.attach.on[numRouterRaw] {
		return c.fail(syscall.EPROTONOSUPPORT, "a STREAM, or a ROUTER with RouterRaw, talks plain TCP, and libzmq aborts at a multipart message from a WebSocket peer; use tcp or ipc")
	}
	mechanism, err := c.s.intOption(numMechanism)
	if err != nil {
		return c.wrap(err)
	}
	if mechanism == 0 && c.s.attach.on[numHeartbeatIvl] {
		return c.fail(syscall.EINVAL, "libzmq aborts at a heartbeat to a WebSocket peer without a security mechanism; use HeartbeatInterval with PLAIN or CURVE, or over tcp")
	}
	if c.verb == verbConnect && c.s.attach.on[numImmediate] && (t == Router || t == Rep) {
		return c.fail(syscall.EINVAL, "a WebSocket server can make libzmq abort when a %s with Immediate connects; turn Immediate off or use tcp", t)
	}
	return nil
}

// checkLocal checks an address of this machine: "*", an interface, an IP address or a host
// name, and a port, which the system may choose.
func (c *endpointCheck) checkLocal(address string) error {
	host, port, err := c.splitHost(address)
	if err != nil {
		return err
	}
	if port != "*" && port != "0" {
		if err := c.checkPort(port); err != nil {
			return err
		}
	}
	if host == "*" {
		return nil
	}
	return c.checkHost(host)
}

// checkRemote checks the spelling of an address to connect to. It resolves nothing: libzmq
// resolves a name before each attempt to connect.
func (c *endpointCheck) checkRemote(address string) error {
	host, port, err := c.splitHost(address)
	if err != nil {
		return err
	}
	switch {
	case host == "*":
		return c.fail(syscall.EINVAL, `"*" is for Bind; Connect needs the address of the peer`)
	case port == "*" || port == "0":
		return c.fail(syscall.EINVAL, "port %s is for Bind, which lets the system choose; Connect needs the port of the peer, see LastEndpoint", port)
	}
	if err := c.checkPort(port); err != nil {
		return err
	}
	return c.checkHost(host)
}

// splitHost cuts an address at its last colon and removes the brackets of an IPv6 address.
func (c *endpointCheck) splitHost(address string) (host, port string, err error) {
	host, port, ok := cutLast(address, ":")
	switch {
	case !ok:
		return "", "", c.fail(syscall.EINVAL, "%q has no port; use the form %s://127.0.0.1:5555", address, c.transport)
	case host == "":
		return "", "", c.fail(syscall.EINVAL, "there is no host before the port; %s", hostHint(c.verb))
	}
	bracketed := host[0] == '[' && host[len(host)-1] == ']'
	switch {
	case bracketed:
		host = host[1 : len(host)-1]
		if !strings.Contains(host, ":") {
			return "", "", c.fail(syscall.EINVAL, "brackets are for IPv6 addresses, and %q is not one; remove them", host)
		}
	case strings.ContainsAny(host, "[]"):
		return "", "", c.fail(syscall.EINVAL, "the brackets are not closed, or there is no port after them; use the form %s://[::1]:5555", c.transport)
	case strings.Contains(host, ":"):
		return "", "", c.fail(syscall.EINVAL, "an IPv6 address needs brackets: %s://[%s]:%s", c.transport, host, port)
	}
	return host, port, nil
}

func hostHint(verb string) string {
	if verb == verbBind {
		return `use "*" for all interfaces`
	}
	return "Connect needs the address of the peer"
}

// checkPort refuses ports that are not 1 to 65535. libzmq reads "5x" as 5 and 99999 as 34463.
func (c *endpointCheck) checkPort(port string) error {
	for i := range len(port) {
		if port[i] < '0' || port[i] > '9' {
			return c.fail(syscall.EINVAL, "the port %q is not a number", port)
		}
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || port[0] == '0' {
		return c.fail(syscall.EINVAL, "the port %q is not in the range 1 to 65535", port)
	}
	return nil
}

// checkHost checks an IP address or a name. An IPv6 address with IPv6 off is refused here
// because libzmq would retry it forever.
func (c *endpointCheck) checkHost(host string) error {
	address, err := netip.ParseAddr(host)
	switch {
	case err != nil && strings.ContainsAny(host, ":%"):
		return c.fail(syscall.EINVAL, "%q is not an IPv6 address", host)
	case err != nil:
		return c.checkHostName(host)
	case address.Is4() || address.Is4In6():
		return nil
	}
	ipv6, err := c.s.intOption(numIPv6)
	if err != nil {
		return c.wrap(err)
	}
	proxied, err := c.proxied()
	if err != nil {
		return c.wrap(err)
	}
	if ipv6 == 0 && !proxied {
		return c.fail(syscall.EINVAL, "IPv6 is off on this socket; set IPv6 to true first")
	}
	return nil
}

// proxied reports whether the connection goes through a SOCKS proxy, which resolves names and
// addresses on its own.
func (c *endpointCheck) proxied() (bool, error) {
	if c.verb != verbConnect || c.transport != "tcp" {
		return false, nil
	}
	proxy, err := specOf(numSocksProxy).read(c.s)
	return len(proxy.b) > 0, err
}

// checkHostName allows the characters that libzmq allows and the length that DNS and SOCKS
// allow.
func (c *endpointCheck) checkHostName(host string) error {
	if len(host) > 253 {
		return c.fail(syscall.ENAMETOOLONG, "the host name has %d bytes; the limit is 253", len(host))
	}
	for i, r := range host {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("-._", r)) {
			return c.fail(syscall.EINVAL, "the host name %[2]q must not contain %[1]q", r, host)
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
