package zmq

import (
	"context"
	"net/netip"
	"strings"
	"syscall"
)

// A DGRAM, once it is bound to an endpoint such as "udp://127.0.0.1:5555", or
// "udp://*:*" for any port, exchanges plain UDP datagrams with anyone, over IPv4. Its
// messages have two parts, the peer's address and the datagram, and can be lost as any
// datagram. The type is a draft: it needs a libzmq that was built with its draft API
// (Has("draft")).

// SendDatagram sends a datagram of at most 8192 bytes by a DGRAM, which has to be
// bound. It waits as Send does while the queue is full. The bytes are copied. Any
// goroutine may call it. zmq_send.
func (s *Socket) SendDatagram(to netip.AddrPort, datagram []byte, flags ...Flag) error {
	return s.sendDatagram(nil, to, datagram, flagsOf(flags))
}

// SendDatagramContext is SendDatagram, and ends when ctx does: then nothing was sent,
// and the error wraps ctx.Err(). zmq_send.
func (s *Socket) SendDatagramContext(ctx context.Context, to netip.AddrPort, datagram []byte, flags ...Flag) error {
	return s.sendDatagram(ctx, to, datagram, flagsOf(flags))
}

func (s *Socket) sendDatagram(ctx context.Context, to netip.AddrPort, datagram []byte, f Flag) error {
	if err := s.datagrams("send"); err != nil {
		return err
	}
	if addr := to.Addr().Unmap(); addr.Is4() && to.Port() != 0 {
		var text [24]byte
		address := netip.AddrPortFrom(addr, to.Port()).AppendTo(text[:0])
		return s.sendMultipart(ctx, [][]byte{address, datagram}, f)
	}
	return &Error{Op: "send", Errno: syscall.EINVAL, Detail: to.String() + " is no IPv4 address and port; libzmq sends datagrams to no others"}
}

// RecvDatagram receives a datagram by a DGRAM, as Recv does a part, and returns whom
// it came from. zmq_msg_recv.
func (s *Socket) RecvDatagram(buf []byte, flags ...Flag) (n int, from netip.AddrPort, err error) {
	return s.recvDatagram(nil, buf, flagsOf(flags))
}

// RecvDatagramContext is RecvDatagram, and ends when ctx does, as RecvContext.
// zmq_msg_recv.
func (s *Socket) RecvDatagramContext(ctx context.Context, buf []byte, flags ...Flag) (n int, from netip.AddrPort, err error) {
	return s.recvDatagram(ctx, buf, flagsOf(flags))
}

func (s *Socket) recvDatagram(ctx context.Context, buf []byte, f Flag) (n int, from netip.AddrPort, err error) {
	if err := s.datagrams("recv"); err != nil {
		return 0, from, err
	}
	var p Multipart
	defer func() { _ = p.Close() }()
	if err := s.recvMultipartMessage(ctx, &p, f); err != nil {
		return 0, from, err
	}
	if len(p) == 2 {
		from, err = netip.ParseAddrPort(strings.TrimSuffix(string(p[0].Bytes()), "\x00"))
	}
	if len(p) != 2 || err != nil {
		return 0, from, &Error{Op: "recv", Errno: syscall.EPROTO, Detail: "not an address and a datagram; parts were received by another call"}
	}
	n = copy(buf, p[1].Bytes())
	if size := p[1].Len(); size > n {
		return n, from, &TruncatedError{Size: size}
	}
	return n, from, nil
}

// datagrams says why the socket has none.
func (s *Socket) datagrams(op string) error {
	if _, err := s.live(op); err != nil {
		return err
	}
	if s.Type() != Dgram {
		return &Error{Op: op, Errno: syscall.ENOTSUP, Detail: "only DGRAM sockets send and receive datagrams, not a " + s.Type().String()}
	}
	return nil
}
