package zmq

import (
	"context"

	"github.com/go-zmq/go-zmq/internal/core"
)

const opWait = "wait"

// TrackConnections makes the sockets of a context count their connections, which
// WaitConnected needs. A socket counts from its first Bind or Connect. The default is
// true. With false, WaitConnected returns ErrNotSupported on sockets that are bound or
// connected afterwards.
//
// With true, each socket that uses tcp, ipc or another transport with a handshake needs a
// monitor, which takes one more socket inside libzmq and one file descriptor. MaxSockets
// does not count that socket. The first Bind or Connect takes 20 to 40 microseconds
// longer. Inproc costs nothing.
//
// libzmq has no such option.
var TrackConnections = defineContext[bool](optionSpec{number: core.TrackConnections, name: "TRACK_CONNECTIONS", goName: "TrackConnections", kind: kindBool, access: setGet, def: true})

// WaitConnected blocks until the number of the socket's connections is at least peers, or
// until ctx is done; the error then wraps ctx.Err(). Existing connections count,
// regardless of which side initiated them. A closed socket returns ErrClosed, and a
// context that was shut down returns ErrTerminated. With TrackConnections off, the error
// is ErrNotSupported.
//
// A connection counts from the success of its handshake, which includes authentication,
// until it ends. Over inproc it counts when one socket has bound the name and another has
// connected to it. Two connections to one peer count as two. Connections over udp, pgm and
// norm, and those to peers that speak ZMTP 2 or older, do not count.
//
// On a STREAM or a raw ROUTER, every TCP connection counts. If a STREAM closes a
// connection by sending it an empty part, the connection is subtracted at once. A
// connection that a raw ROUTER closes counts until libzmq reuses its descriptor. If
// RouterHandover gives a routing ID to a new peer, the old peer's connection counts until
// it ends.
//
// A connected peer may not have subscribed yet; see WaitSubscribers.
//
// libzmq has no such function.
func (s *Socket) WaitConnected(ctx context.Context, peers int) error {
	c, err := s.begin(ctx, opWait)
	if err != nil {
		return err
	}
	return wrapError(opWait, "", "", c.WaitPeers(ctx, peers))
}

// WaitSubscribers blocks until the peers of a PUB or XPUB hold at least n subscriptions,
// or until ctx is done; the error then wraps ctx.Err(). It needs
// TrackSubscriptions.To(true) in the settings of NewSocket. A publisher that waits before
// it sends does not lose its first messages. Subscriptions made before the call count. A
// closed socket returns ErrClosed, and a context that was shut down returns
// ErrTerminated.
//
// Each topic of each peer counts as one, including the empty topic. A topic that a peer
// subscribes to twice may count as two. A subscription is subtracted once, when it ends.
//
// WaitSubscribers takes no messages from receivers of an XPUB: the socket keeps them for
// the next Recv. A SUB that binds sends its subscriptions to a new peer only during its
// next call, so a goroutine should be receiving on it.
//
// The error is ErrNotSupported on other socket types and without TrackSubscriptions.
//
// libzmq has no such function.
func (s *Socket) WaitSubscribers(ctx context.Context, n int) error {
	c, err := s.begin(ctx, opWait)
	if err != nil {
		return err
	}
	return wrapError(opWait, "", "", c.WaitSubscriptions(ctx, n))
}
