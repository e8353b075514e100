package follow

import (
	"context"
	"encoding/binary"
	"net"
	"sync"
	"time"
)

// Package net looks up names but does not tell how long the answers are good for. A listener
// reads the answers that pass through the connections of a resolver.
type listener struct {
	mu   sync.Mutex
	best time.Duration // the shortest TTL so far; 0: none
}

// heard returns a copy of a resolver whose answers are heard.
func heard(r *net.Resolver) (*listener, *net.Resolver) {
	if r == nil {
		r = net.DefaultResolver
	}
	dial := r.Dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	l := &listener{}
	return l, &net.Resolver{PreferGo: true, StrictErrors: r.StrictErrors, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if p, packets := c.(net.PacketConn); packets { // package net must see it: TCP frames its messages
			return &packetConn{heardConn: heardConn{Conn: c, to: l}, PacketConn: p}, nil
		}
		return &streamConn{heardConn: heardConn{Conn: c, to: l}}, nil
	}}
}

// ttl returns how long the answers are good for.
func (l *listener) ttl() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.best == 0 {
		return unknownTTL
	}
	return min(max(l.best, minTTL), maxTTL)
}

// hear reads an answer.
func (l *listener) hear(message []byte) {
	ttl, ok := answerTTL(message)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if ttl = max(ttl, minTTL); l.best == 0 || ttl < l.best {
		l.best = ttl
	}
}

type heardConn struct {
	net.Conn
	to *listener
}

// A packetConn is a UDP connection, of which each read is a message.
type packetConn struct {
	heardConn
	net.PacketConn // so that package net takes it for one; it calls Read and Write
}

func (c *packetConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err == nil {
		c.to.hear(p[:n])
	}
	return n, err
}

// These are ambiguous between the two embedded interfaces.
func (c *packetConn) Close() error                       { return c.Conn.Close() }
func (c *packetConn) LocalAddr() net.Addr                { return c.Conn.LocalAddr() }
func (c *packetConn) SetDeadline(t time.Time) error      { return c.Conn.SetDeadline(t) }
func (c *packetConn) SetReadDeadline(t time.Time) error  { return c.Conn.SetReadDeadline(t) }
func (c *packetConn) SetWriteDeadline(t time.Time) error { return c.Conn.SetWriteDeadline(t) }

// A streamConn is a TCP connection. Package net reads the length of a message first, and then
// the message.
type streamConn struct {
	heardConn
	message []byte // with its length before it
}

func (c *streamConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.message = append(c.message, p[:n]...)
	if len(c.message) > 2 && len(c.message)-2 == int(binary.BigEndian.Uint16(c.message)) {
		c.to.hear(c.message[2:])
		c.message = nil
	}
	return n, err
}

// answerTTL returns the shortest TTL among the answers of a DNS message (RFC 1035, section 4.1). It
// returns false if there are none, or if the message is malformed.
func answerTTL(m []byte) (ttl time.Duration, ok bool) {
	if len(m) < 12 {
		return 0, false
	}
	questions, answers := binary.BigEndian.Uint16(m[4:]), binary.BigEndian.Uint16(m[6:])
	rest := m[12:]
	for range questions {
		if rest = skipName(rest); len(rest) < 4 {
			return 0, false
		}
		rest = rest[4:]
	}
	for range answers {
		// The name, then type, class, TTL, length and data.
		if rest = skipName(rest); len(rest) < 10 {
			return 0, false
		}
		this := time.Duration(binary.BigEndian.Uint32(rest[4:])) * time.Second
		if !ok || this < ttl {
			ttl, ok = this, true
		}
		size := 10 + int(binary.BigEndian.Uint16(rest[8:]))
		if len(rest) < size {
			return 0, false
		}
		rest = rest[size:]
	}
	return ttl, ok
}

// skipName returns what follows a name, or nil if the name is malformed.
func skipName(m []byte) []byte {
	for len(m) > 0 {
		switch n := int(m[0]); {
		case n == 0:
			return m[1:]
		case n >= 0xc0: // a pointer to the rest of the name
			if len(m) < 2 {
				return nil
			}
			return m[2:]
		case len(m) < 1+n:
			return nil
		default:
			m = m[1+n:]
		}
	}
	return nil
}
