package zmq

import (
	"context"
	"net/netip"
	"strings"
	"syscall"
)

// This file holds what DGRAM sockets need. A DGRAM that is bound to an endpoint such as
// "udp://127.0.0.1:5555", or "udp://*:*" for any port, exchanges UDP datagrams over IPv4.
// Its messages have two parts, the peer's address and the datagram. They can be lost like
// any datagram. The type is a draft: it needs a libzmq that was built with its draft API
// (Has("draft")).

// SendDatagram sends a datagram of at most 8192 bytes from a bound DGRAM to an IPv4
// address. The bytes are copied. It blocks like Send does while the queue is full. Any
// goroutine may call it. The error is EINVAL if the address is not IPv4 or its port is 0,
// and ErrNotSupported on other socket types.
//
// Implements: zmq_send.
func (s *Socket) SendDatagram(ctx context.Context, to netip.AddrPort, datagram []byte, flags ...Flag) error {
	if err := s.datagrams(ctx, "send"); err != nil {
		return err
	}
	if addr := to.Addr().Unmap(); addr.Is4() && to.Port() != 0 {
		var text [24]byte
		address := netip.AddrPortFrom(addr, to.Port()).AppendTo(text[:0])
		return s.SendMultipart(ctx, [][]byte{address, datagram}, flags...)
	}
	return &Error{Op: "send", Errno: syscall.EINVAL, Detail: to.String() + " is not an IPv4 address with a port; libzmq sends datagrams only over IPv4"}
}

// RecvDatagram receives a datagram into buf on a DGRAM, and returns its length and the
// address of its sender. It blocks and truncates like Recv does. On other socket types
// the error is ErrNotSupported.
//
// Implements: zmq_msg_recv.
func (s *Socket) RecvDatagram(ctx context.Context, buf []byte, flags ...Flag) (n int, from netip.AddrPort, err error) {
	if err := s.datagrams(ctx, "recv"); err != nil {
		return 0, from, err
	}
	var p Multipart
	defer func() { _ = p.Close() }()
	if err := s.RecvMultipartMessage(ctx, &p, flags...); err != nil {
		return 0, from, err
	}
	if len(p) == 2 {
		from, err = netip.ParseAddrPort(strings.TrimSuffix(string(p[0].Bytes()), "\x00"))
	}
	if len(p) != 2 || err != nil {
		return 0, from, &Error{Op: "recv", Errno: syscall.EPROTO, Detail: "the message is not an address and a datagram; receive only with RecvDatagram, or only whole messages"}
	}
	n = copy(buf, p[1].Bytes())
	if size := p[1].Len(); size > n {
		return n, from, &TruncatedError{Size: size}
	}
	return n, from, nil
}

// datagrams returns an error if the socket cannot send and receive datagrams.
func (s *Socket) datagrams(ctx context.Context, op string) error {
	if _, err := s.begin(ctx, op); err != nil {
		return err
	}
	if s.Type() != Dgram {
		return &Error{Op: op, Errno: syscall.ENOTSUP, Detail: "only DGRAM sockets send and receive datagrams, not a " + s.Type().String()}
	}
	return nil
}
