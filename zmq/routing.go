package zmq

import (
	"context"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// A SERVER gives each CLIENT a routing id, a number that is not 0, and so does a PEER
// with each PEER. It comes with every message, and is given to each that is sent.
// These types, and what is in this file, are drafts: they need a libzmq that was built
// with its draft API (Has("draft")).

// SendTo sends a part, as a message of its own, to the peer of a SERVER or PEER with a
// routing id. It waits while that peer's queue is full, at most SendTimeout, unless
// DontWait is given. The bytes are copied. Any goroutine may call it. It fails with
// ErrHostUnreachable when the peer has gone, and with ErrNotSupported on other types.
// zmq_msg_set_routing_id, zmq_msg_send.
func (s *Socket) SendTo(routingID uint32, part []byte, flags ...Flag) error {
	return s.sendTo(nil, routingID, part, flagsOf(flags))
}

// SendToContext is SendTo, and ends when ctx does: then nothing was sent, and the
// error wraps ctx.Err(). zmq_msg_set_routing_id, zmq_msg_send.
func (s *Socket) SendToContext(ctx context.Context, routingID uint32, part []byte, flags ...Flag) error {
	return s.sendTo(ctx, routingID, part, flagsOf(flags))
}

func (s *Socket) sendTo(ctx context.Context, id uint32, part []byte, f Flag) error {
	c, err := s.live("send")
	if err != nil {
		return err
	}
	if f&SendMore != 0 {
		return errSendMoreWhole
	}
	return sendError(c.SendTo(ctx, id, part, f&DontWait != 0))
}

// RecvFrom is Recv, and also returns the routing id of the peer that the part came
// from: for SERVER and PEER; on other types it is 0. zmq_msg_recv, zmq_msg_routing_id.
func (s *Socket) RecvFrom(buf []byte, flags ...Flag) (n int, routingID uint32, err error) {
	return s.recvFrom(nil, buf, flagsOf(flags))
}

// RecvFromContext is RecvFrom, and ends when ctx does, as RecvContext.
// zmq_msg_recv, zmq_msg_routing_id.
func (s *Socket) RecvFromContext(ctx context.Context, buf []byte, flags ...Flag) (n int, routingID uint32, err error) {
	return s.recvFrom(ctx, buf, flagsOf(flags))
}

func (s *Socket) recvFrom(ctx context.Context, buf []byte, f Flag) (int, uint32, error) {
	c, err := s.live("recv")
	if err != nil {
		return 0, 0, err
	}
	size, id, err := c.RecvFrom(ctx, buf, f&DontWait != 0)
	if err != nil {
		return 0, 0, recvError(err)
	}
	if size > len(buf) {
		return len(buf), id, &TruncatedError{Size: size}
	}
	return size, id, nil
}

// ConnectPeer connects a PEER to another one's endpoint and returns the routing id of
// that peer, for SendTo. It does not wait for the peer: what is sent to it is queued.
// Otherwise it is as Connect. zmq_connect_peer.
func (s *Socket) ConnectPeer(endpoint string) (routingID uint32, err error) {
	if _, err := s.live(verbConnect); err != nil {
		return 0, err
	}
	if s.Type() != Peer {
		return 0, &Error{Op: verbConnect, Endpoint: endpoint, Errno: syscall.ENOTSUP, Detail: "only PEER sockets connect to a peer by its routing id; use Connect"}
	}
	if immediate, err := Immediate.Get(s); err == nil && immediate {
		return 0, &Error{Op: verbConnect, Endpoint: endpoint, Errno: syscall.EINVAL, Detail: "with Immediate the peer has no routing id before it is connected; turn it off"}
	}
	err = s.attachTo(context.Background(), verbConnect, endpoint, func(c *core.Socket, endpoint string) error {
		routingID, err = c.ConnectPeer(endpoint)
		return err
	})
	if err != nil {
		return 0, err
	}
	s.configMu.Lock()
	defer s.configMu.Unlock()
	if s.attach.peers == nil {
		s.attach.peers = make(map[uint32]string)
	}
	s.attach.peers[routingID] = endpoint
	return routingID, nil
}

// DisconnectPeer ends the connection to the peer with a routing id. That is one which
// ConnectPeer returned; for the ids of other peers it needs a libzmq that has
// zmq_disconnect_peer, which 4.3.5 has not yet, and fails with ErrNotSupported
// otherwise. Messages to the peer that were not sent follow Linger. An id that is not
// known is ErrHostUnreachable. zmq_disconnect, zmq_disconnect_peer.
func (s *Socket) DisconnectPeer(routingID uint32) error {
	c, err := s.live(verbDisconnect)
	if err != nil {
		return err
	}
	if s.Type() != Peer && s.Type() != Server {
		return &Error{Op: verbDisconnect, Errno: syscall.ENOTSUP, Detail: "only PEER and SERVER sockets know their peers by routing id; use Disconnect"}
	}
	s.configMu.Lock()
	endpoint, known := s.attach.peers[routingID]
	shared := 0
	for _, other := range s.attach.peers {
		if other == endpoint {
			shared++
		}
	}
	_, connected := s.attach.connected[endpoint]
	s.configMu.Unlock()
	switch {
	case known && connected && shared == 1:
		err = s.Disconnect(endpoint)
	case !libzmq.CanDisconnectPeer():
		return &Error{Op: verbDisconnect, Errno: syscall.ENOTSUP, Detail: "this socket did not make the connection, or made others to the same endpoint; ending it needs zmq_disconnect_peer, of the draft API of libzmq after 4.3.5"}
	default:
		err = wrapError(verbDisconnect, "", "", c.DisconnectPeer(routingID))
	}
	if err == nil {
		s.configMu.Lock()
		delete(s.attach.peers, routingID)
		s.configMu.Unlock()
	}
	return err
}

// RoutingID returns the routing id of the peer that m came from, when it was received
// by a SERVER or PEER, or that SetRoutingID gave it; 0 if there is none. Sending m by
// the same socket answers that peer. It does not block. ErrNotSupported without the
// draft API. zmq_msg_routing_id.
func (m *Message) RoutingID() (uint32, error) {
	if err := m.draft("routing id"); err != nil {
		return 0, err
	}
	id := m.msg.RoutingID()
	if id < 0 {
		return 0, wrapError("routing id", "", "", syscall.Errno(-id))
	}
	return uint32(id), nil
}

// SetRoutingID makes m a message for the peer of a SERVER or PEER with a routing id,
// which is not 0; send it with SendMessage. Slices that Bytes returned before are not
// valid afterwards. The id stays until m is sent, closed, or received into. ErrNotSupported
// without the draft API. zmq_msg_set_routing_id.
func (m *Message) SetRoutingID(routingID uint32) error {
	if err := m.draft("routing id"); err != nil {
		return err
	}
	if routingID == 0 {
		return &Error{Op: "routing id", Errno: syscall.EINVAL, Detail: "0 is no routing id; use the one that came with a message, or that ConnectPeer returned"}
	}
	if rc := m.msg.SetRoutingID(routingID); rc < 0 {
		return wrapError("routing id", "", "", syscall.Errno(-rc))
	}
	return nil
}

// draft says what keeps a Message from what needs the draft API.
func (m *Message) draft(op string) error {
	if err := m.usable(op); err != nil {
		return err
	}
	if err := libzmq.Load(); err != nil {
		return &Error{Op: op, Errno: syscall.ENOENT, Detail: err.Error(), cause: err}
	}
	if !libzmq.Has("draft") {
		return noDraft(op, "messages have none")
	}
	return nil
}

// noDraft is what needs the draft API fails with where it is missing.
func noDraft(op, what string) error {
	return &Error{Op: op, Errno: syscall.ENOTSUP, Detail: what + ": the libzmq in use was built without its draft API; make libzmq builds one that has it, to be named by GOZMQ_LIBRARY"}
}

// AppendTo adds a message of one part, which is copied, for the peer of a SERVER or
// PEER with a routing id. Otherwise it is as Append. zmq_msg_set_routing_id.
func (b *Batch) AppendTo(routingID uint32, part []byte) error {
	switch {
	case b == nil:
		return errNilBatch("append")
	case routingID == 0:
		return &Error{Op: "append", Errno: syscall.EINVAL, Detail: "0 is no routing id; use the one that came with a message, or that ConnectPeer returned"}
	case !libzmq.Has("draft"):
		return noDraft("append", "messages have no routing id")
	}
	return wrapError("append", "", "", b.core.AppendAddressed(part, func(m *libzmq.Msg) int { return m.SetRoutingID(routingID) }))
}
