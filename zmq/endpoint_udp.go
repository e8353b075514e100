package zmq

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
)

var udpVerbs = map[SocketType]string{Dgram: verbBind, Dish: verbBind, Radio: verbConnect}

// checkUDP checks [interface;]address:port. libzmq opens the UDP socket on an I/O thread and
// aborts if it cannot; core.checkFDs keeps descriptors free for it.
func (c *endpointCheck) checkUDP() error {
	if c.verb != udpVerbs[c.s.Type()] {
		return nil // libzmq refuses it
	}
	source, address, ok := strings.Cut(c.address, ";")
	if !ok {
		source, address = "", c.address
	}
	if err := c.checkAddress(address, c.verb == verbBind); err != nil {
		return err
	}
	host, port, _ := cutLast(address, ":")
	host = strings.Trim(host, "[]")
	group, _ := netip.ParseAddr(host)
	switch c.s.Type() {
	case Dish: // the guard of row 40 in docs/safety.md has to know the port
		if port == "*" || port == "0" {
			return c.fail(syscall.EINVAL, "with port %s no peer could learn the port of a DISH, which does not answer; choose a port", port)
		}
	case Radio:
		if group.IsMulticast() && !group.Unmap().Is4() {
			return c.fail(syscall.EPROTONOSUPPORT, "libzmq cannot send to an IPv6 multicast group and would drop all messages; use an IPv4 group")
		}
	}
	return c.tryUDP(host, port, source)
}

// tryUDP opens a UDP socket like libzmq will, and closes it. libzmq opens and binds the
// socket on an I/O thread: it aborts if it gets none, and it reports no failure to bind,
// after which a send by a DGRAM aborts (rows 26 and 37 of docs/safety.md).
func (c *endpointCheck) tryUDP(host, port, source string) error {
	ipv6 := c.s.intOption(numIPv6) != 0
	v6 := ipv6 && host == "*"
	address, err := netip.ParseAddr(host)
	if err == nil {
		v6 = address.Is6() && !address.Is4In6()
	}
	if c.s.Type() == Dgram && (v6 || ipv6) {
		return c.fail(syscall.EPROTONOSUPPORT, "a DGRAM uses IPv4 only, because libzmq aborts on a datagram over IPv6; turn IPv6 off")
	}
	family := syscall.AF_INET
	if v6 {
		family = syscall.AF_INET6
	}
	fd, err := openSocket(family, syscall.SOCK_DGRAM)
	if err != nil {
		return c.fail(errnoOf(err), "the system provides no UDP socket: %v", err)
	}
	defer closeHandle(fd)
	if c.verb == verbConnect || v6 {
		return nil
	}
	return c.tryBindUDP(fd, host, port, source)
}

// tryBindUDP binds the socket over IPv4, and joins the multicast group.
func (c *endpointCheck) tryBindUDP(fd handle, host, port, source string) error {
	group, _ := netip.ParseAddr(host)
	group = group.Unmap()
	multicast := group.IsMulticast()
	_ = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	local := &syscall.SockaddrInet4{}
	if port != "*" {
		local.Port, _ = strconv.Atoi(port) // checkAddress has checked it
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

// openSocket creates a socket that child processes do not inherit.
func openSocket(family, kind int) (handle, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Socket(family, kind, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	return fd, err
}
