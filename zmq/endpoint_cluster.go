package zmq

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// errNoCompatibleProtocol is libzmq's ENOCOMPATPROTO: the type of the socket
// cannot use the transport.
const errNoCompatibleProtocol = syscall.Errno(libzmq.ENOCOMPATPROTO)

// checkMulticastType: only these types speak one way, as multicast does.
func (c *endpointCheck) checkMulticastType() error {
	if t := c.s.Type(); !only(Pub, Sub, XPub, XSub).has(t) {
		return c.fail(errNoCompatibleProtocol, "a %s socket cannot use %s; PUB, SUB, XPUB and XSUB can", t, c.transport)
	}
	return nil
}

// checkPGM checks [interface;]group[,group]:port. OpenPGM's own parser aborts the
// process at some errors, so only numbers and interfaces that exist pass.
func (c *endpointCheck) checkPGM() error {
	if err := c.checkMulticastType(); err != nil {
		return err
	}
	network, port, ok := cutLast(c.address, ":")
	if !ok {
		return c.fail(syscall.EINVAL, "there is no port; it looks like %s://eth0;239.192.1.1:5555", c.transport)
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
			return c.fail(syscall.EINVAL, "%q is no IPv4 multicast address; it looks like %s://eth0;239.192.1.1:5555", group, c.transport)
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
	return c.fail(syscall.ENODEV, "%q is no interface of this machine", name)
}

// checkNorm checks [id,][interface;]address:port, which libzmq copies into
// buffers of fixed size.
func (c *endpointCheck) checkNorm() error {
	if err := c.checkMulticastType(); err != nil {
		return err
	}
	rest := c.address
	if id, after, ok := strings.Cut(rest, ","); ok {
		if !isNumber(id) {
			return c.fail(syscall.EINVAL, "the node id %q before the comma is not a number", id)
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
		return c.fail(syscall.EINVAL, "it looks like norm://239.192.1.1:5555")
	}
	if err := c.checkPort(port); err != nil {
		return err
	}
	if _, err := netip.ParseAddr(host); err != nil {
		return c.fail(syscall.EINVAL, "%q is no numeric address", host)
	}
	return nil
}

// tipcReserved is the last type that TIPC keeps for itself.
const tipcReserved = 64

// checkTIPC checks {type,lower,upper}, {type,instance} and <zone.cluster.node:ref>;
// for an address that it cannot read libzmq gives no reason at all.
func (c *endpointCheck) checkTIPC() error {
	const forms = "it looks like tipc://{5555,0,0} (Bind), tipc://{5555,0} (Connect), tipc://<1.2.3:4> or tipc://<*> (Bind)"
	address, domain, hasDomain := strings.Cut(c.address, "@")
	if hasDomain && !isNode(domain) {
		return c.fail(syscall.EINVAL, "the domain after the @ is no zone.cluster.node")
	}
	if inner, ok := enclosed(address, "{", "}"); ok {
		// A range is what a server is found under, an instance what a client wants.
		n, ok := numbers(inner, ",")
		if want := map[string]int{verbBind: 3, verbConnect: 2}[c.verb]; !ok || len(n) != want {
			return c.fail(syscall.EINVAL, "%s", forms)
		}
		if n[0] <= tipcReserved || n[1] > n[len(n)-1] && c.verb == verbBind {
			return c.fail(syscall.EINVAL, "the type must be above %d, and the range not end before it begins", tipcReserved)
		}
		return nil
	}
	if inner, ok := enclosed(address, "<", ">"); ok && !hasDomain {
		if inner == "*" && c.verb == verbBind {
			return nil
		}
		node, ref, ok := strings.Cut(inner, ":")
		if ok && c.verb == verbConnect && isNode(node) && isNumber(ref) {
			return nil
		}
	}
	return c.fail(syscall.EINVAL, "%s", forms)
}

func enclosed(s, open, end string) (string, bool) {
	inner, ok := strings.CutPrefix(s, open)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(inner, end)
}

// isNode reports whether s is zone.cluster.node.
func isNode(s string) bool {
	n, ok := numbers(s, ".")
	return ok && len(n) == 3
}

// numbers splits s into 32-bit numbers.
func numbers(s, sep string) (list []uint64, ok bool) {
	for part := range strings.SplitSeq(s, sep) {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			return nil, false
		}
		list = append(list, n)
	}
	return list, true
}
