package zmq

import (
	"fmt"
	"syscall"
	"time"
)

// The limits of [Heartbeat]. Below the first, a busy network would end good connections, and
// libzmq counts the TTL in tenths of a second. The others bound the handshake, which may have to ask
// an authenticator.
const (
	minHeartbeat     = 200 * time.Millisecond
	maxHeartbeat     = time.Hour
	minHandshake     = 5 * time.Second
	defaultHandshake = 30 * time.Second
)

// Heartbeat returns a setting with which a socket notices peers that vanish without a word: a
// lost host, an unplugged cable, a firewall that drops packets. The connection of such a
// peer ends, and a monitor reports it, within twice the interval. It sets
//
//   - HeartbeatInterval to interval: a ping to each peer
//   - HeartbeatTimeout to 3/4 of it: how long the answer may take
//   - HeartbeatTTL to 3/2 of it: after this long without a ping, the peer ends the connection
//   - HandshakeInterval to twice the interval, but at least 5 s and at most 30 s
//
// The interval is from 200 ms to 1 h; 5 s suits most services. 0 turns heartbeats off and sets
// HandshakeInterval to its default. Other values return EINVAL, as does a STREAM, which speaks plain
// TCP; use TCPKeepalive there. SocketDefaults skips the setting for STREAM.
//
// Set it on both sides: libzmq forgets the TTL of its peer when any message arrives. Once
// its queue and the buffers on the way are full, a peer that is alive but does not read cannot be
// told from a lost one, and a socket that is stuck sending to it sends no ping. A socket that
// connects and receives needs more: see the comment of HeartbeatInterval.
//
// Implements: zmq_setsockopt(ZMQ_HEARTBEAT_IVL, ZMQ_HEARTBEAT_TIMEOUT, ZMQ_HEARTBEAT_TTL,
// ZMQ_HANDSHAKE_IVL).
func Heartbeat(interval time.Duration) Setting {
	return Setting{types: HandshakeInterval.spec.types, apply: func(s *Socket) error {
		fail := func(format string, args ...any) error {
			return &Error{Op: opSet, Option: "Heartbeat", Errno: syscall.EINVAL, Detail: fmt.Sprintf(format, args...)}
		}
		switch {
		case s.Type() == Stream:
			return fail("a STREAM speaks plain TCP, which has no heartbeats; use TCPKeepalive")
		case interval != 0 && (interval < minHeartbeat || interval > maxHeartbeat):
			return fail("%v is not an interval from %v to %v, or 0 for none", interval, minHeartbeat, maxHeartbeat)
		}
		handshake := min(max(2*interval, minHandshake), defaultHandshake)
		if interval == 0 {
			handshake = defaultHandshake
		}
		return s.apply([]Setting{
			HeartbeatInterval.To(interval), HeartbeatTimeout.To(interval * 3 / 4),
			HeartbeatTTL.To((interval * 3 / 2).Truncate(100 * time.Millisecond)), HandshakeInterval.To(handshake),
		})
	}}
}
