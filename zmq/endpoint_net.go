package zmq

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// lookupTimeout bounds how long Connect waits for DNS. A name server that is slow
// is no proof that the name is wrong, so libzmq then goes on trying.
const lookupTimeout = 5 * time.Second

// checkTCP checks host:port, for Connect also source:port;host:port.
func (c *endpointCheck) checkTCP() error {
	address := c.address
	if source, target, ok := cutLast(address, ";"); ok {
		if c.verb == verbBind {
			return c.fail(syscall.EINVAL, "source;target is for Connect; Bind takes one address")
		}
		if source != "" && source[0] == '*' {
			return c.fail(syscall.EINVAL, `libzmq takes no "*" as the source; leave the source out`)
		}
		if err := c.checkLocal(source, false); err != nil {
			return err
		}
		address = target
	}
	if c.verb == verbBind {
		if err := c.checkFD(false); err != nil {
			return err
		}
		return c.checkLocal(address, true)
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
		return c.fail(syscall.EINVAL, "the path may not contain a colon or semicolon, libzmq would look for the port there")
	}
	if c.verb == verbBind {
		if c.s.attach.hasFD {
			return c.fail(syscall.EINVAL, "UseFD is set, which is for tcp and ipc; set it to -1 first")
		}
		if err := c.checkWSS(); err != nil {
			return err
		}
		return c.checkLocal(address, false)
	}
	return c.checkRemote(address)
}

// checkWSPeers refuses what any peer could use to make libzmq abort: it lets a peer over
// WebSockets choose to have no mechanism at all (subprotocol ZWS2.0).
func (c *endpointCheck) checkWSPeers() error {
	t := c.s.Type()
	if t == Stream || c.s.attach.raw {
		return c.fail(syscall.EPROTONOSUPPORT, "what talks plain TCP does not talk WebSockets, and libzmq aborts at a peer's message of several parts; use tcp or ipc")
	}
	mechanism, err := c.s.intOption(numMechanism)
	if err != nil {
		return c.wrap(err)
	}
	heartbeats, err := c.s.intOption(numHeartbeatIvl)
	if err != nil {
		return c.wrap(err)
	}
	if mechanism == 0 && heartbeats != 0 {
		return c.fail(syscall.EINVAL, "libzmq aborts at a heartbeat to a peer over WebSockets that has chosen no mechanism; use HeartbeatInterval with PLAIN or CURVE, or over tcp")
	}
	immediate, err := c.s.intOption(numImmediate)
	if err != nil {
		return c.wrap(err)
	}
	if c.verb == verbConnect && immediate != 0 && (t == Router || t == Rep) {
		return c.fail(syscall.EINVAL, "libzmq aborts when a server over WebSockets answers a %s with Immediate in an unusual way; use it without, or tcp", t)
	}
	return nil
}

// checkLocal checks an address of this machine: "*", an interface, or an address,
// and a port that may be left to the system. With dns a name may stand for it.
func (c *endpointCheck) checkLocal(address string, dns bool) error {
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
	if literal, err := c.checkLiteral(host); literal || err != nil {
		return err
	}
	if err := c.checkHostName(host); err != nil {
		return err
	}
	if _, err := net.InterfaceByName(host); err == nil {
		return nil
	}
	if !dns || libzmqOlderThan(4, 3, 5) {
		return c.fail(syscall.ENODEV, "%q is neither an address nor an interface of this machine; before libzmq 4.3.5, and for other transports than tcp, Bind takes no host names", host)
	}
	// Without an answer, too: libzmq would hold up the socket while it asks.
	if cause, _ := c.lookUp(host); cause != nil {
		return &Error{Op: c.verb, Endpoint: c.endpoint, Errno: syscall.ENODEV, Detail: "neither an interface nor a known host: " + cause.Error(), cause: cause}
	}
	return nil
}

// checkRemote checks an address to connect to.
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
	proxy, err := specOf(numSocksProxy).read(c.s)
	if err != nil {
		return c.wrap(err)
	}
	proxied := len(proxy.b) > 0 && c.transport == "tcp"
	if !proxied {
		if literal, err := c.checkLiteral(host); literal || err != nil {
			return err
		}
	} else if _, err := netip.ParseAddr(host); err == nil {
		return nil
	}
	if err := c.checkHostName(host); err != nil {
		return err
	}
	if proxied {
		return nil // the proxy knows names that this machine may not know
	}
	switch cause, certain := c.lookUp(host); {
	case c.ctx.Err() != nil:
		return wrapError(c.verb, c.endpoint, "", c.ctx.Err())
	case certain:
		return c.unreachable("libzmq would try for ever", cause)
	case cause != nil && c.transport != "tcp":
		// For tcp libzmq asks again, by and by, on its own thread.
		return c.unreachable("the name server gives no answer, and libzmq would hold up the socket while it asks", cause)
	}
	return nil
}

func (c *endpointCheck) unreachable(why string, cause error) error {
	return &Error{Op: c.verb, Endpoint: c.endpoint, Errno: syscall.EHOSTUNREACH, Detail: why + ": " + cause.Error(), cause: cause}
}

// splitHost cuts an address at its last colon and takes the brackets off an IPv6
// address.
func (c *endpointCheck) splitHost(address string) (host, port string, err error) {
	host, port, ok := cutLast(address, ":")
	switch {
	case !ok:
		return "", "", c.fail(syscall.EINVAL, "%q has no port; it looks like %s://127.0.0.1:5555", address, c.transport)
	case host == "":
		return "", "", c.fail(syscall.EINVAL, "there is no host before the port; %s", hostHint(c.verb))
	}
	bracketed := host[0] == '[' && host[len(host)-1] == ']'
	switch {
	case bracketed:
		host = host[1 : len(host)-1]
		if !strings.Contains(host, ":") {
			return "", "", c.fail(syscall.EINVAL, "brackets are for IPv6 addresses, and %q is none", host)
		}
	case strings.ContainsAny(host, "[]"):
		return "", "", c.fail(syscall.EINVAL, "the brackets are not closed, or there is no port after them; it looks like %s://[::1]:5555", c.transport)
	case strings.Contains(host, ":"):
		return "", "", c.fail(syscall.EINVAL, "an IPv6 address goes in brackets: %s://[%s]:%s", c.transport, host, port)
	}
	return host, port, nil
}

func hostHint(verb string) string {
	if verb == verbBind {
		return `use "*" for all interfaces`
	}
	return "Connect needs the address of the peer"
}

// checkPort: libzmq reads "5x" as 5 and 99999 as 34463.
func (c *endpointCheck) checkPort(port string) error {
	for i := range len(port) {
		if port[i] < '0' || port[i] > '9' {
			return c.fail(syscall.EINVAL, "the port %q is not a number", port)
		}
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || port[0] == '0' {
		return c.fail(syscall.EINVAL, "the port %q is not one of 1 to 65535", port)
	}
	return nil
}

// checkLiteral reports whether the host is a numeric address, and refuses one
// that libzmq could never use.
func (c *endpointCheck) checkLiteral(host string) (bool, error) {
	address, err := netip.ParseAddr(host)
	if err != nil {
		if strings.ContainsAny(host, ":%") {
			return false, c.fail(syscall.EINVAL, "%q is not an IPv6 address", host)
		}
		return false, nil
	}
	if address.Is4() || address.Is4In6() {
		return true, nil
	}
	ipv6, err := c.s.intOption(numIPv6)
	if err != nil {
		return true, c.wrap(err)
	}
	if ipv6 == 0 {
		return true, c.fail(syscall.EINVAL, "IPv6 is off on this socket; set IPv6 to true first")
	}
	return true, c.checkZone(address.Zone())
}

// checkZone checks what follows the "%" of a link-local address: an interface, by
// name or number.
func (c *endpointCheck) checkZone(zone string) error {
	if zone == "" {
		return nil
	}
	n, err := strconv.ParseUint(zone, 10, 31)
	if err == nil {
		_, err = net.InterfaceByIndex(int(n))
	} else {
		_, err = net.InterfaceByName(zone)
	}
	if err != nil {
		return c.fail(syscall.ENODEV, "the zone %q of the address is no interface of this machine", zone)
	}
	return nil
}

// checkHostName allows the characters that libzmq allows, and the length that DNS
// and SOCKS allow.
func (c *endpointCheck) checkHostName(host string) error {
	if len(host) > 253 {
		return c.fail(syscall.ENAMETOOLONG, "the host name has %d bytes; the longest has 253", len(host))
	}
	for i, r := range host {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("-._", r)) {
			return c.fail(syscall.EINVAL, "%q cannot be part of the host name %q", r, host)
		}
	}
	return nil
}

// lookUp asks for the addresses of a host and returns why there are none, and whether
// that is certain. It lets go of configMu meanwhile.
func (c *endpointCheck) lookUp(host string) (cause error, certain bool) {
	network := "ip4"
	if ipv6, err := c.s.intOption(numIPv6); err == nil && ipv6 != 0 {
		network = "ip"
	}
	c.s.configMu.Unlock()
	defer c.s.configMu.Lock()
	ctx, cancel := context.WithTimeout(c.ctx, lookupTimeout)
	defer cancel()
	_, err := net.DefaultResolver.LookupNetIP(ctx, network, host)
	if deadline, ok := c.ctx.Deadline(); ok && err != nil {
		// The resolver may see its end a moment before the context does.
		if rest := time.Until(deadline); rest < 10*time.Millisecond {
			<-c.ctx.Done()
		}
	}
	dns := (*net.DNSError)(nil)
	return err, errors.As(err, &dns) && dns.IsNotFound && !dns.IsTimeout && !dns.IsTemporary
}

// cutLast is strings.Cut at the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
