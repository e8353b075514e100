package zmq

import "time"

// The options in this file and its neighbours are the variables of one table
// (option_table.go). For all of them holds, unless the comment says otherwise:
//
//   - every type of socket takes them, and they can be both set and read;
//   - those that shape connections count for the Bind and Connect calls that come
//     after, and leave existing connections as they are;
//   - durations are rounded up to libzmq's milliseconds, and a negative duration
//     means no limit, which Get returns as -1;
//   - setting and reading do not block, and any goroutine may do it.

// Queues and sizes.
var (
	// SendHWM is how many messages may wait to be sent to one peer, before a send
	// waits or drops the message, as the type of the socket prescribes. Unit:
	// messages; 0 is no limit; default 1000. It is kept for each connection
	// separately; over inproc the receiver's RecvHWM adds to it.
	//
	// It may not change after the first Bind or Connect, at which libzmq could
	// crash.
	//
	// libzmq: ZMQ_SNDHWM.
	SendHWM = known[int](23)

	// RecvHWM is how many messages of one peer may wait to be received. When they
	// are that many, the socket stops to read from that peer. Unit: messages; 0 is
	// no limit; default 1000.
	//
	// It may not change after the first Bind or Connect. A value of 1 cannot be
	// combined with authentication (ZapDomain, PlainServer, CurveServer): no
	// message would ever arrive, and Bind and Connect refuse it.
	//
	// libzmq: ZMQ_RCVHWM.
	RecvHWM = known[int](numRecvHWM)

	// MaxMessageSize is the longest part that the socket accepts from a peer over
	// a network; a peer that sends a longer one is disconnected. Unit: bytes; -1 is
	// no limit; default -1.
	//
	// libzmq: ZMQ_MAXMSGSIZE.
	MaxMessageSize = known[int64](22)

	// Conflate keeps only the last message: each new one replaces the one that
	// waits. Default false. For PULL, PUSH, SUB, PUB and DEALER, and for messages
	// of one part only: others are not sent, and a peer that sends several parts to a socket that conflates
	// aborts the process, so it is not for peers that are not trusted. libzmq loses
	// the memory of some messages above 33 bytes that are replaced while the receiver
	// takes the one before: docs/safety.md has the figures.
	//
	// It may not change after the first Bind or Connect.
	//
	// libzmq: ZMQ_CONFLATE.
	Conflate = known[bool](54)

	// SendBuffer is the size of the kernel's send buffer for each connection.
	// Unit: bytes; -1 leaves it to the system; default -1.
	//
	// libzmq: ZMQ_SNDBUF.
	SendBuffer = known[int](11)

	// RecvBuffer is the size of the kernel's receive buffer for each connection.
	// Unit: bytes; -1 leaves it to the system; default -1.
	//
	// libzmq: ZMQ_RCVBUF.
	RecvBuffer = known[int](12)

	// Backlog is how many connections a listener lets wait to be accepted; the
	// system has a limit too. Unit: connections; default 100.
	//
	// libzmq: ZMQ_BACKLOG.
	Backlog = known[int](19)

	// Affinity says which of the context's I/O threads (IOThreads) serve the
	// connections of the socket: bit 0 is the first thread, and so on. Default 0,
	// which is all of them. If none of the bits is an I/O thread of the context,
	// Bind and Connect fail.
	//
	// libzmq: ZMQ_AFFINITY.
	Affinity = known[uint64](numAffinity)
)

// Timeouts and reconnection.
var (
	// Linger is how long a closed socket goes on sending what it has accepted, in
	// the background; closing the context waits for it. 0 drops unsent messages at
	// once, a negative duration waits for ever. libzmq's default, which Get
	// returns, is for ever, and 0 for SUB, XSUB and DISH. A socket whose Linger was
	// never set lingers for one second here, or until the deadline of CloseContext,
	// and not at all if it is one of those three: what they send are subscriptions. A
	// socket that has sent messages of several parts lingers for at least 100 ms, since
	// libzmq does not bear to stop in the middle of one. The period counts at any
	// time, also for the connections that Disconnect and Unbind end: they linger from
	// then on, and with a negative duration keep the context from closing until their
	// peer has taken the messages.
	//
	// libzmq: ZMQ_LINGER.
	Linger = known[time.Duration](17)

	// SendTimeout is how long a send waits before it fails with ErrAgain (which
	// then is os.ErrDeadlineExceeded too). 0 does not wait; a negative duration
	// waits for ever, the default. It counts for the sends that begin after it; a
	// context.Context can end a send sooner.
	//
	// libzmq: ZMQ_SNDTIMEO.
	SendTimeout = known[time.Duration](numSendTimeout)

	// RecvTimeout is how long a receive waits before it fails with ErrAgain (which
	// then is os.ErrDeadlineExceeded too). 0 does not wait; a negative duration
	// waits for ever, the default. It counts for the receives that begin after it;
	// a context.Context can end a receive sooner.
	//
	// libzmq: ZMQ_RCVTIMEO.
	RecvTimeout = known[time.Duration](numRecvTimeout)

	// ReadAhead is how many messages a receive may take from libzmq at once, in one
	// crossing; the socket keeps the others ready for the receives that follow, of
	// any kind. Default 0, which is none. It makes a loop of receives several times
	// cheaper, and has a price. The messages that are kept, up to that many, come on
	// top of RecvHWM, so a sender is stopped later. What one socket of several that
	// share the work has taken does not go to its neighbours. What is kept when the
	// socket is closed is lost, as what libzmq holds then. Up to 8 KiB that a Message
	// held before it was received into are released with the next crossing only.
	//
	// It counts for the receives that begin after it; what is kept already is handed
	// out first, in order, also after a change to 0. The socket counts as readable
	// while it keeps messages. REQ, REP and XPUB sockets, those that cannot receive,
	// and those with Conflate do not have it: ErrNotSupported.
	//
	// libzmq has no such option.
	ReadAhead = known[int](numReadAhead)

	// ReconnectInterval is how long the socket waits before it connects again to
	// a peer that was lost or never found. Default 100 ms. A negative duration
	// means that it never tries again; where messages of several parts are received,
	// libzmq can abort then, see docs/safety.md.
	//
	// libzmq: ZMQ_RECONNECT_IVL.
	ReconnectInterval = known[time.Duration](18)

	// ReconnectIntervalMax is the limit up to which the interval doubles with each
	// attempt that fails. Default 0: it stays at ReconnectInterval.
	//
	// libzmq: ZMQ_RECONNECT_IVL_MAX.
	ReconnectIntervalMax = known[time.Duration](21)

	// ConnectTimeout is how long one attempt to connect over TCP may take. Default
	// 0: as long as the system allows; so does a negative duration.
	//
	// libzmq: ZMQ_CONNECT_TIMEOUT.
	ConnectTimeout = known[time.Duration](79)

	// HandshakeInterval is how long the two sides of a new connection may take to
	// greet and to authenticate each other. Default 30 s; 0 or a negative duration
	// is no limit. All types but STREAM.
	//
	// libzmq: ZMQ_HANDSHAKE_IVL.
	HandshakeInterval = known[time.Duration](66)

	// Immediate makes the socket queue messages only for peers to which it is
	// connected at that moment; without it, they also queue for peers that are yet
	// to be found. Default false.
	//
	// It may not change after the first Bind or Connect, at which libzmq could
	// abort the process. So it can when the connection is lost by which a message of
	// several parts is just arriving, see docs/safety.md.
	//
	// libzmq: ZMQ_IMMEDIATE.
	Immediate = known[bool](numImmediate)

	// HeartbeatInterval is how often the socket pings its peers over the network.
	// Default 0: never. On a socket that connects and receives, set RecvHWM to 0, too:
	// while its queue is full libzmq misses the answers, connects anew, and can abort
	// when the queue is read, see docs/safety.md. It is not for WebSockets without PLAIN
	// or CURVE.
	//
	// libzmq: ZMQ_HEARTBEAT_IVL.
	HeartbeatInterval = known[time.Duration](75)

	// HeartbeatTimeout is how long the socket waits for the answer to a ping
	// before it gives the connection up. Get returns -1, the default, for as long
	// as HeartbeatInterval; that cannot be set again.
	//
	// libzmq: ZMQ_HEARTBEAT_TIMEOUT.
	HeartbeatTimeout = known[time.Duration](77)

	// HeartbeatTTL is how long a peer is told to wait for this socket's next ping
	// before the peer gives the connection up. Rounded up to tenths of a second;
	// at most 6553.5 s. Default 0: the peer is told nothing.
	//
	// libzmq: ZMQ_HEARTBEAT_TTL.
	HeartbeatTTL = known[time.Duration](76)
)

// What a socket is and what state it is in. These can only be read, except
// RoutingID.
var (
	// Type is the type of the socket. Socket.Type returns it without an error.
	//
	// libzmq: ZMQ_TYPE.
	Type = known[SocketType](numType)

	// RoutingID is the name by which the peers of this socket know it when they
	// are ROUTER sockets; unset, they make one up. 1 to 255 bytes that do not
	// begin with zero. Get returns an empty slice when it is unset. REQ, REP, ROUTER
	// and DEALER take it. Two peers of one ROUTER must not have the same.
	//
	// libzmq: ZMQ_ROUTING_ID.
	RoutingID = known[[]byte](numRoutingID)

	// LastEndpoint is the endpoint of the last Bind or Connect, wildcards resolved:
	// after Bind("tcp://127.0.0.1:*") it has the port. Empty before that.
	// Socket.LastEndpoint does the same.
	//
	// libzmq: ZMQ_LAST_ENDPOINT.
	LastEndpoint = known[string](numLastEndpoint)

	// RecvMore tells whether the part that was just received has a successor, as
	// Socket.RecvMore does.
	//
	// libzmq: ZMQ_RCVMORE.
	RecvMore = known[bool](numRecvMore)

	// Events is what the socket could do now: bit 0 that there is a message to
	// receive, bit 1 that one could be sent. ROUTER, STREAM, PUB and XPUB always
	// have the second, even when a send to a full peer would wait. To wait for
	// events use package poller.
	//
	// libzmq: ZMQ_EVENTS.
	Events = known[int](15)

	// FD is a file descriptor that becomes readable when the state of the socket
	// may have changed; it is not a sign of a message. It is a duplicate that
	// belongs to the socket and is closed with it: libzmq's own must not be handed
	// out, since closing that one aborts the process. Never read, write or close
	// it; package poller uses it correctly.
	//
	// libzmq: ZMQ_FD.
	FD = known[int](numFD)

	// Mechanism is the security mechanism that follows from the options set so
	// far. Default MechanismNull.
	//
	// libzmq: ZMQ_MECHANISM.
	Mechanism = known[SecurityMechanism](numMechanism)

	// ThreadSafe tells whether libzmq's own socket may be used by several threads,
	// as those of some draft types may. A Socket always may.
	//
	// libzmq: ZMQ_THREAD_SAFE.
	ThreadSafe = known[bool](81)
)
