package zmq

import (
	"net"
	"net/netip"
	"strconv"
	"syscall"
)

var udpVerbs = map[SocketType]string{Dgram: verbBind, Dish: verbBind, Radio: verbConnect}

// checkUDP checks [interface;]address:port. libzmq opens the UDP socket on an I/O thread and
// aborts if it cannot; core.checkRoom keeps descriptors free for it.
func (c *endpointCheck) checkUDP() error {
	t := c.s.Type()
	switch {
	case c.verb == udpVerbs[t]:
	case t == Dgram:
		return c.fail(errNoCompatibleProtocol, "a DGRAM socket does not connect; bind it, to udp://*:* for any port, and give each message an address")
	default:
		return c.fail(errNoCompatibleProtocol, "a %s socket cannot %s udp; RADIO connects, DISH and DGRAM bind", t, c.verb)
	}
	source, address, err := c.splitUDP()
	if err != nil {
		return err
	}
	host, port, err := c.splitHost(address)
	if err != nil {
		return err
	}
	if t == Dish && (port == "*" || port == "0") {
		return c.fail(syscall.EINVAL, "with port %s no peer could learn the port of a DISH, which does not answer; choose a port", port)
	}
	group, isAddress := netip.ParseAddr(host)
	multicast := isAddress == nil && group.Unmap().IsMulticast()
	switch {
	case source != "" && !multicast:
		return c.fail(syscall.EINVAL, "only a multicast address takes an interface, and %q is not one; remove the interface", host)
	case multicast && !group.Unmap().Is4() && t == Radio:
		return c.fail(syscall.EPROTONOSUPPORT, "libzmq cannot send to an IPv6 multicast group and would drop all messages; use an IPv4 group")
	}
	return c.tryUDP(host, port, source, multicast)
}

// splitUDP checks and returns the interface, which is "" if there is none, and the address.
func (c *endpointCheck) splitUDP() (source, address string, err error) {
	source, address, ok := cutLast(c.address, ";")
	switch {
	case !ok:
		source, address = "", c.address
	case source == "":
		return "", "", c.fail(syscall.EINVAL, "there is no interface before the semicolon; add one or remove the semicolon")
	case source != "*":
		if err := c.checkInterface(source); err != nil {
			return "", "", err
		}
	}
	if c.verb == verbBind {
		return source, address, c.checkLocal(address)
	}
	return source, address, c.checkRemote(address)
}

// tryUDP opens a UDP socket like libzmq will, and closes it. libzmq opens and binds the
// socket on an I/O thread: it aborts if it gets none, and it reports no failure to bind,
// after which a send by a DGRAM aborts (rows 26 and 37 of docs/safety.md).
func (c *endpointCheck) tryUDP(host, port, source string, multicast bool) error {
	ipv6, err := c.s.intOption(numIPv6)
	if err != nil {
		return c.wrap(err)
	}
	v6 := ipv6 != 0 && host == "*"
	address, err := netip.ParseAddr(host)
	if err == nil {
		v6 = address.Is6() && !address.Is4In6()
	}
	if c.s.Type() == Dgram && (v6 || ipv6 != 0) {
		return c.fail(syscall.EPROTONOSUPPORT, "a DGRAM uses IPv4 only, because libzmq aborts at a datagram over IPv6; turn IPv6 off")
	}
	family := syscall.AF_INET
	if v6 {
		family = syscall.AF_INET6
	}
	syscall.ForkLock.RLock()
	fd, err := syscall.Socket(family, syscall.SOCK_DGRAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return c.fail(errnoOf(err), "the system provides no UDP socket: %v", err)
	}
	defer syscall.Close(fd)
	if c.verb == verbConnect || v6 {
		return nil
	}
	return c.tryBindUDP(fd, host, port, source, multicast)
}

// tryBindUDP binds the socket over IPv4, and joins the multicast group.
func (c *endpointCheck) tryBindUDP(fd int, host, port, source string, multicast bool) error {
	_ = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	local := &syscall.SockaddrInet4{}
	if port != "*" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return c.fail(syscall.EINVAL, "the port %q is not a number", port)
		}
		local.Port = int(n)
	}
	if multicast {
		_ = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, reusePort, 1)
	} else {
		local.Addr = interfaceAddress(host)
	}
	if err := syscall.Bind(fd, local); err != nil {
		return c.fail(errnoOf(err), "the address cannot be bound: %v", err)
	}
	if !multicast {
		return nil
	}
	group := netip.MustParseAddr(host).Unmap()
	member := &syscall.IPMreq{Multiaddr: group.As4(), Interface: interfaceAddress(source)}
	if err := syscall.SetsockoptIPMreq(fd, syscall.IPPROTO_IP, syscall.IP_ADD_MEMBERSHIP, member); err != nil {
		return c.fail(errnoOf(err), "the multicast group cannot be joined: %v; name an interface before it, as in udp://eth0;239.192.1.1:5555", err)
	}
	return nil
}

// interfaceAddress returns the IPv4 address of an interface that is given by address or
// name, or zero for any.
func interfaceAddress(name string) (address [4]byte) {
	if a, err := netip.ParseAddr(name); err == nil && a.Unmap().Is4() {
		return a.Unmap().As4()
	}
	iface, err := net.InterfaceByName(name)
	if err != nil {
		return address
	}
	addresses, err := iface.Addrs()
	if err != nil {
		return address
	}
	for _, a := range addresses {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil && prefix.Addr().Is4() {
			return prefix.Addr().As4()
		}
	}
	return address
}
