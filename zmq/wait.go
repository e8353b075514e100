package zmq

import "context"

const opWait = "wait"

// TrackConnections makes the sockets of a context count their connections from the
// first Bind or Connect on, which is what WaitConnected needs to know of those that
// are there already. Default true. It costs each socket that uses tcp, ipc or another
// transport with a handshake one socket inside libzmq, with one file descriptor, and
// 20 to 40 microseconds at its first Bind or Connect; MaxSockets does not count it.
// Inproc costs nothing. With false, WaitConnected is ErrNotSupported on sockets that
// are attached afterwards.
//
// libzmq's own: zmq_socket_monitor.
var TrackConnections = ContextOption[bool]{spec: &contextSpec{
	number: numTrackConnections, name: "TRACK_CONNECTIONS", access: setGet, def: true, min: 0, max: 1,
}}

// WaitConnected waits until the socket has at least as many connections over which
// messages can flow, whichever side began them and however long ago; or until ctx
// ends, whose error it then wraps, the socket is closed (ErrClosed) or its context
// shut down (ErrTerminated). Any number of goroutines may wait.
//
// A connection counts from the success of its handshake, which includes its
// authentication, until it ends. Over inproc there is no handshake: a connection
// counts when the name is bound by one socket and connected to by another; while libzmq
// is ending another connection of the socket, it may reach the new peer a moment later.
// A socket that has two connections to one peer counts two. Not counted are what libzmq
// does not report: udp, pgm and norm, peers that speak a ZMTP before 3.0, and of a STREAM
// or raw ROUTER socket nothing is known but that the connection exists, so that counts.
//
// That the peer is connected does not mean that a subscription of its has arrived; see
// WaitSubscribers. With TrackConnections off it fails with ErrNotSupported. It uses
// zmq_socket_monitor.
func (s *Socket) WaitConnected(ctx context.Context, peers int) error {
	c, err := s.live(opWait)
	if err != nil {
		return err
	}
	return wrapError(opWait, "", "", c.WaitPeers(ctx, peers))
}

// Connections returns how many connections the socket has at this moment, counted as
// WaitConnected does; after Close and with TrackConnections off it says nothing. It
// does not wait. It uses zmq_socket_monitor.
func (s *Socket) Connections() int {
	c, err := s.live(opWait)
	if err != nil {
		return 0
	}
	return c.Connections()
}

// WaitSubscribers waits until the peers of a PUB or XPUB socket hold at least n
// subscriptions, however long ago they were made, so that what is published next is
// not lost for want of a subscriber; or until ctx ends, whose error it then wraps, the
// socket is closed (ErrClosed) or its context shut down (ErrTerminated). Any number of
// goroutines may wait.
//
// What is counted is subscriptions: a peer that subscribes to two topics counts two,
// and a subscription to the empty topic is one, too. One that is cancelled, or whose
// peer leaves, is taken off: of a PUB, and of an XPUB with XPubVerboser, at once, of
// another XPUB when it was the topic's last, for that is what libzmq tells of. A peer
// that subscribes to a topic twice may count twice. Nothing is taken away from who
// receives from an XPUB: what arrives meanwhile is kept for the next Recv. Once the
// socket's FD was asked for, or it was given to a poller or a proxy, only the first
// subscription to each topic is counted, as libzmq reports no others, unless XPubVerbose
// or XPubVerboser is set.
//
// A SUB that was bound, and not connected, sends its subscriptions to a new peer
// within its next call, for that is when libzmq looks: it should be receiving.
//
// It fails with ErrNotSupported on other types of sockets, on a PUB with Conflate and
// on an XPUB with XPubManual. To be told of subscriptions, a PUB is an XPUB inside
// libzmq, and its peers see that as their message's property "Socket-Type".
// ZMQ_XPUB_VERBOSE, ZMQ_XPUB_VERBOSER.
func (s *Socket) WaitSubscribers(ctx context.Context, n int) error {
	c, err := s.live(opWait)
	if err != nil {
		return err
	}
	return wrapError(opWait, "", "", c.WaitSubscriptions(ctx, n))
}
