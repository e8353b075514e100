package libzmq

// libzmq's own error numbers begin at hausnumero. Smaller numbers are the system's errno.
const (
	hausnumero = 156384712

	EFSM           = hausnumero + 51
	ENOCOMPATPROTO = hausnumero + 52
	ETERM          = hausnumero + 53
	EMTHREAD       = hausnumero + 54

	// ELOST is defined by go-zmq: the peer disconnected in the middle of a message, and
	// the message is lost.
	ELOST = 156390000
	// EUNBOUND is defined by go-zmq: a DGRAM socket has no UDP socket.
	EUNBOUND = 156390001
)

// Socket options that other packages need by number.
const (
	OptFD              = 14
	OptEvents          = 15
	OptType            = 16
	OptLinger          = 17
	OptSendHWM         = 23
	OptRecvHWM         = 24
	OptRecvTimeout     = 27
	OptSendTimeout     = 28
	OptLastEndpoint    = 32
	OptXPubVerbose     = 40
	OptRouterRaw       = 41
	OptConflate        = 54
	OptRouterHandover  = 56
	OptConnectID       = 61
	OptXPubNoDrop      = 69
	OptRouterMandatory = 33
	OptInvert          = 74
	OptXPubManual      = 71
	OptXPubWelcome     = 72
	OptXPubVerboser    = 78
	OptThreadSafe      = 81
	OptXPubManualLast  = 98
	OptHelloMsg        = 110
)

// Events of a socket monitor.
const (
	MonitorConnected    = 0x0001
	MonitorListening    = 0x0008
	MonitorClosed       = 0x0080
	MonitorCloseFailed  = 0x0100
	MonitorAccepted     = 0x0020
	MonitorDisconnected = 0x0200
	MonitorStopped      = 0x0400
	MonitorNoDetail     = 0x0800
	MonitorSucceeded    = 0x1000
	MonitorProtocol     = 0x2000
	MonitorAuth         = 0x4000
	MonitorBindFailed   = 0x0010
	MonitorAll          = 0xffff
)

// Context options that other packages need by number.
const (
	CtxIOThreads      = 1
	CtxMaxSockets     = 2
	CtxThreadPriority = 3
	CtxBlocky         = 70
	CtxThreadPolicy   = 4
)

// Socket types.
const (
	Pair = iota
	Pub
	Sub
	Req
	Rep
	Dealer
	Router
	Pull
	Push
	XPub
	XSub
	Stream
	Server
	Client
	Radio
	Dish
	Gather
	Scatter
	Dgram
	Peer
	Channel
)

// Events of a socket, as a bit set.
const (
	EventIn   = 1
	EventOut  = 2
	EventTerm = 0x100 // the context was shut down
	EventLost = 0x200 // SendBatch only: its last message was lost
)

// Flags of the shims.
const (
	WantEvents = 1  // report the socket's events even when the operation succeeds
	Inexact    = 2  // libzmq's POLLOUT is unreliable for this socket
	NoFinish   = 4  // PAIR: do not finish a message after its peer disconnected
	Copy       = 8  // libzmq can lose messages of this socket: copy, do not lend
	Fragile    = 16 // DGRAM: a failed send may have invalidated its part
	Upstream   = 32 // XPUB: add the reference that a received message may lack
)
