package zmq

import (
	"context"
	"errors"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/rules"
)

// This file holds what RADIO and DISH sockets need. A RADIO sends each message to a
// group. A DISH receives the messages of the groups that it has joined. A group is a name
// of at most 14 bytes. These types are drafts: they need a libzmq that was built with its
// draft API (Has("draft")).

// Join makes a DISH receive the messages of group. It does not wait until a RADIO knows
// of the membership. Any goroutine may call Join.
//
// A group has at most 14 bytes, none of them NUL. Other names return EINVAL, because
// libzmq would free the memory of a longer name more than once. Joining a group twice also
// returns EINVAL. On other socket types the error is ErrNotSupported.
//
// Implements: zmq_join.
func (s *Socket) Join(group string) error {
	return s.member("join", group, "the socket is already in the group", libzmq.Join)
}

// Leave makes a DISH stop receiving the messages of group. The error is EINVAL if the
// socket is not in the group. It otherwise behaves like Join.
//
// Implements: zmq_leave.
func (s *Socket) Leave(group string) error {
	return s.member("leave", group, "the socket is not in the group", libzmq.Leave)
}

func (s *Socket) member(op, group, refused string, call func(libzmq.Socket, string) int) error {
	c, err := s.live(op)
	if err != nil {
		return err
	}
	if s.Type() != Dish {
		return &Error{Op: op, Errno: syscall.ENOTSUP, Detail: "only DISH sockets join groups, not a " + s.Type().String()}
	}
	if err := rules.CheckGroup(group); err != nil {
		return wrapError(op, "", "", err)
	}
	_, err = c.Configure(func(h libzmq.Socket) int { return call(h, group) })
	if errors.Is(err, syscall.EINVAL) {
		return &Error{Op: op, Errno: syscall.EINVAL, Detail: refused}
	}
	return wrapError(op, "", "", err)
}

// SendGroup sends part, as a message of its own, to the members of group. The socket must
// be a RADIO. The bytes are copied. Any goroutine may call it.
//
// Members whose queue is full do not receive the message. With XPubNoDrop, SendGroup
// blocks instead, like Send does. Without members the message is dropped. Over udp, the
// group and the part together have at most 8191 bytes. SendMore, and a group that Join
// refuses, return EINVAL. On other socket types the error is ErrNotSupported.
//
// Implements: zmq_msg_set_group, zmq_msg_send.
func (s *Socket) SendGroup(ctx context.Context, group string, part []byte, flags ...Flag) error {
	c, dontWait, err := s.beginWhole(ctx, flags)
	if err != nil {
		return err
	}
	return sendError(c.SendGroup(ctx, group, part, dontWait))
}

// RecvGroup receives one part like Recv does, and also returns the group that it was sent
// to. On types other than DISH the group is "".
//
// Implements: zmq_msg_recv, zmq_msg_group.
func (s *Socket) RecvGroup(ctx context.Context, buf []byte, flags ...Flag) (n int, group string, err error) {
	n, _, group, err = s.recvAddressed(ctx, buf, flags)
	return n, group, err
}

// Group returns the group that m was sent to, if a DISH received it, or the group that
// SetGroup set. It is "" if there is none. A RADIO that sends m sends it to that group.
// Group does not block. Without the draft API the error is ErrNotSupported.
//
// Implements: zmq_msg_group.
func (m *Message) Group() (string, error) {
	if err := m.draft("group"); err != nil {
		return "", err
	}
	group, rc := m.msg[0].Group()
	return group, codeError("group", rc)
}

// SetGroup addresses m to the members of group, which has at most 14 bytes. Send m with
// SendMessage on a RADIO. Slices that Bytes returned earlier become invalid. The group
// stays until m is sent, closed or received into. Without the draft API the error is
// ErrNotSupported.
//
// Implements: zmq_msg_set_group.
func (m *Message) SetGroup(group string) error {
	if err := m.draft("group"); err != nil {
		return err
	}
	if err := rules.CheckGroup(group); err != nil {
		return wrapError("group", "", "", err)
	}
	return codeError("group", m.msg[0].SetGroup(group))
}

// AppendGroup adds a message of one part for the members of group. Send the batch on a
// RADIO. The bytes are copied. Without the draft API the error is ErrNotSupported. It
// otherwise behaves like Append.
//
// Implements: zmq_msg_set_group.
func (b *Batch) AppendGroup(group string, part []byte) error {
	if err := needs("append", needsDraft, "groups"); err != nil {
		return err
	}
	if err := rules.CheckGroup(group); err != nil {
		return wrapError("append", "", "", err)
	}
	return wrapError("append", "", "", b.inner().AppendAddressed(0, group, part))
}
