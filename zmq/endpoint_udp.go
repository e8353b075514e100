package zmq

import (
	"net"
	"net/netip"
	"strings"
	"syscall"
)

// checkUDP checks [interface;]address:port. libzmq opens the UDP socket later, on a
// thread of its own, where nobody learns of a failure, and where some abort the
// process. So the same is tried here first.
func (c *endpointCheck) checkUDP() error {
	t := c.s.Type()
	if bind := c.verb == verbBind; t != Dgram && (t != Dish || !bind) && (t != Radio || bind) {
		return c.fail(errNoCompatibleProtocol, "a %s socket cannot %s udp; RADIO connects, DISH and DGRAM bind", t, c.verb)
	}
	if t == Dgram && c.verb != verbBind {
		return c.fail(errNoCompatibleProtocol, "a DGRAM does not connect; Bind it, to udp://*:* for any port, and give each message its address")
	}
	source, address, ok := cutLast(c.address, ";")
	switch {
	case !ok:
		source, address = "", c.address
	case source == "":
		return c.fail(syscall.EINVAL, "there is no interface before the semicolon")
	default:
		if err := c.checkInterface(source); err != nil && source != "*" {
			return err
		}
	}
	var err error
	if c.verb == verbBind {
		err = c.checkLocal(address, false)
	} else {
		err = c.checkRemote(address)
	}
	if err != nil {
		return err
	}
	host, port, err := c.splitHost(address)
	if err != nil {
		return err
	}
	if t == Dish && (port == "*" || port == "0") {
		return c.fail(syscall.EINVAL, "port %s is one that nobody gets to know, since a DISH does not answer; choose one", port)
	}
	group, isAddress := netip.ParseAddr(host)
	multicast := isAddress == nil && group.Unmap().IsMulticast()
	switch {
	case source != "" && !multicast:
		return c.fail(syscall.EINVAL, "an interface goes before a multicast address, and %q is none", host)
	case multicast && !group.Unmap().Is4() && t == Radio:
		return c.fail(syscall.EPROTONOSUPPORT, "libzmq sets the hops of an IPv6 multicast in a way that the system refuses, and drops everything that is sent; use an IPv4 group")
	}
	return c.tryUDP(host, port, source, multicast)
}

// tryUDP opens a UDP socket as libzmq will, and closes it.
func (c *endpointCheck) tryUDP(host, port, source string, multicast bool) error {
	ipv6, err := c.s.intOption(numIPv6)
	if err != nil {
		return c.wrap(err)
	}
	dgram, v6 := c.s.Type() == Dgram, ipv6 != 0
	address, parseErr := netip.ParseAddr(host)
	switch {
	case parseErr == nil:
		v6 = address.Is6() && !address.Is4In6()
	case c.verb == verbConnect || host != "*":
		v6 = false // a name, of which libzmq knows more by then
	}
	if dgram && (v6 || ipv6 != 0) {
		return c.fail(syscall.EPROTONOSUPPORT, "a DGRAM speaks IPv4 only, libzmq aborts at a datagram over IPv6; turn IPv6 off")
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
		return c.fail(errnoOf(err), "the system gives no UDP socket: %v", err)
	}
	defer syscall.Close(fd)
	if c.verb == verbConnect || v6 {
		return nil
	}
	_ = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	if multicast {
		_ = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, reusePort, 1)
	}
	local := &syscall.SockaddrInet4{}
	if port != "*" {
		local.Port, err = net.LookupPort("udp", port)
		if err != nil {
			return c.fail(syscall.EINVAL, "%v", err)
		}
	}
	if !multicast {
		local.Addr = interfaceAddress(host)
	}
	if err := syscall.Bind(fd, local); err != nil {
		return c.fail(errnoOf(err), "the address cannot be bound: %v", err)
	}
	if multicast {
		member := &syscall.IPMreq{Multiaddr: address.Unmap().As4(), Interface: interfaceAddress(source)}
		if err := syscall.SetsockoptIPMreq(fd, syscall.IPPROTO_IP, syscall.IP_ADD_MEMBERSHIP, member); err != nil {
			return c.fail(errnoOf(err), "the multicast group cannot be joined: %v; name an interface before it, as in udp://eth0;239.192.1.1:5555", err)
		}
	}
	return nil
}

// interfaceAddress returns the IPv4 address that an address or the name of an
// interface stands for, zero for any.
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
		text, _, _ := strings.Cut(a.String(), "/")
		if ip, err := netip.ParseAddr(text); err == nil && ip.Is4() {
			return ip.As4()
		}
	}
	return address
}
