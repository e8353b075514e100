package zmq

// Options of libzmq's draft API. Those here need a libzmq that was built with it
// (Has("draft")), otherwise they are ErrNotSupported; others of the API, which any
// libzmq takes, are beside their relatives.
var (
	// RouterNotify makes a ROUTER receive an empty message, behind the routing id,
	// when a peer comes or goes: the sum of NotifyConnect and NotifyDisconnect.
	// Default 0. It counts for the connections that are made after it, not for inproc.
	//
	// libzmq: ZMQ_ROUTER_NOTIFY, of the draft API.
	RouterNotify = known[int](97)

	// HelloMessage is sent by a DEALER, ROUTER, CLIENT, SERVER or PEER to each new
	// peer, and again after each reconnection: at most 65536 bytes; empty, the default,
	// sends none. It counts for the Bind and Connect calls that come after. Set only.
	//
	// libzmq: ZMQ_HELLO_MSG, of the draft API.
	HelloMessage = known[[]byte](110)

	// DisconnectMessage is received by a ROUTER, SERVER or PEER when a peer that had
	// connected to it goes, as if that had sent it: at most 65536 bytes; empty, the
	// default, is none. Set only. It needs libzmq 4.3.5: older ones crash when a peer goes
	// while the socket is being closed.
	//
	// libzmq: ZMQ_DISCONNECT_MSG, of the draft API.
	DisconnectMessage = known[[]byte](numDisconnectMsg)

	// HiccupMessage is received by a DEALER, CLIENT or PEER when a connection that it
	// made is lost, to be made again: at most 65536 bytes; empty, the default, is none.
	// Set only. Since libzmq 4.3.5.
	//
	// libzmq: ZMQ_HICCUP_MSG, of the draft API.
	HiccupMessage = known[[]byte](114)

	// Priority is the priority of the socket's packets in the kernel, as Linux's
	// SO_PRIORITY: 0, the default, to 6; above that it needs the right to it
	// (CAP_NET_ADMIN), otherwise it is EPERM, since libzmq would abort. A libzmq 4.3.5 that
	// was built with CMake, and not with its configure script, keeps it without effect.
	//
	// libzmq: ZMQ_PRIORITY, of the draft API.
	Priority = known[int](numPriority)

	// BusyPoll is how long the kernel looks for a packet at the network card instead of
	// sleeping, as Linux's SO_BUSY_POLL. Unit: microseconds; default 0: not at all. It
	// may need the right to it (CAP_NET_ADMIN), otherwise it is EPERM. Set only. Since
	// libzmq 4.3.5.
	//
	// libzmq: ZMQ_BUSY_POLL, of the draft API.
	BusyPoll = known[int](numBusyPoll)

	// XSubVerboseUnsubscribe makes an XSUB pass on each Unsubscribe, also of a topic
	// that has other subscriptions. Default false. Set only. Since libzmq 4.3.5.
	//
	// libzmq: ZMQ_XSUB_VERBOSE_UNSUBSCRIBE, of the draft API.
	XSubVerboseUnsubscribe = known[bool](115)
)

// What RouterNotify tells of.
const (
	NotifyConnect    = 1 // a peer has come
	NotifyDisconnect = 2 // a peer has gone
)

// WebSockets over TLS (wss). They need a libzmq that was built with its draft API,
// WebSockets and GnuTLS (Has("WSS")). Set only.
var (
	// WSSKeyPEM is the private key of a socket that binds wss endpoints, in PEM form,
	// at most 65536 bytes. Set only.
	//
	// libzmq: ZMQ_WSS_KEY_PEM, of the draft API.
	WSSKeyPEM = known[string](numWSSKey)

	// WSSCertPEM is the certificate that belongs to WSSKeyPEM, in PEM form, at most
	// 65536 bytes. libzmq aborts the process if the two do not belong together. Set only.
	//
	// libzmq: ZMQ_WSS_CERT_PEM, of the draft API.
	WSSCertPEM = known[string](numWSSCert)

	// WSSTrustPEM are the certificates of the authorities that a socket trusts which
	// connects to wss endpoints, in PEM form, at most 65536 bytes. Set only.
	//
	// libzmq: ZMQ_WSS_TRUST_PEM, of the draft API.
	WSSTrustPEM = known[string](105)

	// WSSHostname is the name that the certificate of the server must have, at most 253
	// bytes. Set only.
	//
	// libzmq: ZMQ_WSS_HOSTNAME, of the draft API.
	WSSHostname = known[string](106)

	// WSSTrustSystem makes a socket trust the authorities that the system trusts.
	// Default false. Set only.
	//
	// libzmq: ZMQ_WSS_TRUST_SYSTEM, of the draft API.
	WSSTrustSystem = known[bool](107)
)

// Multicast over NORM. They need libzmq 4.3.5 or newer that was built with its draft
// API and NORM. Of each connection over NORM, libzmq 4.3.5 leaves a descriptor behind
// when its socket is closed.
var (
	// NormMode is how the sender's rate is controlled: 0 fixed, at Rate; 1 (the default)
	// by congestion; 2 that with early reaction to loss; 3 by explicit notification, and
	// loss; 4 by explicit notification only.
	//
	// libzmq: ZMQ_NORM_MODE, of the draft API.
	NormMode = known[int](117)

	// NormUnicastNack makes a receiver send its requests for repair to the sender alone.
	// Default false.
	//
	// libzmq: ZMQ_NORM_UNICAST_NACK, of the draft API.
	NormUnicastNack = known[bool](118)

	// NormBufferSize is how much the sender keeps for repairs. Unit: kilobytes, 1 to
	// 1048576; default 2048.
	//
	// libzmq: ZMQ_NORM_BUFFER_SIZE, of the draft API.
	NormBufferSize = known[int](119)

	// NormSegmentSize is how much goes into a packet. Unit: bytes, 1 to 65000; default
	// 1400.
	//
	// libzmq: ZMQ_NORM_SEGMENT_SIZE, of the draft API.
	NormSegmentSize = known[int](120)

	// NormBlockSize is how many segments are repaired together: 1 to 255; default 16.
	//
	// libzmq: ZMQ_NORM_BLOCK_SIZE, of the draft API.
	NormBlockSize = known[int](121)

	// NormNumParity is how many segments of parity can be computed for a block: 0 to
	// 254; default 4.
	//
	// libzmq: ZMQ_NORM_NUM_PARITY, of the draft API.
	NormNumParity = known[int](122)

	// NormNumAutoParity is how many of them are sent without being asked for: 0 to 254;
	// default 0.
	//
	// libzmq: ZMQ_NORM_NUM_AUTOPARITY, of the draft API.
	NormNumAutoParity = known[int](123)

	// NormPush makes the sender overwrite what was not acknowledged when its buffer is
	// full, instead of waiting. Default false.
	//
	// libzmq: ZMQ_NORM_PUSH, of the draft API.
	NormPush = known[bool](124)
)
