package rules

import (
	"net/netip"
	"strconv"
	"strings"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// The draft socket types have rules of their own. A DGRAM takes two parts, of which the first
// is an address, and the others take messages of one part. SERVER and PEER need a peer for
// each message, and RADIO needs a group. STREAM takes two parts, of which the first is a
// routing id, and a socket with ZMQ_CONFLATE takes one part.
var (
	errOnePart  = fault.New(syscall.EINVAL, "this socket type sends only messages of one part; join the parts, or send each as a message")
	errTwoParts = fault.New(syscall.EINVAL, "a DGRAM sends messages of two parts, an address such as 127.0.0.1:5555 and the datagram; use SendDatagram")
	errStream   = fault.New(syscall.EINVAL, "a STREAM sends messages of two parts, the routing ID of the connection and the data; libzmq would lose any other message and those after it")
	errNoPeer   = fault.New(syscall.EINVAL, "a SERVER or PEER needs a routing ID for each message; use SendTo, or Message.SetRoutingID and SendMessage")
	errDatagram = fault.New(syscall.EMSGSIZE, "a UDP datagram has at most "+strconv.Itoa(MaxDatagram)+" bytes, which for a RADIO include the group and one more byte, and libzmq would write past the end of its buffer; send a shorter message")
	errUDPAddr  = fault.New(syscall.EINVAL, "the first part of the message is not an IPv4 address and port such as 127.0.0.1:5555, and libzmq would drop the message; use SendDatagram")
	errTopic    = fault.New(syscall.EINVAL, "the topic of the subscription has more than 4096 bytes; use a shorter topic")

	// ErrConflate refuses a message of several parts on a socket with ZMQ_CONFLATE.
	ErrConflate = fault.New(syscall.EINVAL, "a socket with Conflate sends only messages of one part, because libzmq aborts here or at the peer if parts are missing; join the parts")
)

const (
	// MaxDatagram is the size in bytes of libzmq's buffer for a UDP datagram.
	MaxDatagram = 8192

	// MaxTopic is the length in bytes of the longest topic to subscribe to. Some builds of
	// libzmq process a topic recursively, byte by byte, and crash on a long one.
	MaxTopic = 4096
)

// CheckParts returns an error for a message with a number of parts that the type cannot send.
// addressed says that the message may carry the routing id of a peer, and conflates that the
// socket has ZMQ_CONFLATE.
func (t Type) CheckParts(parts int, addressed, conflates bool) error {
	switch {
	case t == libzmq.Stream && parts != 2:
		return errStream
	case parts > 1 && conflates:
		return ErrConflate
	case t == libzmq.Dgram && parts != 2:
		return errTwoParts
	case t < libzmq.Server || t == libzmq.Dgram:
		return nil
	case !t.Sends():
		return syscall.ENOTSUP
	case parts != 1:
		return errOnePart
	case !addressed && (t == libzmq.Server || t == libzmq.Peer):
		return errNoPeer
	}
	return nil
}

// CheckPart returns an error for a part that must not be passed to libzmq. An XSUB
// subscribes by sending a part that begins with a byte of 1, and unsubscribes with one that
// begins with 0.
func (t Type) CheckPart(part []byte) error {
	if t == libzmq.XSub && len(part) > 1+MaxTopic && part[0] <= 1 {
		return errTopic
	}
	return nil
}

// CheckDatagram returns an error for a message that cannot become a UDP datagram. Its first
// part is the address or, of a RADIO, the group.
func (t Type) CheckDatagram(first, body []byte) error {
	switch {
	case t == libzmq.Radio:
		if 1+len(first)+len(body) > MaxDatagram {
			return errDatagram
		}
		return nil
	case len(body) > MaxDatagram:
		return errDatagram
	}
	to, err := netip.ParseAddrPort(strings.TrimSuffix(string(first), "\x00"))
	if err != nil || !to.Addr().Is4() || to.Port() == 0 {
		return errUDPAddr
	}
	return nil
}

// CheckGroup returns an error for a group that libzmq cannot handle.
func CheckGroup(group string) error {
	switch {
	case strings.IndexByte(group, 0) >= 0:
		return fault.New(syscall.EINVAL, "the group contains a NUL byte, where libzmq would cut it off")
	case len(group) > libzmq.MaxGroup:
		return fault.New(syscall.EINVAL, "the group has "+strconv.Itoa(len(group))+" bytes; the limit is "+strconv.Itoa(libzmq.MaxGroup)+
			", because libzmq would free the memory of a longer name more than once")
	}
	return nil
}
