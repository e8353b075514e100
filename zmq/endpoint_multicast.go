package zmq

import (
	"net"
	"net/netip"
	"strings"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// errNoCompatibleProtocol is libzmq's ENOCOMPATPROTO: the socket type does not support the
// transport.
const errNoCompatibleProtocol = syscall.Errno(libzmq.ENOCOMPATPROTO)

// checkMulticast checks [interface;]group[,group]:port of pgm and epgm, and
// [id,][interface;]address:port of norm. libzmq aborts if OpenPGM or NORM refuses the
// address, so only numeric addresses and existing interfaces pass.
func (c *endpointCheck) checkMulticast() error {
	norm := c.transport == "norm"
	network, port, _ := cutLast(c.address, ":")
	if err := c.checkPort(port); err != nil {
		return err
	}
	if _, after, ok := strings.Cut(network, ","); ok && norm {
		network = after
	}
	if iface, after, ok := strings.Cut(network, ";"); ok {
		if err := c.checkInterface(iface); err != nil {
			return err
		}
		network = after
	}
	for group := range strings.SplitSeq(network, ",") {
		address, err := netip.ParseAddr(group)
		if err != nil || !norm && (!address.Is4() || !address.IsMulticast()) {
			return c.fail(syscall.EINVAL, "%q is not a numeric multicast address; use the form %s://eth0;239.192.1.1:5555", group, c.transport)
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
