package core

import (
	"context"
	"net/netip"
	"strconv"
	"strings"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// The draft socket types have rules of their own. DGRAM takes two parts, and the first
// one is an address. The others take messages of one part. SERVER and PEER need a peer
// for each message, and RADIO needs a group. Two more cases are checked here: STREAM
// takes two parts, and the first one is a routing id. Sockets with ZMQ_CONFLATE take one
// part.

var (
	errOnePart  = &Fault{syscall.EINVAL, "this socket type sends only messages of one part; join the parts, or send each as a message"}
	errTwoParts = &Fault{syscall.EINVAL, "a DGRAM sends messages of two parts, an address such as 127.0.0.1:5555 and the datagram; use SendDatagram"}
	errConflate = &Fault{syscall.EINVAL, "a socket with Conflate sends only messages of one part, because libzmq aborts here or at the peer if parts are missing; join the parts"}
	errStream   = &Fault{syscall.EINVAL, "a STREAM sends messages of two parts, the routing ID of the connection and the data; libzmq would lose any other message and those after it"}
	errNoPeer   = &Fault{syscall.EINVAL, "a SERVER or PEER needs a routing ID for each message; use SendTo, or Message.SetRoutingID and SendMessage"}
	errDatagram = &Fault{syscall.EMSGSIZE, "a UDP datagram has at most " + strconv.Itoa(MaxDatagram) + " bytes, which for a RADIO include the group and one more byte, and libzmq would write past the end of its buffer; send a shorter message"}
	errUDPAddr  = &Fault{syscall.EINVAL, "the first part of the message is not an IPv4 address and port such as 127.0.0.1:5555, and libzmq would drop the message; use SendDatagram"}
	errUnbound  = &Fault{syscall.ENOTCONN, "the DGRAM is not bound; call Bind first, for example with udp://*:* for any port"}
)

// MaxDatagram is the size in bytes of libzmq's buffer for a UDP datagram.
const MaxDatagram = 8192

// check returns an error for a message that the socket cannot send, or must not pass to
// libzmq. If other messages of a batch are before it, they can be sent: check hides it and
// those behind it, and returns nil. s.mu is held.
func (s *Socket) check(r *request) error {
	switch {
	case s.typ < libzmq.Stream && s.typ != libzmq.XSub && !s.conflates.Load() && !s.udp:
		return nil
	case r.batch == nil:
		return s.checkMessage(r, r.parts == nil)
	}
	b := r.batch
	for i := range b.count {
		m := request{list: list{msgs: b.at(i)}}
		err := s.checkMessage(&m, m.msgs[0].Live())
		if err != nil && i == 0 {
			return err
		}
		if err != nil {
			b.count, b.hidden, b.refused = i, b.hidden+b.count-i, err
			break
		}
	}
	return nil
}

// checkMessage checks one message. addressed says that it may carry the routing id of a
// peer.
func (s *Socket) checkMessage(r *request, addressed bool) error {
	n := r.count()
	if err := s.checkPartCount(n, addressed); err != nil {
		return err
	}
	first := 0
	if r.lens != nil {
		first = max(0, n-2) // SendMore has checked the parts before
	}
	for i := first; i < n; i++ {
		if err := s.refuse(r.part(i)); err != nil {
			return err
		}
	}
	switch {
	case !s.udp:
		return nil
	case s.typ != libzmq.Radio:
		return s.checkDatagram(r.part(0), r.part(n-1))
	case r.parts != nil: // without a group
		return s.checkDatagram(nil, r.part(n-1))
	}
	group, _ := r.msgs[0].Group()
	return s.checkDatagram([]byte(group), r.part(n-1))
}

func (s *Socket) checkPartCount(parts int, addressed bool) error {
	switch {
	case s.typ == libzmq.Stream && parts != 2:
		return errStream
	case parts > 1 && s.conflates.Load():
		return errConflate
	case s.typ == libzmq.Dgram && parts != 2:
		return errTwoParts
	case s.typ < libzmq.Server || s.typ == libzmq.Dgram:
		return nil
	case !CanSend(s.typ):
		return syscall.ENOTSUP
	case parts != 1:
		return errOnePart
	case !addressed && (s.typ == libzmq.Server || s.typ == libzmq.Peer):
		return errNoPeer
	}
	return nil
}

// checkDatagram checks a message that becomes a UDP datagram. For a RADIO, the first part
// is the group.
func (s *Socket) checkDatagram(first, body []byte) error {
	switch {
	case s.typ == libzmq.Radio:
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

// SendTo sends a message of one part to the peer with the given routing id.
func (s *Socket) SendTo(ctx context.Context, id uint32, part []byte, dontWait bool) error {
	if s.typ != libzmq.Server && s.typ != libzmq.Peer {
		return &Fault{syscall.ENOTSUP, "only SERVER and PEER sockets send by routing ID"}
	}
	if id == 0 {
		return &Fault{syscall.EINVAL, "0 is not a routing ID; use the ID of a received message, or one that ConnectPeer returned"}
	}
	return s.sendAddressed(ctx, id, "", part, dontWait)
}

// SendGroup sends a message of one part to a group.
func (s *Socket) SendGroup(ctx context.Context, group string, part []byte, dontWait bool) error {
	if s.typ != libzmq.Radio {
		return &Fault{syscall.ENOTSUP, "only RADIO sockets send to groups"}
	}
	if err := CheckGroup(group); err != nil {
		return err
	}
	return s.sendAddressed(ctx, 0, group, part, dontWait)
}

func (s *Socket) sendAddressed(ctx context.Context, id uint32, group string, part []byte, dontWait bool) error {
	var m libzmq.Msg
	if rc := m.Alloc(len(part)); rc < 0 {
		return errorOf(rc)
	}
	defer m.Close()
	copy(m.Bytes(), part)
	if rc := address(&m, id, group); rc < 0 {
		return errorOf(rc)
	}
	return s.SendMsgs(ctx, one(&m), dontWait)
}

// address gives a message a routing id, or a group if id is 0.
func address(m *libzmq.Msg, id uint32, group string) int {
	if id != 0 {
		return m.SetRoutingID(id)
	}
	return m.SetGroup(group)
}

// CheckGroup returns an error for a group that libzmq cannot handle.
func CheckGroup(group string) error {
	switch {
	case strings.IndexByte(group, 0) >= 0:
		return &Fault{syscall.EINVAL, "the group contains a NUL byte, where libzmq would cut it off"}
	case len(group) > libzmq.MaxGroup:
		return &Fault{syscall.EINVAL, "the group has " + strconv.Itoa(len(group)) + " bytes; the limit is " + strconv.Itoa(libzmq.MaxGroup) +
			", because libzmq would free the memory of a longer name more than once"}
	}
	return nil
}

// ConnectPeer connects a PEER socket and returns the routing id of the peer.
//
// Implements: zmq_connect_peer.
func (s *Socket) ConnectPeer(endpoint string) (id uint32, err error) {
	err = s.connect(endpoint, func(h libzmq.Socket) int {
		peer := libzmq.ConnectPeer(h, endpoint)
		if peer < 0 {
			return int(peer)
		}
		id = uint32(peer)
		return 0
	})
	return id, err
}

// DisconnectPeer disconnects the peer with the given routing id.
//
// Implements: zmq_disconnect_peer.
func (s *Socket) DisconnectPeer(id uint32) error {
	_, err := s.Configure(func(h libzmq.Socket) int {
		rc := libzmq.DisconnectPeer(h, id)
		if rc == 0 {
			s.attend()
		}
		return rc
	})
	return err
}

// AppendAddressed adds a message of one part for the peer with a routing id, or for a
// group if id is 0.
func (b *Batch) AppendAddressed(id uint32, group string, part []byte) error {
	if err := b.enter(); err != nil {
		return err
	}
	defer b.leave()
	if !b.slotted {
		b.unpack()
	}
	if err := b.append([][]byte{part}); err != nil {
		return err
	}
	last := &b.slots.msgs[b.end()-1]
	if rc := address(last, id, group); rc < 0 {
		last.Close()
		b.count--
		return errorOf(rc)
	}
	return nil
}
