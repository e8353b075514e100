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
	RouterNotify = define[int](optionSpec{97, "ROUTER_NOTIFY", "RouterNotify", kindInt, setGet, "bits", 0, only(Router), false, 0, 3, needsDraft, nil})

	// HelloMessage is a message that a DEALER, ROUTER, CLIENT, SERVER or PEER sends to each
	// new peer, and again after each reconnect. At most 65536 bytes; empty, the default,
	// sends none. It applies to subsequent Bind and Connect calls. It cannot be combined
	// with ProbeRouter. Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_HELLO_MSG), draft API.
	HelloMessage = define[[]byte](optionSpec{110, "HELLO_MSG", "HelloMessage", kindBytes, canSet, "bytes", nil, greeters, false, 0, maxWelcome, needsDraft, &optionRule{check: checkHello}})

	// DisconnectMessage is a message that a ROUTER, SERVER or PEER receives when a peer that
	// had connected to it leaves. The message appears to come from that peer. At most 65536
	// bytes; empty, the default, means none. Write-only. It needs libzmq 4.3.5 or newer:
	// older versions crash if a peer leaves while the socket is being closed.
	//
	// Implements: zmq_setsockopt(ZMQ_DISCONNECT_MSG), draft API.
	DisconnectMessage = define[[]byte](optionSpec{111, "DISCONNECT_MSG", "DisconnectMessage", kindBytes, canSet, "bytes", nil, only(Router, Server, Peer), false, 0, maxWelcome, needsDraft435, &optionRule{check: checkDisconnectMsg}})

	// HiccupMessage is a message that a DEALER, CLIENT or PEER receives when it loses an
	// outgoing connection that it will establish again. At most 65536 bytes; empty, the
	// default, means none. Write-only. It needs libzmq 4.3.5 or newer.
	//
	// Implements: zmq_setsockopt(ZMQ_HICCUP_MSG), draft API.
	HiccupMessage = define[[]byte](optionSpec{114, "HICCUP_MSG", "HiccupMessage", kindBytes, canSet, "bytes", nil, only(Dealer, Client, Peer), false, 0, maxWelcome, needsDraft435, nil})

	// Priority is the kernel's priority for the packets of the socket, like Linux's
	// SO_PRIORITY. Default 0. Values above 6 need CAP_NET_ADMIN and otherwise return EPERM,
	// because libzmq would abort. A libzmq 4.3.5 that was built with CMake, not with its
	// configure script, stores the value but does not use it.
	//
	// Implements: zmq_setsockopt(ZMQ_PRIORITY), draft API.
	Priority = define[int](optionSpec{112, "PRIORITY", "Priority", kindInt, setGet, "", 0, anyType, false, 0, maxInt, needsDraft, &optionRule{check: checkOnSystem}})

	// BusyPoll is how long the kernel polls the network card for a packet before it sleeps,
	// like Linux's SO_BUSY_POLL. Unit: microseconds; default 0, which means that it does not
	// poll. It may need CAP_NET_ADMIN and otherwise returns EPERM. Write-only. It needs
	// libzmq 4.3.5 or newer.
	//
	// Implements: zmq_setsockopt(ZMQ_BUSY_POLL), draft API.
	BusyPoll = define[int](optionSpec{numBusyPoll, "BUSY_POLL", "BusyPoll", kindInt, canSet, "microseconds", nil, anyType, false, 0, maxInt, needsDraft435, &optionRule{check: checkOnSystem}})

	// XSubVerboseUnsubscribe makes an XSUB forward each Unsubscribe, even if the topic has
	// other subscriptions. Default false. Write-only. It needs libzmq 4.3.5 or newer.
	//
	// Implements: zmq_setsockopt(ZMQ_XSUB_VERBOSE_UNSUBSCRIBE), draft API.
	XSubVerboseUnsubscribe = define[bool](optionSpec{115, "XSUB_VERBOSE_UNSUBSCRIBE", "XSubVerboseUnsubscribe", kindBool, canSet, "", nil, only(XSub), false, 0, 1, needsDraft435, nil})
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
	WSSKeyPEM = define[string](optionSpec{numWSSKey, "WSS_KEY_PEM", "WSSKeyPEM", kindString, canSet, "bytes", nil, anyType, false, 1, maxPEM, needsWSS, &optionRule{check: checkPEM}})

	// WSSCertPEM is the certificate that belongs to WSSKeyPEM, in PEM form, at most 65536
	// bytes. libzmq aborts the process if the key and the certificate do not match.
	// Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_WSS_CERT_PEM), draft API.
	WSSCertPEM = define[string](optionSpec{numWSSCert, "WSS_CERT_PEM", "WSSCertPEM", kindString, canSet, "bytes", nil, anyType, false, 1, maxPEM, needsWSS, &optionRule{check: checkPEM}})

	// WSSTrustPEM contains the certificates of the authorities that a socket trusts when it
	// connects to wss endpoints, in PEM form, at most 65536 bytes. Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_WSS_TRUST_PEM), draft API.
	WSSTrustPEM = define[string](optionSpec{105, "WSS_TRUST_PEM", "WSSTrustPEM", kindString, canSet, "bytes", nil, anyType, false, 1, maxPEM, needsWSS, nil})

	// WSSHostname is the name that the server's certificate must have, at most 253 bytes.
	// Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_WSS_HOSTNAME), draft API.
	WSSHostname = define[string](optionSpec{106, "WSS_HOSTNAME", "WSSHostname", kindString, canSet, "bytes", nil, anyType, false, 0, 253, needsWSS, nil})

	// WSSTrustSystem makes a socket trust the certificate authorities of the system. Default
	// false. Write-only.
	//
	// Implements: zmq_setsockopt(ZMQ_WSS_TRUST_SYSTEM), draft API.
	WSSTrustSystem = define[bool](optionSpec{107, "WSS_TRUST_SYSTEM", "WSSTrustSystem", kindBool, canSet, "", nil, anyType, false, 0, 1, needsWSS, nil})
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
	NormMode = define[int](optionSpec{117, "NORM_MODE", "NormMode", kindInt, setGet, "", 1, anyType, false, 0, 4, needsNorm, nil})

	// NormUnicastNack makes a receiver send its repair requests only to the sender. Default
	// false.
	//
	// Implements: zmq_setsockopt(ZMQ_NORM_UNICAST_NACK), draft API.
	NormUnicastNack = define[bool](optionSpec{118, "NORM_UNICAST_NACK", "NormUnicastNack", kindBool, setGet, "", false, anyType, false, 0, 1, needsNorm, nil})

	// NormBufferSize is how much data the sender keeps for repairs. Unit: kilobytes, 1 to
	// 1048576; default 2048.
	//
	// Implements: zmq_setsockopt(ZMQ_NORM_BUFFER_SIZE), draft API.
	NormBufferSize = define[int](optionSpec{119, "NORM_BUFFER_SIZE", "NormBufferSize", kindInt, setGet, "kilobytes", 2048, anyType, false, 1, maxNormBuffer, needsNorm, nil})

	// NormSegmentSize is the amount of data in one packet. Unit: bytes, 1 to 65000; default
	// 1400.
	//
	// Implements: zmq_setsockopt(ZMQ_NORM_SEGMENT_SIZE), draft API.
	NormSegmentSize = define[int](optionSpec{120, "NORM_SEGMENT_SIZE", "NormSegmentSize", kindInt, setGet, "bytes", 1400, anyType, false, 1, maxNormSegment, needsNorm, nil})

	// NormBlockSize is the number of segments in a block, the unit of repair: 1 to 255;
	// default 16.
	//
	// Implements: zmq_setsockopt(ZMQ_NORM_BLOCK_SIZE), draft API.
	NormBlockSize = define[int](optionSpec{121, "NORM_BLOCK_SIZE", "NormBlockSize", kindInt, setGet, "segments", 16, anyType, false, 1, 255, needsNorm, nil})

	// NormNumParity is the maximum number of parity segments per block: 0 to 254; default
	// 4.
	//
	// Implements: zmq_setsockopt(ZMQ_NORM_NUM_PARITY), draft API.
	NormNumParity = define[int](optionSpec{122, "NORM_NUM_PARITY", "NormNumParity", kindInt, setGet, "segments", 4, anyType, false, 0, 254, needsNorm, nil})

	// NormNumAutoParity is the number of parity segments per block that are sent without a
	// repair request: 0 to 254; default 0.
	//
	// Implements: zmq_setsockopt(ZMQ_NORM_NUM_AUTOPARITY), draft API.
	NormNumAutoParity = define[int](optionSpec{123, "NORM_NUM_AUTOPARITY", "NormNumAutoParity", kindInt, setGet, "segments", 0, anyType, false, 0, 254, needsNorm, nil})

	// NormPush makes a sender with a full buffer overwrite data that was not acknowledged,
	// instead of waiting. Default false.
	//
	// Implements: zmq_setsockopt(ZMQ_NORM_PUSH), draft API.
	NormPush = define[bool](optionSpec{124, "NORM_PUSH", "NormPush", kindBool, setGet, "", false, anyType, false, 0, 1, needsNorm, nil})
)
