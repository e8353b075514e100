package zmq

import (
	"context"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// A RADIO sends each message to a group, and a DISH receives those of the groups that
// it has joined; a group is a name of up to 14 bytes. The types, and what is in this
// file, are drafts: they need a libzmq that was built with its draft API
// (Has("draft")).

// Join lets the messages of a group through to a DISH. A group has at most 14 bytes,
// none of them NUL: libzmq takes more, but frees the memory of a longer name once for
// each receiver. It does not wait: the RADIO learns of it a little later. Joining a
// group a second time fails with EINVAL, and on other types with ErrNotSupported.
// Any goroutine may call it. zmq_join.
func (s *Socket) Join(group string) error {
	return s.member("join", group, "the socket is in the group already", (*core.Socket).Join)
}

// Leave ends a Join. It fails with EINVAL when the socket is not in the group.
// zmq_leave.
func (s *Socket) Leave(group string) error {
	return s.member("leave", group, "the socket is not in the group", (*core.Socket).Leave)
}

func (s *Socket) member(op, group, refused string, call func(*core.Socket, string) error) error {
	c, err := s.live(op)
	if err != nil {
		return err
	}
	if s.Type() != Dish {
		return &Error{Op: op, Errno: syscall.ENOTSUP, Detail: "only DISH sockets are in groups, not a " + s.Type().String()}
	}
	if err := core.CheckGroup(group); err != nil {
		return wrapError(op, "", "", err)
	}
	err = call(c, group)
	if isErrno(err, syscall.EINVAL) {
		return &Error{Op: op, Errno: syscall.EINVAL, Detail: refused}
	}
	return wrapError(op, "", "", err)
}

// SendGroup sends a part, as a message of its own, to the members of a group, on a
// RADIO. Members whose queue is full miss it, unless XPubNoDrop is set: then it waits
// as Send does. Without members it is dropped. The bytes are copied. Over udp, the
// names of the group and the part have at most 8191 bytes together. Any goroutine may
// call it. zmq_msg_set_group, zmq_msg_send.
func (s *Socket) SendGroup(group string, part []byte, flags ...Flag) error {
	return s.sendGroup(nil, group, part, flagsOf(flags))
}

// SendGroupContext is SendGroup, and ends when ctx does: then nothing was sent, and
// the error wraps ctx.Err(). zmq_msg_set_group, zmq_msg_send.
func (s *Socket) SendGroupContext(ctx context.Context, group string, part []byte, flags ...Flag) error {
	return s.sendGroup(ctx, group, part, flagsOf(flags))
}

func (s *Socket) sendGroup(ctx context.Context, group string, part []byte, f Flag) error {
	c, err := s.live("send")
	if err != nil {
		return err
	}
	if f&SendMore != 0 {
		return errSendMoreWhole
	}
	return sendError(c.SendGroup(ctx, group, part, f&DontWait != 0))
}

// RecvGroup is Recv, and also returns the group that the part was sent to: for DISH;
// on other types it is "". zmq_msg_recv, zmq_msg_group.
func (s *Socket) RecvGroup(buf []byte, flags ...Flag) (n int, group string, err error) {
	return s.recvGroup(nil, buf, flagsOf(flags))
}

// RecvGroupContext is RecvGroup, and ends when ctx does, as RecvContext.
// zmq_msg_recv, zmq_msg_group.
func (s *Socket) RecvGroupContext(ctx context.Context, buf []byte, flags ...Flag) (n int, group string, err error) {
	return s.recvGroup(ctx, buf, flagsOf(flags))
}

func (s *Socket) recvGroup(ctx context.Context, buf []byte, f Flag) (int, string, error) {
	c, err := s.live("recv")
	if err != nil {
		return 0, "", err
	}
	size, group, err := c.RecvGroup(ctx, buf, f&DontWait != 0)
	if err != nil {
		return 0, "", recvError(err)
	}
	if size > len(buf) {
		return len(buf), group, &TruncatedError{Size: size}
	}
	return size, group, nil
}

// Group returns the group that m was sent to, when it was received by a DISH, or that
// SetGroup gave it; "" if there is none. A RADIO that sends m sends it to that group.
// It does not block. ErrNotSupported without the draft API. zmq_msg_group.
func (m *Message) Group() (string, error) {
	if err := m.draft("group"); err != nil {
		return "", err
	}
	group, rc := m.msg.Group()
	if rc < 0 {
		return "", wrapError("group", "", "", syscall.Errno(-rc))
	}
	return group, nil
}

// SetGroup makes m a message for the members of a group, of at most 14 bytes; send it
// by a RADIO with SendMessage. Slices that Bytes returned before are not valid
// afterwards. The group stays until m is sent, closed, or received into. ErrNotSupported
// without the draft API. zmq_msg_set_group.
func (m *Message) SetGroup(group string) error {
	if err := m.draft("group"); err != nil {
		return err
	}
	if err := core.CheckGroup(group); err != nil {
		return wrapError("group", "", "", err)
	}
	if rc := m.msg.SetGroup(group); rc < 0 {
		return wrapError("group", "", "", syscall.Errno(-rc))
	}
	return nil
}

// AppendGroup adds a message of one part, which is copied, for the members of a group.
// Otherwise it is as Append. zmq_msg_set_group.
func (b *Batch) AppendGroup(group string, part []byte) error {
	if b == nil {
		return errNilBatch("append")
	}
	if !libzmq.Has("draft") {
		return noDraft("append", "messages have no group")
	}
	if err := core.CheckGroup(group); err != nil {
		return wrapError("append", "", "", err)
	}
	return wrapError("append", "", "", b.core.AppendAddressed(part, func(m *libzmq.Msg) int { return m.SetGroup(group) }))
}
