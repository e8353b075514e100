package core

import (
	"context"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/rules"
)

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
	_, err := s.configure(func(h *held) int {
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
