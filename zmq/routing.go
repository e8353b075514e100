package zmq

import (
	"context"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// This file holds what SERVER and PEER sockets need. Each gives its peers routing ids,
// which are numbers other than 0. A received message carries the id of its sender, and a
// message to be sent carries the id of its receiver. These types are drafts: they need a
// libzmq that was built with its draft API (Has("draft")).

// SendTo sends part, as a message of its own, to the peer with routingID. The socket must
// be a SERVER or PEER. The bytes are copied. Any goroutine may call it.
//
// SendTo blocks while that peer's queue is full, until ctx is done or SendTimeout has
// passed. With DontWait it returns ErrAgain instead of blocking. SendMore and a routingID
// of 0 return EINVAL. The error is ErrHostUnreachable if the peer is not connected, and
// ErrNotSupported on other socket types.
//
// Implements: zmq_msg_set_routing_id, zmq_msg_send.
func (s *Socket) SendTo(ctx context.Context, routingID uint32, part []byte, flags ...Flag) error {
	c, dontWait, err := s.beginWhole(ctx, flags)
	if err != nil {
		return err
	}
	return sendError(c.SendTo(ctx, routingID, part, dontWait))
}

// RecvFrom receives one part like Recv does. On a SERVER or PEER it also returns the
// routing ID of the peer that sent the part. On other socket types the ID is 0.
//
// Implements: zmq_msg_recv, zmq_msg_routing_id.
func (s *Socket) RecvFrom(ctx context.Context, buf []byte, flags ...Flag) (n int, routingID uint32, err error) {
	n, routingID, _, err = s.recvAddressed(ctx, buf, flags)
	return n, routingID, err
}

// recvAddressed receives one part with the routing ID of its sender or its group.
func (s *Socket) recvAddressed(ctx context.Context, buf []byte, flags []Flag) (n int, id uint32, group string, err error) {
	c, err := s.begin(ctx, "recv")
	if err != nil {
		return 0, 0, "", err
	}
	size, id, group, err := c.RecvAddressed(ctx, buf, flagsOf(flags)&DontWait != 0)
	if err != nil {
		return 0, 0, "", recvError(err)
	}
	if size > len(buf) {
		return len(buf), id, group, &TruncatedError{Size: size}
	}
	return size, id, group, nil
}

// ConnectPeer connects a PEER to the endpoint of another PEER and returns that peer's
// routing ID for use with SendTo. It does not wait for the peer: messages to it are
// queued. With Immediate it fails with EINVAL. On other socket types the error is
// ErrNotSupported. It otherwise behaves like Connect.
//
// Implements: zmq_connect_peer.
func (s *Socket) ConnectPeer(endpoint string) (routingID uint32, err error) {
	c, err := s.live(verbConnect)
	if err != nil {
		return 0, err
	}
	if s.Type() != Peer {
		return 0, &Error{Op: verbConnect, Endpoint: endpoint, Errno: syscall.ENOTSUP, Detail: "only PEER sockets connect by routing ID; use Connect"}
	}
	if immediate, err := Immediate.Get(s); err == nil && immediate {
		return 0, &Error{Op: verbConnect, Endpoint: endpoint, Errno: syscall.EINVAL, Detail: "with Immediate the peer has no routing ID until it is connected; set Immediate to false"}
	}
	s.configMu.Lock()
	defer s.configMu.Unlock()
	err = s.attachLocked(c, verbConnect, endpoint, func(c *core.Socket, name string) error {
		id, err := c.ConnectPeer(name)
		if err != nil {
			return err
		}
		s.attach.peers[id], routingID = name, id
		return nil
	})
	return routingID, err
}

// DisconnectPeer closes the connection to the peer with routingID. Linger applies to
// unsent messages to the peer. DisconnectPeer does not block.
//
// It needs zmq_disconnect_peer for an ID that ConnectPeer did not return, for one whose
// connection Disconnect has closed, and for one of several connections to the same endpoint.
// Without that function, which libzmq 4.3.5 does not have, the error is ErrNotSupported.
// With it, an unknown ID returns ErrHostUnreachable.
//
// Implements: zmq_disconnect, zmq_disconnect_peer.
func (s *Socket) DisconnectPeer(routingID uint32) error {
	c, err := s.live(verbDisconnect)
	if err != nil {
		return err
	}
	if s.Type() != Peer && s.Type() != Server {
		return &Error{Op: verbDisconnect, Errno: syscall.ENOTSUP, Detail: "only PEER and SERVER sockets disconnect by routing ID; use Disconnect"}
	}
	s.configMu.Lock()
	defer s.configMu.Unlock()
	a := s.attach
	if name, known := a.peers[routingID]; known && a.connects[name] == 1 {
		return s.attachLocked(c, verbDisconnect, name, (*core.Socket).Disconnect)
	}
	if !libzmq.CanDisconnectPeer() {
		return &Error{Op: verbDisconnect, Errno: syscall.ENOTSUP, Detail: "the peer connected to this socket, is disconnected already, or shares its endpoint with other connections of the socket; disconnecting it needs zmq_disconnect_peer, which libzmq 4.3.5 does not have"}
	}
	if err := wrapError(verbDisconnect, "", "", c.DisconnectPeer(routingID)); err != nil {
		return err
	}
	delete(a.peers, routingID)
	return nil
}

// RoutingID returns the routing ID of the peer that sent m to a SERVER or PEER, or the ID
// that SetRoutingID set. It is 0 if there is none. If the same socket sends m back, that
// peer receives it. RoutingID does not block. Without the draft API the error is
// ErrNotSupported.
//
// Implements: zmq_msg_routing_id.
func (m *Message) RoutingID() (uint32, error) {
	if err := m.draft("routing id"); err != nil {
		return 0, err
	}
	id := m.msg[0].RoutingID()
	return uint32(max(id, 0)), codeError("routing id", int(min(id, 0)))
}

// SetRoutingID addresses m to the peer with routingID, which must not be 0. Send m with
// SendMessage on a SERVER or PEER. Slices that Bytes returned earlier become invalid. The
// ID stays until m is sent, closed or received into. Without the draft API the error is
// ErrNotSupported.
//
// Implements: zmq_msg_set_routing_id.
func (m *Message) SetRoutingID(routingID uint32) error {
	if err := m.draft("routing id"); err != nil {
		return err
	}
	if routingID == 0 {
		return noRoutingID("routing id")
	}
	return codeError("routing id", m.msg[0].SetRoutingID(routingID))
}

func noRoutingID(op string) error {
	return &Error{Op: op, Errno: syscall.EINVAL, Detail: "0 is not a routing ID; use the ID of a received message, or one that ConnectPeer returned"}
}

// draft returns an error if m, or the libzmq in use, does not support the draft API.
func (m *Message) draft(op string) error {
	if err := m.usable(op); err != nil {
		return err
	}
	return needs(op, needsDraft, "routing IDs and groups")
}

// AppendTo adds a message of one part, addressed to the peer with routingID, which must
// not be 0. Send the batch on a SERVER or PEER. The bytes are copied. Without the draft
// API the error is ErrNotSupported. It otherwise behaves like Append.
//
// Implements: zmq_msg_set_routing_id.
func (b *Batch) AppendTo(routingID uint32, part []byte) error {
	if routingID == 0 {
		return noRoutingID("append")
	}
	if err := needs("append", needsDraft, "routing IDs"); err != nil {
		return err
	}
	return wrapError("append", "", "", b.inner().AppendAddressed(routingID, "", part))
}
