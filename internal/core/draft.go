package core

import (
	"context"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/rules"
)

// check returns an error for a message that the socket cannot send, or must not pass to
// libzmq. If other messages of a batch are before it, they can be sent: check hides it and
// those behind it, and returns nil. s.mu is held.
func (s *Socket) check(r *request) error {
	switch {
	case !s.typ.Checked() && !s.options.On(libzmq.OptConflate) && !s.udp:
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
		if err := s.typ.CheckPart(r.part(i)); err != nil {
			return err
		}
	}
	switch {
	case !s.udp:
		return nil
	case s.typ != libzmq.Radio:
		return s.typ.CheckDatagram(r.part(0), r.part(n-1))
	case r.parts != nil: // without a group
		return s.typ.CheckDatagram(nil, r.part(n-1))
	}
	group, _ := r.msgs[0].Group()
	return s.typ.CheckDatagram([]byte(group), r.part(n-1))
}

func (s *Socket) checkPartCount(parts int, addressed bool) error {
	return s.typ.CheckParts(parts, addressed, s.options.On(libzmq.OptConflate))
}

// SendTo sends a message of one part to the peer with the given routing id.
func (s *Socket) SendTo(ctx context.Context, id uint32, part []byte, dontWait bool) error {
	if s.typ != libzmq.Server && s.typ != libzmq.Peer {
		return fault.New(syscall.ENOTSUP, "only SERVER and PEER sockets send by routing ID")
	}
	if id == 0 {
		return fault.New(syscall.EINVAL, "0 is not a routing ID; use the ID of a received message, or one that ConnectPeer returned")
	}
	return s.sendAddressed(ctx, id, "", part, dontWait)
}

// SendGroup sends a message of one part to a group.
func (s *Socket) SendGroup(ctx context.Context, group string, part []byte, dontWait bool) error {
	if s.typ != libzmq.Radio {
		return fault.New(syscall.ENOTSUP, "only RADIO sockets send to groups")
	}
	if err := rules.CheckGroup(group); err != nil {
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
	_, err := s.configure(func(h *Socket) int {
		rc := libzmq.DisconnectPeer(h.handle, id)
		if rc == 0 {
			h.attend()
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
