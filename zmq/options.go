package zmq

import (
	"math"
	"time"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/inbox"
)

// Queues and sizes.
var (
	// SendHWM is the send high-water mark: how many messages may be queued for one peer. At
	// the limit a send blocks or drops the message, depending on the type of the socket.
	// Unit: messages; 0 means no limit; default 1000, but 0 on SUB, XSUB and DISH. Each
	// connection has a queue of its own. Over inproc the limit is the sum of SendHWM and the
	// receiver's RecvHWM, and there is no limit if either of them is 0.
	//
	// It cannot be changed after the first Bind or Connect, because libzmq could crash.
	//
	// SUB and DISH send only subscriptions. libzmq silently drops subscriptions that
	// exceed the limit, and messages on these topics never arrive. Both types therefore
	// refuse every value except 0 with EINVAL, and SocketDefaults skips SendHWM for them.
	//
	// An XSUB, which also sends messages, accepts a limit. Set one if it can send messages
	// faster than its peers receive them. With a limit it loses the subscriptions that
	// exceed it, including those that it repeats after a reconnect. Without a limit, each
	// Subscribe and Unsubscribe uses memory while the publisher is disconnected.
	//
	// Implements: zmq_setsockopt(ZMQ_SNDHWM).
	SendHWM = define[int](optionSpec{number: 23, name: "SNDHWM", goName: "SendHWM", kind: kindInt, access: setGet, unit: "messages", def: 1000, frozen: true, max: maxInt, alsoCheck: checkSendHWM})

	// RecvHWM is the receive high-water mark: how many messages from one peer may be queued.
	// At the limit the socket stops reading from that peer. Unit: messages; 0 means no
	// limit; default 1000. On PUB and XPUB the limit delays subscriptions, but none is lost.
	//
	// It cannot be changed after the first Bind or Connect, because libzmq could crash. With
	// authentication (ZapDomain, PlainServer or CurveServer) and a value of 1, no message
	// would ever arrive, so Bind and Connect return EINVAL.
	//
	// Implements: zmq_setsockopt(ZMQ_RCVHWM).
	RecvHWM = define[int](optionSpec{number: numRecvHWM, name: "RCVHWM", goName: "RecvHWM", kind: kindInt, access: setGet, unit: "messages", def: 1000, frozen: true, max: maxInt})

	// MaxMessageSize is the longest part that the socket accepts from a peer over a
	// network. libzmq disconnects a peer that sends a longer one. Unit: bytes; -1 means no
	// limit; default -1.
	//
	// Implements: zmq_setsockopt(ZMQ_MAXMSGSIZE).
	MaxMessageSize = define[int64](optionSpec{number: 22, name: "MAXMSGSIZE", goName: "MaxMessageSize", kind: kindInt64, access: setGet, unit: "bytes", def: int64(-1), min: -1, max: math.MaxInt64})

	// Conflate keeps only the latest message: each new message replaces the one in the
	// queue. Default false. It is an option of PULL, PUSH, SUB, PUB and DEALER.
	//
	// It works only with messages of one part. Sending a multipart message returns EINVAL. A
	// multipart message from a peer makes libzmq abort the process, so do not use Conflate
	// with peers that you do not trust. libzmq also leaks some messages of more than 33
	// bytes if they are replaced while the receiver takes the previous one. docs/safety.md
	// has the figures.
	//
	// libzmq conflates subscriptions as well. A SUB therefore accepts one topic at a time
	// and refuses a second with EINVAL. A PUB can miss all but the last topic of a peer
	// that connects over a network, so use Conflate only with peers that subscribe to a
	// single topic each.
	//
	// It cannot be changed after the first Bind or Connect. With TrackSubscriptions the
	// error is EINVAL. With ReadAhead above 0 it is ErrNotSupported.
	//
	// Implements: zmq_setsockopt(ZMQ_CONFLATE).
	Conflate = define[bool](optionSpec{number: 54, name: "CONFLATE", goName: "Conflate", kind: kindBool, access: setGet, def: false, types: only(Pull, Push, Sub, Pub, Dealer), frozen: true, alsoCheck: checkConflate})

	// SendBuffer is the size of the kernel's send buffer for each connection. Unit: bytes;
	// -1 means the system's default; default -1.
	//
	// Implements: zmq_setsockopt(ZMQ_SNDBUF).
	SendBuffer = define[int](optionSpec{number: 11, name: "SNDBUF", goName: "SendBuffer", kind: kindInt, access: setGet, unit: "bytes", def: -1, min: -1, max: maxInt})

	// RecvBuffer is the size of the kernel's receive buffer for each connection. Unit:
	// bytes; -1 means the system's default; default -1.
	//
	// Implements: zmq_setsockopt(ZMQ_RCVBUF).
	RecvBuffer = define[int](optionSpec{number: 12, name: "RCVBUF", goName: "RecvBuffer", kind: kindInt, access: setGet, unit: "bytes", def: -1, min: -1, max: maxInt})

	// Backlog is how many connections to a listener may wait to be accepted. The system
	// can impose a lower limit. Unit: connections; default 100.
	//
	// Implements: zmq_setsockopt(ZMQ_BACKLOG).
	Backlog = define[int](optionSpec{number: 19, name: "BACKLOG", goName: "Backlog", kind: kindInt, access: setGet, unit: "connections", def: 100, max: maxInt})

	// Affinity selects the I/O threads of the context (IOThreads) that serve the
	// connections of the socket. Bit 0 is the first thread, bit 1 the second, and so on.
	// Default 0, which means all threads. Bind and Connect fail if no bit selects an
	// existing thread.
	//
	// Implements: zmq_setsockopt(ZMQ_AFFINITY).
	Affinity = define[uint64](optionSpec{number: 4, name: "AFFINITY", goName: "Affinity", kind: kindUint64, access: setGet, unit: "bits", def: uint64(0)})
)

// Timeouts and reconnection.
var (
	// Linger is how long a closed socket keeps sending the messages that it has accepted.
	// It does so in the background, and closing the context waits for it. 0 drops unsent
	// messages at once; a negative duration means no limit.
	//
	// If Linger was never set, the socket lingers for one second, or, if CloseContext closes
	// it, until the deadline of CloseContext. That deadline also cuts short a Linger that
	// was set. SUB, XSUB and DISH do not linger, because they send subscriptions. If Blocky
	// is false on the context, no type lingers by default. Until Linger is set, Get returns
	// libzmq's default: -1, or 0 if the socket does not linger.
	//
	// It can be set at any time. It also applies to connections that Disconnect closes
	// later: with a negative duration, closing the context waits until the peers have
	// received the messages. A REQ or REP, and any socket that has sent multipart
	// messages, lingers for at least 100 ms. libzmq can abort if it stops in the middle of
	// a message (docs/safety.md).
	//
	// Implements: zmq_setsockopt(ZMQ_LINGER).
	Linger = define[time.Duration](optionSpec{number: 17, name: "LINGER", goName: "Linger", kind: kindMillis, access: setGet, def: forEver, min: -1, max: maxInt})

	// SendTimeout is how long a send blocks before it returns ErrAgain. That error also
	// matches os.ErrDeadlineExceeded. With 0, sends do not block. A negative duration, the
	// default, means no limit. It applies to subsequent sends. A context.Context can end a
	// send earlier.
	//
	// Implements: zmq_setsockopt(ZMQ_SNDTIMEO).
	SendTimeout = define[time.Duration](optionSpec{number: 28, name: "SNDTIMEO", goName: "SendTimeout", kind: kindMillis, access: setGet, def: forEver, min: -1, max: maxInt})

	// RecvTimeout is how long a receive blocks before it returns ErrAgain. That error also
	// matches os.ErrDeadlineExceeded. With 0, receives do not block. A negative duration,
	// the default, means no limit. It applies to subsequent receives. A context.Context can
	// end a receive earlier.
	//
	// Implements: zmq_setsockopt(ZMQ_RCVTIMEO).
	RecvTimeout = define[time.Duration](optionSpec{number: 27, name: "RCVTIMEO", goName: "RecvTimeout", kind: kindMillis, access: setGet, def: forEver, min: -1, max: maxInt})

	// ReadAhead is how many messages a receive may take from libzmq with one call into C.
	// The socket keeps the additional messages for subsequent receives of any kind, which
	// makes a loop of receives several times cheaper. Unit: messages, -1 to 65535. It
	// applies to subsequent receives. Messages that the socket already keeps are returned
	// first, in order, even after ReadAhead is set to 0. The socket counts as readable while
	// it keeps messages.
	//
	// With -1, the default, a receive reads ahead if the receives before it did not have
	// to wait. It takes up to 64 messages, but no more after about 256 KiB. It does so
	// only where the program cannot notice the difference. It does not read ahead with
	// Conflate, with a RecvHWM of 1 to 639, after FD was read, after Unsubscribe or
	// InvertMatching, after a message of more than 4 KiB was received, or on STREAM and
	// draft sockets. 0 turns reading ahead off.
	//
	// The kept messages come on top of RecvHWM, so more messages can be sent before a
	// sender blocks. The kept messages do not go to other sockets that receive from the
	// same sender. Like the messages in libzmq's queue, they are lost when the socket is
	// closed. If RecvMessage puts a kept message into a Message that already has content
	// of up to 8 KiB, that previous content is released only with the next call into C.
	//
	// Setting it on REQ, REP, XPUB and types that cannot receive returns ErrNotSupported. So
	// does setting it above 0 on a socket with Conflate.
	//
	// libzmq has no such option.
	ReadAhead = define[int](optionSpec{number: numReadAhead, name: "READ_AHEAD", goName: "ReadAhead", kind: kindInt, access: setGet, unit: "messages", def: inbox.Auto, types: receivesFreely, min: inbox.Auto, max: maxAhead, alsoCheck: checkReadAhead, setWith: toCore((*core.Socket).SetReadAhead), getWith: fromCore((*core.Socket).ReadAhead)})

	// SpinTime is how long a receive that finds no message keeps trying (spins) before it
	// parks its goroutine. Spinning makes replies arrive sooner but keeps a processor
	// busy. At most one second; it is not rounded to milliseconds. A negative duration,
	// the default, is adaptive. One receive of the socket at a time spins, for at most 100
	// µs, and only while spinning succeeds and messages arrive one at a time. With 0, a
	// receive parks at once. It applies to subsequent receives.
	//
	// libzmq has no such option.
	SpinTime = define[time.Duration](optionSpec{number: -5, name: "SPIN_TIME", goName: "SpinTime", kind: kindNanos, access: setGet, def: forEver, min: -1, max: int64(maxSpin), setWith: toCore((*core.Socket).SetSpinTime), getWith: fromCore((*core.Socket).SpinTime)})

	// ReconnectInterval is how long the socket waits before it tries again to connect to a
	// peer. Default 100 ms. A negative duration means that it never tries again; libzmq can
	// then abort if multipart messages are received (docs/safety.md).
	//
	// Implements: zmq_setsockopt(ZMQ_RECONNECT_IVL).
	ReconnectInterval = define[time.Duration](optionSpec{number: 18, name: "RECONNECT_IVL", goName: "ReconnectInterval", kind: kindMillis, access: setGet, def: millis(100), min: -1, max: maxInt})

	// ReconnectIntervalMax lets ReconnectInterval double with each failed attempt, up to
	// this limit. Default 0, which keeps the interval constant.
	//
	// Implements: zmq_setsockopt(ZMQ_RECONNECT_IVL_MAX).
	ReconnectIntervalMax = define[time.Duration](optionSpec{number: 21, name: "RECONNECT_IVL_MAX", goName: "ReconnectIntervalMax", kind: kindMillis, access: setGet, def: millis(0), max: maxInt})

	// ConnectTimeout is how long one attempt to connect over TCP may take. Default 0,
	// which means as long as the system allows. A negative duration means the same and is
	// read back as 0.
	//
	// Implements: zmq_setsockopt(ZMQ_CONNECT_TIMEOUT).
	ConnectTimeout = define[time.Duration](optionSpec{number: 79, name: "CONNECT_TIMEOUT", goName: "ConnectTimeout", kind: kindMillisOrNone, access: setGet, def: millis(0), max: maxInt})

	// HandshakeInterval is how long the handshake of a new connection may take, including
	// authentication. Default 30 s; 0 or a negative duration means no limit and is read
	// back as 0. It is an option of all types except STREAM.
	//
	// Implements: zmq_setsockopt(ZMQ_HANDSHAKE_IVL).
	HandshakeInterval = define[time.Duration](optionSpec{number: 66, name: "HANDSHAKE_IVL", goName: "HandshakeInterval", kind: kindMillisOrNone, access: setGet, def: seconds(30), types: anyType &^ only(Stream), max: maxInt})

	// Immediate makes the socket queue messages only for peers that are connected. Without
	// it, messages also queue for peers to which the connection is not established yet.
	// Default false.
	//
	// It cannot be changed after the first Bind or Connect, because libzmq could abort.
	// With Immediate, libzmq can also abort if a connection is lost while a multipart
	// message arrives over it (docs/safety.md).
	//
	// Implements: zmq_setsockopt(ZMQ_IMMEDIATE).
	Immediate = define[bool](optionSpec{number: numImmediate, name: "IMMEDIATE", goName: "Immediate", kind: kindBool, access: setGet, def: false, frozen: true})

	// HeartbeatInterval is the time between two pings to each peer over the network. Default
	// 0: the socket sends no pings.
	//
	// On a socket that connects and receives, set RecvHWM to 0 as well. While the queue of
	// such a socket is full, libzmq does not see the answers and reconnects, and it can
	// abort when the queue is read (docs/safety.md). Over WebSockets it requires PLAIN or
	// CURVE.
	//
	// Implements: zmq_setsockopt(ZMQ_HEARTBEAT_IVL).
	HeartbeatInterval = define[time.Duration](optionSpec{number: 75, name: "HEARTBEAT_IVL", goName: "HeartbeatInterval", kind: kindMillis, access: setGet, def: millis(0), max: maxInt, alsoCheck: checkHeartbeat})

	// HeartbeatTimeout is how long the socket waits for the answer to a ping before it
	// closes the connection. By default it waits as long as HeartbeatInterval. Get returns
	// this default as -1, but -1 cannot be set.
	//
	// Implements: zmq_setsockopt(ZMQ_HEARTBEAT_TIMEOUT).
	HeartbeatTimeout = define[time.Duration](optionSpec{number: 77, name: "HEARTBEAT_TIMEOUT", goName: "HeartbeatTimeout", kind: kindMillis, access: setGet, def: forEver, max: maxInt})

	// HeartbeatTTL tells peers how long to wait for the next ping of this socket before they
	// close the connection. It is rounded up to tenths of a second, at most 6553.5 s.
	// Default 0: it tells them nothing.
	//
	// Implements: zmq_setsockopt(ZMQ_HEARTBEAT_TTL).
	HeartbeatTTL = define[time.Duration](optionSpec{number: 76, name: "HEARTBEAT_TTL", goName: "HeartbeatTTL", kind: kindTenths, access: setGet, def: millis(0), max: maxTenths})
)

// Identity and state. All of these except RoutingID are read-only.
var (
	// Type is the type of the socket. Socket.Type returns it without an error.
	//
	// Implements: zmq_getsockopt(ZMQ_TYPE).
	Type = define[SocketType](optionSpec{number: 16, name: "TYPE", goName: "Type", kind: kindInt, access: canGet})

	// RoutingID is the ID by which ROUTER peers address this socket. If it is not set,
	// each ROUTER generates one. It has 1 to 255 bytes. An ID of exactly five bytes must
	// not begin with a zero byte. Two peers of one ROUTER must not have the same ID. Get
	// returns an empty slice if it is not set. It is an option of REQ, REP, ROUTER and
	// DEALER.
	//
	// Implements: zmq_setsockopt(ZMQ_ROUTING_ID).
	RoutingID = define[[]byte](optionSpec{number: 5, name: "ROUTING_ID", goName: "RoutingID", kind: kindBytes, access: setGet, unit: "bytes", def: []byte{}, types: only(Req, Rep, Router, Dealer), min: 1, max: 255, alsoCheck: checkRoutingID})

	// LastEndpoint is the endpoint of the last Bind or Connect, with wildcards resolved:
	// after Bind("tcp://127.0.0.1:*") it contains the port. Over udp wildcards stay, so the
	// program cannot learn the port. It is empty before the first Bind or Connect.
	// Socket.LastEndpoint returns the same.
	//
	// Implements: zmq_getsockopt(ZMQ_LAST_ENDPOINT).
	LastEndpoint = define[string](optionSpec{number: numLastEndpoint, name: "LAST_ENDPOINT", goName: "LastEndpoint", kind: kindString, access: canGet, def: "", getWith: getLastEndpoint})

	// RecvMore reports whether the part that was just received is followed by another part
	// of the same message. Socket.RecvMore returns the same.
	//
	// Implements: zmq_getsockopt(ZMQ_RCVMORE).
	RecvMore = define[bool](optionSpec{number: 13, name: "RCVMORE", goName: "RecvMore", kind: kindBool, access: canGet, def: false, getWith: getRecvMore})

	// Events is what the socket can do now: bit 0 is set if a message can be received, bit 1
	// if one can be sent. ROUTER, STREAM, PUB, XPUB and XSUB always set bit 1, even if a
	// send to a peer with a full queue would block. To wait for events use package poller.
	//
	// Implements: zmq_getsockopt(ZMQ_EVENTS).
	Events = define[int](optionSpec{number: 15, name: "EVENTS", goName: "Events", kind: kindInt, access: canGet, unit: "bits"})

	// FD is a file descriptor that becomes readable when the state of the socket may have
	// changed. That does not mean that a message has arrived. Package poller uses it
	// correctly.
	//
	// The descriptor belongs to the socket and is closed with it; never read, write or
	// close it. It is a duplicate of libzmq's descriptor, because the process aborts if
	// libzmq's own descriptor is closed.
	//
	// Implements: zmq_getsockopt(ZMQ_FD).
	FD = define[int](optionSpec{number: numFD, name: "FD", goName: "FD", kind: kindInt, access: canGet, unit: "file descriptor", getWith: fromCore((*core.Socket).FD)})

	// Mechanism is the security mechanism that results from the options set so far.
	// Default MechanismNull.
	//
	// Implements: zmq_getsockopt(ZMQ_MECHANISM).
	Mechanism = define[SecurityMechanism](optionSpec{number: numMechanism, name: "MECHANISM", goName: "Mechanism", kind: kindInt, access: canGet, def: MechanismNull, max: 3})

	// ThreadSafe reports whether libzmq's own socket is safe for use by several threads.
	// That is true for some draft types. A Socket of this package is always safe.
	//
	// Implements: zmq_getsockopt(ZMQ_THREAD_SAFE).
	ThreadSafe = define[bool](optionSpec{number: 81, name: "THREAD_SAFE", goName: "ThreadSafe", kind: kindBool, access: canGet})
)
