package zmq

// Options of libzmq's draft API. They return ErrNotSupported unless libzmq was built with
// it (Has("draft")). Draft options that every libzmq accepts are listed beside the stable
// options on the same topic.
var (
	// RouterNotify makes a ROUTER receive an empty message, after the routing ID, when a
	// peer connects or disconnects. The value is NotifyConnect, NotifyDisconnect or their
	// sum. Default 0. It applies to subsequent connections, but not over inproc.
	//
	// Implements: zmq_setsockopt(ZMQ_ROUTER_NOTIFY), draft API.
	RouterNotify = define[int](optionSpec{number: 97, name: "ROUTER_NOTIFY", goName: "RouterNotify", kind: kindInt, access: setGet, unit: "bits", def: 0, types: only(Router), max: 3, needs: needsDraft})

	// HelloMessage is a message that a DEALER, ROUTER, CLIENT, SERVER or PEER sends to each
	// new peer, and again after each reconnect. At most 65536 bytes; empty, the default,
	// sends none. It applies to subsequent Bind and Connect calls. It cannot be combined
	// with ProbeRouter. Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_HELLO_MSG), draft API.
	HelloMessage = define[[]byte](optionSpec{number: 110, name: "HELLO_MSG", goName: "HelloMessage", kind: kindBytes, access: canSet, unit: "bytes", types: greeters, max: maxWelcome, needs: needsDraft, alsoCheck: checkHello})

	// DisconnectMessage is a message that a ROUTER, SERVER or PEER receives when a peer
	// that connected to it disconnects. The message appears to come from that peer. At
	// most 65536 bytes; empty, the default, means none. Write-only. It needs libzmq 4.3.5
	// or newer: older versions crash if a peer disconnects while the socket is being
	// closed.
	//
	// Implements: zmq_setsockopt(ZMQ_DISCONNECT_MSG), draft API.
	DisconnectMessage = define[[]byte](optionSpec{number: 111, name: "DISCONNECT_MSG", goName: "DisconnectMessage", kind: kindBytes, access: canSet, unit: "bytes", types: only(Router, Server, Peer), max: maxWelcome, needs: needsDraft435, alsoCheck: checkDisconnectMsg})

	// HiccupMessage is a message that a DEALER, CLIENT or PEER receives when it loses an
	// outgoing connection that it will establish again. At most 65536 bytes; empty, the
	// default, means none. Write-only. It needs libzmq 4.3.5 or newer.
	//
	// Implements: zmq_setsockopt(ZMQ_HICCUP_MSG), draft API.
	HiccupMessage = define[[]byte](optionSpec{number: 114, name: "HICCUP_MSG", goName: "HiccupMessage", kind: kindBytes, access: canSet, unit: "bytes", types: only(Dealer, Client, Peer), max: maxWelcome, needs: needsDraft435})

	// Priority is the kernel's priority for the packets of the socket, like Linux's
	// SO_PRIORITY. Default 0. Values above 6 need CAP_NET_ADMIN and otherwise return EPERM,
	// because libzmq would abort. A libzmq 4.3.5 that was built with CMake, not with its
	// configure script, stores the value but does not use it.
	//
	// Implements: zmq_setsockopt(ZMQ_PRIORITY), draft API.
	Priority = define[int](optionSpec{number: 112, name: "PRIORITY", goName: "Priority", kind: kindInt, access: setGet, def: 0, max: maxInt, needs: needsDraft, alsoCheck: checkOnSystem})

	// BusyPoll is how long the kernel polls the network card for a packet before it sleeps,
	// like Linux's SO_BUSY_POLL. Unit: microseconds; default 0, which means that it does not
	// poll. It may need CAP_NET_ADMIN and otherwise returns EPERM. Write-only. It needs
	// libzmq 4.3.5 or newer.
	//
	// Implements: zmq_setsockopt(ZMQ_BUSY_POLL), draft API.
	BusyPoll = define[int](optionSpec{number: numBusyPoll, name: "BUSY_POLL", goName: "BusyPoll", kind: kindInt, access: canSet, unit: "microseconds", max: maxInt, needs: needsDraft435, alsoCheck: checkOnSystem})

	// XSubVerboseUnsubscribe makes an XSUB forward each Unsubscribe, even if the topic has
	// other subscriptions. Default false. Write-only. It needs libzmq 4.3.5 or newer.
	//
	// Implements: zmq_setsockopt(ZMQ_XSUB_VERBOSE_UNSUBSCRIBE), draft API.
	XSubVerboseUnsubscribe = define[bool](optionSpec{number: 115, name: "XSUB_VERBOSE_UNSUBSCRIBE", goName: "XSubVerboseUnsubscribe", kind: kindBool, access: canSet, types: only(XSub), needs: needsDraft435})
)

// The events that RouterNotify can report.
const (
	NotifyConnect    = 1 // a peer has connected
	NotifyDisconnect = 2 // a peer has disconnected
)

// WebSockets over TLS (wss). These options need a libzmq that was built with its draft
// API, WebSockets and GnuTLS (Has("WSS")). Write-only.
var (
	// WSSKeyPEM is the private key of a socket that binds wss endpoints, in PEM form, at
	// most 65536 bytes. Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_WSS_KEY_PEM), draft API.
	WSSKeyPEM = define[string](optionSpec{number: numWSSKey, name: "WSS_KEY_PEM", goName: "WSSKeyPEM", kind: kindString, access: canSet, unit: "bytes", min: 1, max: maxPEM, needs: needsWSS, alsoCheck: checkPEM})

	// WSSCertPEM is the certificate that belongs to WSSKeyPEM, in PEM form, at most 65536
	// bytes. libzmq aborts the process if the key and the certificate do not match.
	// Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_WSS_CERT_PEM), draft API.
	WSSCertPEM = define[string](optionSpec{number: numWSSCert, name: "WSS_CERT_PEM", goName: "WSSCertPEM", kind: kindString, access: canSet, unit: "bytes", min: 1, max: maxPEM, needs: needsWSS, alsoCheck: checkPEM})

	// WSSTrustPEM contains the certificates of the authorities that a socket trusts when it
	// connects to wss endpoints, in PEM form, at most 65536 bytes. Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_WSS_TRUST_PEM), draft API.
	WSSTrustPEM = define[string](optionSpec{number: 105, name: "WSS_TRUST_PEM", goName: "WSSTrustPEM", kind: kindString, access: canSet, unit: "bytes", min: 1, max: maxPEM, needs: needsWSS})

	// WSSHostname is the name that the server's certificate must have, at most 253 bytes.
	// Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_WSS_HOSTNAME), draft API.
	WSSHostname = define[string](optionSpec{number: 106, name: "WSS_HOSTNAME", goName: "WSSHostname", kind: kindString, access: canSet, unit: "bytes", max: 253, needs: needsWSS})

	// WSSTrustSystem makes a socket trust the certificate authorities of the system. Default
	// false. Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_WSS_TRUST_SYSTEM), draft API.
	WSSTrustSystem = define[bool](optionSpec{number: 107, name: "WSS_TRUST_SYSTEM", goName: "WSSTrustSystem", kind: kindBool, access: canSet, needs: needsWSS})
)

// Multicast over NORM. These options need libzmq 4.3.5 or newer, built with its draft API
// and NORM. libzmq 4.3.5 leaks one file descriptor per NORM connection when the socket is
// closed.
var (
	// NormMode is how the rate of the sender is controlled: 0 fixed, at Rate; 1 (the
	// default) congestion control; 2 congestion control with early reaction to loss; 3
	// explicit congestion notification and loss; 4 explicit congestion notification only.
	//
	// Implements: zmq_setsockopt(ZMQ_NORM_MODE), draft API.
	NormMode = define[int](optionSpec{number: 117, name: "NORM_MODE", goName: "NormMode", kind: kindInt, access: setGet, def: 1, max: 4, needs: needsNorm})

	// NormUnicastNack makes a receiver send its repair requests only to the sender. Default
	// false.
	//
	// Implements: zmq_setsockopt(ZMQ_NORM_UNICAST_NACK), draft API.
	NormUnicastNack = define[bool](optionSpec{number: 118, name: "NORM_UNICAST_NACK", goName: "NormUnicastNack", kind: kindBool, access: setGet, def: false, needs: needsNorm})

	// NormBufferSize is how much data the sender keeps for repairs. Unit: kilobytes, 1 to
	// 1048576; default 2048.
	//
	// Implements: zmq_setsockopt(ZMQ_NORM_BUFFER_SIZE), draft API.
	NormBufferSize = define[int](optionSpec{number: 119, name: "NORM_BUFFER_SIZE", goName: "NormBufferSize", kind: kindInt, access: setGet, unit: "kilobytes", def: 2048, min: 1, max: maxNormBuffer, needs: needsNorm})

	// NormSegmentSize is the amount of data in one packet. Unit: bytes, 1 to 65000; default
	// 1400.
	//
	// Implements: zmq_setsockopt(ZMQ_NORM_SEGMENT_SIZE), draft API.
	NormSegmentSize = define[int](optionSpec{number: 120, name: "NORM_SEGMENT_SIZE", goName: "NormSegmentSize", kind: kindInt, access: setGet, unit: "bytes", def: 1400, min: 1, max: maxNormSegment, needs: needsNorm})

	// NormBlockSize is the number of segments in a block, the unit of repair: 1 to 255;
	// default 16.
	//
	// Implements: zmq_setsockopt(ZMQ_NORM_BLOCK_SIZE), draft API.
	NormBlockSize = define[int](optionSpec{number: 121, name: "NORM_BLOCK_SIZE", goName: "NormBlockSize", kind: kindInt, access: setGet, unit: "segments", def: 16, min: 1, max: 255, needs: needsNorm})

	// NormNumParity is the maximum number of parity segments per block: 0 to 254; default
	// 4.
	//
	// Implements: zmq_setsockopt(ZMQ_NORM_NUM_PARITY), draft API.
	NormNumParity = define[int](optionSpec{number: 122, name: "NORM_NUM_PARITY", goName: "NormNumParity", kind: kindInt, access: setGet, unit: "segments", def: 4, max: 254, needs: needsNorm})

	// NormNumAutoParity is the number of parity segments per block that are sent without a
	// repair request: 0 to 254; default 0.
	//
	// Implements: zmq_setsockopt(ZMQ_NORM_NUM_AUTOPARITY), draft API.
	NormNumAutoParity = define[int](optionSpec{number: 123, name: "NORM_NUM_AUTOPARITY", goName: "NormNumAutoParity", kind: kindInt, access: setGet, unit: "segments", def: 0, max: 254, needs: needsNorm})

	// NormPush makes a sender with a full buffer overwrite data that was not acknowledged,
	// instead of waiting. Default false.
	//
	// Implements: zmq_setsockopt(ZMQ_NORM_PUSH), draft API.
	NormPush = define[bool](optionSpec{number: 124, name: "NORM_PUSH", goName: "NormPush", kind: kindBool, access: setGet, def: false, needs: needsNorm})
)
