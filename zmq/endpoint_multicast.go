package zmq

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// errNoCompatibleProtocol is libzmq's ENOCOMPATPROTO: the socket type does not support the
// transport.
const errNoCompatibleProtocol = syscall.Errno(libzmq.ENOCOMPATPROTO)

// checkMulticastType refuses all types except PUB, SUB, XPUB and XSUB.
func (c *endpointCheck) checkMulticastType() error {
	if t := c.s.Type(); !only(Pub, Sub, XPub, XSub).has(t) {
		return c.fail(errNoCompatibleProtocol, "a %s socket cannot use %s; PUB, SUB, XPUB and XSUB can", t, c.transport)
	}
	return nil
}

// checkPGM checks [interface;]group[,group]:port. libzmq aborts if OpenPGM cannot parse or
// resolve the address, so only numeric addresses and existing interfaces pass.
func (c *endpointCheck) checkPGM() error {
	if err := c.checkMulticastType(); err != nil {
		return err
	}
	network, port, ok := cutLast(c.address, ":")
	if !ok {
		return c.fail(syscall.EINVAL, "there is no port; use the form %s://eth0;239.192.1.1:5555", c.transport)
	}
	if err := c.checkPort(port); err != nil {
		return err
	}
	iface, groups, ok := strings.Cut(network, ";")
	if !ok {
		iface, groups = "", network
	} else if err := c.checkInterface(iface); err != nil {
		return err
	}
	for group := range strings.SplitSeq(groups, ",") {
		address, err := netip.ParseAddr(group)
		if err != nil || !address.Is4() || !address.IsMulticast() {
			return c.fail(syscall.EINVAL, "%q is not an IPv4 multicast address; use the form %s://eth0;239.192.1.1:5555", group, c.transport)
		}
	}
	return nil
}

// checkInterface accepts an interface of this machine by name or address.
func (c *endpointCheck) checkInterface(name string) error {
	if _, err := net.InterfaceByName(name); err == nil {
		return nil
	}
	if want, err := netip.ParseAddr(name); err == nil {
		addresses, err := net.InterfaceAddrs()
		if err != nil {
			return c.fail(errnoOf(err), "the interfaces of this machine cannot be listed: %v", err)
		}
		for _, address := range addresses {
			if prefix, err := netip.ParsePrefix(address.String()); err == nil && prefix.Addr() == want {
				return nil
			}
		}
	}
	return c.fail(syscall.ENODEV, "this machine has no interface %q; use the name or the address of an interface", name)
}

// checkNorm checks [id,][interface;]address:port. libzmq aborts on an I/O thread if NORM
// refuses the address.
func (c *endpointCheck) checkNorm() error {
	if err := c.checkMulticastType(); err != nil {
		return err
	}
	rest := c.address
	if id, after, ok := strings.Cut(rest, ","); ok {
		if !isNumber(id) {
			return c.fail(syscall.EINVAL, "the node ID %q before the comma is not a number", id)
		}
		rest = after
	}
	if iface, after, ok := strings.Cut(rest, ";"); ok {
		if err := c.checkInterface(iface); err != nil {
			return err
		}
		rest = after
	}
	host, port, ok := cutLast(rest, ":")
	if !ok || host == "" {
		return c.fail(syscall.EINVAL, "there is no address or no port; use the form norm://239.192.1.1:5555")
	}
	if err := c.checkPort(port); err != nil {
		return err
	}
	if _, err := netip.ParseAddr(host); err != nil {
		return c.fail(syscall.EINVAL, "%q is not a numeric address; NORM needs an IP address", host)
	}
	return nil
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 32)
	return err == nil
}
