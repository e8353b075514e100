package zmq

import (
	"math"
	"time"

	"github.com/go-zmq/go-zmq/internal/core"
)

// optionSpec is one line of the table: the facts about a socket option that are checked
// before libzmq sees a value.
type optionSpec struct {
	number int
	name   string // libzmq's name without ZMQ_
	goName string // name of the Go variable; empty for an option that is not in the table
	kind   optionKind
	access optionAccess
	unit   string
	def    any     // value on a new socket; nil if it cannot be read or varies
	types  typeSet // socket types that have it
	frozen bool    // cannot be set after the first Bind or Connect
	min    int64   // limits of libzmq's number, or of the length in bytes
	max    int64
	needs  string      // a capability of zmq_has, needsDraft and its like, or the first version that has it
	rule   *optionRule // nil if these facts are enough
}

type optionAccess uint8

const (
	canSet optionAccess = 1 << iota
	canGet
	setGet = canSet | canGet
)

// Requirements of draft options. zmq_has does not cover all of them: libzmq lacks the option
// if it refuses a valid value.
const (
	needsDraft    = "draft"
	needsDraft435 = "draft 4.3.5"
	needsWSS      = "draft WSS"
	needsNorm     = "draft norm 4.3.5"
)

// typeSet is a set of socket types, one bit each.
type typeSet uint32

const anyType = ^typeSet(0)

func only(types ...SocketType) typeSet {
	var set typeSet
	for _, t := range types {
		set |= 1 << t
	}
	return set
}

func (set typeSet) has(t SocketType) bool { return set&(1<<t) != 0 }

// Numbers of the options that the code refers to by name.
const (
	numReadAhead = -2 // not an option of libzmq
	numWhenFull  = -3 // not an option of libzmq

	numTrackSubscriptions = -4 // not an option of libzmq
	numSpinTime           = -5 // not an option of libzmq
	numRoutingID          = 5
	numSubscribe          = 6
	numUnsubscribe        = 7
	numFD                 = 14
	numSendHWM            = 23
	numRecvHWM            = 24
	numRecvTimeout        = 27
	numLastEndpoint       = 32
	numKeepaliveCount     = 35
	numKeepaliveIdle      = 36
	numKeepaliveIvl       = 37
	numImmediate          = 39
	numRouterRaw          = 41
	numIPv6               = 42
	numMechanism          = 43
	numPlainServer        = 44
	numPlainUsername      = 45
	numPlainPassword      = 46
	numCurveServer        = 47
	numCurvePublicKey     = 48
	numCurveSecretKey     = 49
	numCurveServerKey     = 50
	numProbeRouter        = 51
	numConflate           = 54
	numXPubManual         = 71
	numHeartbeatIvl       = 75
	numXPubManualLast     = 98
	numHelloMsg           = 110
	numZapDomain          = 55
	numConnectRoutingID   = 61
	numGSSAPIServer       = 62
	numSocksProxy         = 68
	numUseFD              = 89
	numZapEnforceDomain   = 93
	numMetadata           = 95
	numSocksPassword      = 100
	numWSSKey             = 103
	numWSSCert            = 104
	numDisconnectMsg      = 111
	numPriority           = 112
	numBusyPoll           = 113
)

const (
	maxInt = math.MaxInt32 // libzmq's int

	// maxTopic is go-zmq's limit. libzmq frees its tree of topics recursively, with one
	// level per byte, and a topic of a megabyte overflows the stack.
	maxTopic = 4096

	// maxWelcome is go-zmq's limit. libzmq keeps a copy of the message for each
	// subscriber, and aborts the process if it cannot allocate one.
	maxWelcome = 64 << 10

	// maxBatch is go-zmq's limit. Each connection allocates two such buffers.
	maxBatch = 64 << 20

	// minBatch is go-zmq's limit. With a buffer of one byte the handshake of libzmq reads
	// beyond it, and small buffers have no use.
	minBatch = 1024

	// maxPEM is go-zmq's limit for certificates and keys.
	maxPEM = 64 << 10

	// The limits of NORM's buffer, a gibibyte, and of a UDP datagram.
	maxNormBuffer  = 1 << 20
	maxNormSegment = 65000

	// maxTenths is the largest HEARTBEAT_TTL that libzmq can store: 65535 tenths of a
	// second, in milliseconds.
	maxTenths = 6553500
)

// optionTable has one line for each socket option: the 75 stable options, the 32 options of
// the draft API, and the options of go-zmq. A libzmq without the draft API accepts ten of
// the draft options.
var optionTable = [...]optionSpec{
	{4, "AFFINITY", "Affinity", kindUint64, setGet, "bits", uint64(0), anyType, false, 0, 0, "", nil},
	{5, "ROUTING_ID", "RoutingID", kindBytes, setGet, "bytes", []byte{}, only(Req, Rep, Router, Dealer), false, 1, 255, "", &optionRule{check: checkRoutingID}},
	{6, "SUBSCRIBE", "Subscribe", kindTopic, canSet, "bytes", nil, only(Sub, XPub), false, 0, maxTopic, "", &optionRule{set: setTopic}},
	{7, "UNSUBSCRIBE", "Unsubscribe", kindTopic, canSet, "bytes", nil, only(Sub, XPub), false, 0, maxTopic, "", &optionRule{set: setTopic}},
	{8, "RATE", "Rate", kindInt, setGet, "kilobits per second", 100, anyType, false, 1, maxInt, "", nil},
	{9, "RECOVERY_IVL", "RecoveryInterval", kindMillis, setGet, "", seconds(10), anyType, false, 0, maxInt, "", nil},
	{11, "SNDBUF", "SendBuffer", kindInt, setGet, "bytes", -1, anyType, false, -1, maxInt, "", nil},
	{12, "RCVBUF", "RecvBuffer", kindInt, setGet, "bytes", -1, anyType, false, -1, maxInt, "", nil},
	{13, "RCVMORE", "RecvMore", kindBool, canGet, "", false, anyType, false, 0, 1, "", &optionRule{get: getRecvMore}},
	{14, "FD", "FD", kindInt, canGet, "file descriptor", nil, anyType, false, 0, 0, "", &optionRule{get: getFD}},
	{15, "EVENTS", "Events", kindInt, canGet, "bits", nil, anyType, false, 0, 0, "", &optionRule{get: getEvents}},
	{16, "TYPE", "Type", kindSocketType, canGet, "", nil, anyType, false, 0, 0, "", nil},
	{17, "LINGER", "Linger", kindMillis, setGet, "", forEver, anyType, false, -1, maxInt, "", nil},
	{18, "RECONNECT_IVL", "ReconnectInterval", kindMillis, setGet, "", millis(100), anyType, false, -1, maxInt, "", nil},
	{19, "BACKLOG", "Backlog", kindInt, setGet, "connections", 100, anyType, false, 0, maxInt, "", nil},
	{21, "RECONNECT_IVL_MAX", "ReconnectIntervalMax", kindMillis, setGet, "", millis(0), anyType, false, 0, maxInt, "", nil},
	{22, "MAXMSGSIZE", "MaxMessageSize", kindInt64, setGet, "bytes", int64(-1), anyType, false, -1, math.MaxInt64, "", nil},
	{23, "SNDHWM", "SendHWM", kindInt, setGet, "messages", 1000, anyType, true, 0, maxInt, "", &optionRule{check: checkSendHWM}},
	{24, "RCVHWM", "RecvHWM", kindInt, setGet, "messages", 1000, anyType, true, 0, maxInt, "", nil},
	{25, "MULTICAST_HOPS", "MulticastHops", kindInt, setGet, "hops", 1, anyType, false, 1, 255, "", nil},
	{27, "RCVTIMEO", "RecvTimeout", kindMillis, setGet, "", forEver, anyType, false, -1, maxInt, "", nil},
	{28, "SNDTIMEO", "SendTimeout", kindMillis, setGet, "", forEver, anyType, false, -1, maxInt, "", nil},
	{32, "LAST_ENDPOINT", "LastEndpoint", kindString, canGet, "", "", anyType, false, 0, 0, "", &optionRule{get: getLastEndpoint}},
	{33, "ROUTER_MANDATORY", "RouterMandatory", kindBool, canSet, "", nil, only(Router), false, 0, 1, "", nil},
	{34, "TCP_KEEPALIVE", "TCPKeepalive", kindInt, setGet, "", -1, anyType, false, -1, 1, "", nil},
	{35, "TCP_KEEPALIVE_CNT", "TCPKeepaliveCount", kindInt, setGet, "probes", -1, anyType, false, -1, 127, "", &optionRule{check: checkKeepalive}},
	{36, "TCP_KEEPALIVE_IDLE", "TCPKeepaliveIdle", kindSeconds, setGet, "", forEver, anyType, false, -1, 32767, "", &optionRule{check: checkKeepalive}},
	{37, "TCP_KEEPALIVE_INTVL", "TCPKeepaliveInterval", kindSeconds, setGet, "", forEver, anyType, false, -1, 32767, "", &optionRule{check: checkKeepalive}},
	{39, "IMMEDIATE", "Immediate", kindBool, setGet, "", false, anyType, true, 0, 1, "", nil},
	{40, "XPUB_VERBOSE", "XPubVerbose", kindBool, canSet, "", nil, only(XPub), false, 0, 1, "", nil},
	{41, "ROUTER_RAW", "RouterRaw", kindBool, canSet, "", nil, only(Router), true, 0, 1, "", &optionRule{check: checkRouterRaw}},
	{42, "IPV6", "IPv6", kindBool, setGet, "", false, anyType, false, 0, 1, "", nil},
	{43, "MECHANISM", "Mechanism", kindMechanism, canGet, "", MechanismNull, anyType, false, 0, 3, "", nil},
	{44, "PLAIN_SERVER", "PlainServer", kindBool, setGet, "", false, anyType, false, 0, 1, "", &optionRule{set: setServer}},
	{45, "PLAIN_USERNAME", "PlainUsername", kindString, setGet, "bytes", "", anyType, false, 0, 255, "", &optionRule{set: setPlain}},
	{46, "PLAIN_PASSWORD", "PlainPassword", kindString, setGet, "bytes", "", anyType, false, 0, 255, "", &optionRule{set: setPlain}},
	{47, "CURVE_SERVER", "CurveServer", kindBool, setGet, "", false, anyType, false, 0, 1, "curve", &optionRule{set: setServer}},
	{48, "CURVE_PUBLICKEY", "CurvePublicKey", kindKey, setGet, "", "", anyType, false, 32, 40, "curve", nil},
	{49, "CURVE_SECRETKEY", "CurveSecretKey", kindKey, setGet, "", "", anyType, false, 32, 40, "curve", nil},
	{50, "CURVE_SERVERKEY", "CurveServerKey", kindKey, setGet, "", "", anyType, false, 32, 40, "curve", nil},
	{51, "PROBE_ROUTER", "ProbeRouter", kindBool, canSet, "", nil, only(Router, Dealer, Req), false, 0, 1, "", &optionRule{check: checkProbeRouter}},
	{52, "REQ_CORRELATE", "ReqCorrelate", kindBool, canSet, "", nil, only(Req), false, 0, 1, "", nil},
	{53, "REQ_RELAXED", "ReqRelaxed", kindBool, canSet, "", nil, only(Req), false, 0, 1, "", nil},
	{54, "CONFLATE", "Conflate", kindBool, setGet, "", false, only(Pull, Push, Sub, Pub, Dealer), true, 0, 1, "", &optionRule{check: checkConflate}},
	{55, "ZAP_DOMAIN", "ZapDomain", kindString, setGet, "bytes", "", anyType, false, 1, 255, "", nil},
	{56, "ROUTER_HANDOVER", "RouterHandover", kindBool, canSet, "", nil, only(Router), false, 0, 1, "", nil},
	{57, "TOS", "TOS", kindInt, setGet, "", 0, anyType, false, 0, 255, "", nil},
	{61, "CONNECT_ROUTING_ID", "ConnectRoutingID", kindBytes, canSet, "bytes", nil, only(Router, Stream), false, 1, 255, "", &optionRule{set: setConnectRoutingID}},
	{62, "GSSAPI_SERVER", "GSSAPIServer", kindBool, setGet, "", false, anyType, false, 0, 1, "gssapi", &optionRule{set: setServer}},
	{63, "GSSAPI_PRINCIPAL", "GSSAPIPrincipal", kindString, setGet, "bytes", "", anyType, false, 1, 255, "gssapi", nil},
	{64, "GSSAPI_SERVICE_PRINCIPAL", "GSSAPIServicePrincipal", kindString, setGet, "bytes", "", anyType, false, 1, 255, "gssapi", nil},
	{65, "GSSAPI_PLAINTEXT", "GSSAPIPlaintext", kindBool, setGet, "", false, anyType, false, 0, 1, "gssapi", nil},
	{66, "HANDSHAKE_IVL", "HandshakeInterval", kindMillisOrNone, setGet, "", seconds(30), anyType &^ only(Stream), false, 0, maxInt, "", nil},
	{68, "SOCKS_PROXY", "SocksProxy", kindString, setGet, "bytes", "", anyType, false, 0, 1024, "", nil},
	{69, "XPUB_NODROP", "XPubNoDrop", kindBool, canSet, "", nil, only(XPub, Pub, Radio), false, 0, 1, "", nil},
	{71, "XPUB_MANUAL", "XPubManual", kindBool, canSet, "", nil, only(XPub), false, 0, 1, "", &optionRule{check: checkXPubManual}},
	{72, "XPUB_WELCOME_MSG", "XPubWelcomeMessage", kindBytes, canSet, "bytes", nil, only(XPub), false, 0, maxWelcome, "", nil},
	{73, "STREAM_NOTIFY", "StreamNotify", kindBool, canSet, "", nil, only(Stream), false, 0, 1, "", nil},
	{74, "INVERT_MATCHING", "InvertMatching", kindBool, setGet, "", false, only(Pub, XPub, Sub), false, 0, 1, "", nil},
	{75, "HEARTBEAT_IVL", "HeartbeatInterval", kindMillis, setGet, "", millis(0), anyType, false, 0, maxInt, "", &optionRule{check: checkHeartbeat}},
	{76, "HEARTBEAT_TTL", "HeartbeatTTL", kindTenths, setGet, "", millis(0), anyType, false, 0, maxTenths, "", nil},
	{77, "HEARTBEAT_TIMEOUT", "HeartbeatTimeout", kindMillis, setGet, "", forEver, anyType, false, 0, maxInt, "", nil},
	{78, "XPUB_VERBOSER", "XPubVerboser", kindBool, canSet, "", nil, only(XPub), false, 0, 1, "", nil},
	{79, "CONNECT_TIMEOUT", "ConnectTimeout", kindMillisOrNone, setGet, "", millis(0), anyType, false, 0, maxInt, "", nil},
	{80, "TCP_MAXRT", "TCPMaxRT", kindMillis, setGet, "", millis(0), anyType, false, 0, maxInt, "", nil},
	{81, "THREAD_SAFE", "ThreadSafe", kindBool, canGet, "", nil, anyType, false, 0, 1, "", nil},
	{84, "MULTICAST_MAXTPDU", "MulticastMaxTPDU", kindInt, setGet, "bytes", 1500, anyType, false, 1, maxInt, "", nil},
	{85, "VMCI_BUFFER_SIZE", "VMCIBufferSize", kindUint64, canSet, "bytes", nil, anyType, false, 0, 0, "vmci", nil},
	{86, "VMCI_BUFFER_MIN_SIZE", "VMCIBufferMinSize", kindUint64, canSet, "bytes", nil, anyType, false, 0, 0, "vmci", nil},
	{87, "VMCI_BUFFER_MAX_SIZE", "VMCIBufferMaxSize", kindUint64, canSet, "bytes", nil, anyType, false, 0, 0, "vmci", nil},
	{88, "VMCI_CONNECT_TIMEOUT", "VMCIConnectTimeout", kindMillis, canSet, "", nil, anyType, false, -1, maxInt, "vmci", nil},
	{89, "USE_FD", "UseFD", kindInt, setGet, "file descriptor", -1, anyType, false, -1, maxInt, "", &optionRule{set: setUseFD}},
	{90, "GSSAPI_PRINCIPAL_NAMETYPE", "GSSAPIPrincipalNameType", kindInt, setGet, "", 0, anyType, false, 0, 2, "gssapi", nil},
	{91, "GSSAPI_SERVICE_PRINCIPAL_NAMETYPE", "GSSAPIServicePrincipalNameType", kindInt, setGet, "", 0, anyType, false, 0, 2, "gssapi", nil},
	{92, "BINDTODEVICE", "BindToDevice", kindString, setGet, "bytes", "", anyType, false, 0, 15, "", nil},

	{93, "ZAP_ENFORCE_DOMAIN", "ZapEnforceDomain", kindBool, setGet, "", false, anyType, false, 0, 1, "", nil},
	{94, "LOOPBACK_FASTPATH", "LoopbackFastPath", kindBool, setGet, "", false, anyType, false, 0, 1, "", nil},
	{95, "METADATA", "Metadata", kindString, canSet, "bytes", nil, anyType, false, 1, 4096, "", &optionRule{check: checkMetadata}},
	{96, "MULTICAST_LOOP", "MulticastLoop", kindBool, setGet, "", true, anyType, false, 0, 1, "", nil},
	{97, "ROUTER_NOTIFY", "RouterNotify", kindInt, setGet, "bits", 0, only(Router), false, 0, 3, needsDraft, nil},
	{98, "XPUB_MANUAL_LAST_VALUE", "XPubManualLastValue", kindBool, canSet, "", nil, only(XPub), false, 0, 1, "4.3.2", &optionRule{check: checkXPubManual}},
	{99, "SOCKS_USERNAME", "SocksUsername", kindString, setGet, "bytes", "", anyType, false, 0, 255, "4.3.2", nil},
	{100, "SOCKS_PASSWORD", "SocksPassword", kindString, setGet, "bytes", "", anyType, false, 0, 255, "4.3.2", nil},
	{101, "IN_BATCH_SIZE", "InBatchSize", kindInt, setGet, "bytes", 8192, anyType, false, minBatch, maxBatch, needsDraft, nil},
	{102, "OUT_BATCH_SIZE", "OutBatchSize", kindInt, setGet, "bytes", 8192, anyType, false, minBatch, maxBatch, needsDraft, nil},
	{103, "WSS_KEY_PEM", "WSSKeyPEM", kindString, canSet, "bytes", nil, anyType, false, 1, maxPEM, needsWSS, &optionRule{check: checkPEM}},
	{104, "WSS_CERT_PEM", "WSSCertPEM", kindString, canSet, "bytes", nil, anyType, false, 1, maxPEM, needsWSS, &optionRule{check: checkPEM}},
	{105, "WSS_TRUST_PEM", "WSSTrustPEM", kindString, canSet, "bytes", nil, anyType, false, 1, maxPEM, needsWSS, nil},
	{106, "WSS_HOSTNAME", "WSSHostname", kindString, canSet, "bytes", nil, anyType, false, 0, 253, needsWSS, nil},
	{107, "WSS_TRUST_SYSTEM", "WSSTrustSystem", kindBool, canSet, "", nil, anyType, false, 0, 1, needsWSS, nil},
	{108, "ONLY_FIRST_SUBSCRIBE", "OnlyFirstSubscribe", kindBool, canSet, "", nil, only(XPub, XSub), false, 0, 1, "4.3.3", nil},
	{109, "RECONNECT_STOP", "ReconnectStop", kindInt, setGet, "bits", 0, anyType, false, 0, 7, "4.3.3", nil},
	{110, "HELLO_MSG", "HelloMessage", kindBytes, canSet, "bytes", nil, greeters, false, 0, maxWelcome, needsDraft, &optionRule{check: checkHello}},
	{111, "DISCONNECT_MSG", "DisconnectMessage", kindBytes, canSet, "bytes", nil, only(Router, Server, Peer), false, 0, maxWelcome, needsDraft435, &optionRule{check: checkDisconnectMsg}},
	{112, "PRIORITY", "Priority", kindInt, setGet, "", 0, anyType, false, 0, maxInt, needsDraft, &optionRule{check: checkOnSystem}},
	{113, "BUSY_POLL", "BusyPoll", kindInt, canSet, "microseconds", nil, anyType, false, 0, maxInt, needsDraft435, &optionRule{check: checkOnSystem}},
	{114, "HICCUP_MSG", "HiccupMessage", kindBytes, canSet, "bytes", nil, only(Dealer, Client, Peer), false, 0, maxWelcome, needsDraft435, nil},
	{115, "XSUB_VERBOSE_UNSUBSCRIBE", "XSubVerboseUnsubscribe", kindBool, canSet, "", nil, only(XSub), false, 0, 1, needsDraft435, nil},
	{116, "TOPICS_COUNT", "TopicsCount", kindInt, canGet, "topics", 0, only(Pub, XPub, Sub, XSub), false, 0, 0, "4.3.5", nil},
	{117, "NORM_MODE", "NormMode", kindInt, setGet, "", 1, anyType, false, 0, 4, needsNorm, nil},
	{118, "NORM_UNICAST_NACK", "NormUnicastNack", kindBool, setGet, "", false, anyType, false, 0, 1, needsNorm, nil},
	{119, "NORM_BUFFER_SIZE", "NormBufferSize", kindInt, setGet, "kilobytes", 2048, anyType, false, 1, maxNormBuffer, needsNorm, nil},
	{120, "NORM_SEGMENT_SIZE", "NormSegmentSize", kindInt, setGet, "bytes", 1400, anyType, false, 1, maxNormSegment, needsNorm, nil},
	{121, "NORM_BLOCK_SIZE", "NormBlockSize", kindInt, setGet, "segments", 16, anyType, false, 1, 255, needsNorm, nil},
	{122, "NORM_NUM_PARITY", "NormNumParity", kindInt, setGet, "segments", 4, anyType, false, 0, 254, needsNorm, nil},
	{123, "NORM_NUM_AUTOPARITY", "NormNumAutoParity", kindInt, setGet, "segments", 0, anyType, false, 0, 254, needsNorm, nil},
	{124, "NORM_PUSH", "NormPush", kindBool, setGet, "", false, anyType, false, 0, 1, needsNorm, nil},

	{numReadAhead, "READ_AHEAD", "ReadAhead", kindInt, setGet, "messages", core.AheadAuto, receivesFreely, false, core.AheadAuto, maxAhead, "", &optionRule{check: checkReadAhead, set: setReadAhead, get: getReadAhead}},
	{numSpinTime, "SPIN_TIME", "SpinTime", kindNanos, setGet, "nanoseconds", forEver, anyType, false, -1, int64(maxSpin), "", &optionRule{set: setSpinTime, get: getSpinTime}},
	{numTrackSubscriptions, "TRACK_SUBSCRIPTIONS", "TrackSubscriptions", kindBool, setGet, "", false, only(Pub, XPub), false, 0, 1, "", &optionRule{check: checkTracking, get: getTracking}},
	{numWhenFull, "WHEN_FULL", "WhenFull", kindFullPolicy, setGet, "", Drop, only(Pub, XPub), false, int64(Drop), int64(Fail), "", &optionRule{set: setWhenFull, get: getWhenFull}},
}

// maxSpin is the longest SpinTime. A receive that spins uses a processor all the time.
const maxSpin = time.Second

// greeters contains the types that send ZMQ_HELLO_MSG.
const greeters = 1<<Dealer | 1<<Router | 1<<Server | 1<<Client | 1<<Peer

// receivesFreely contains the types that may receive several messages in a row. It excludes
// the types that cannot receive. It excludes REQ and REP, where a receive allows the next
// send, and XPUB, where XPubManual applies Subscribe to the last message received.
const receivesFreely = anyType &^ (1<<Req | 1<<Rep | 1<<Pub | 1<<Push | 1<<XPub | 1<<Radio | 1<<Scatter)

// maxAhead is go-zmq's limit: the number of messages that one call into C can take.
const maxAhead = 65535

// specOf returns the table's line for a number, or nil.
func specOf(number int) *optionSpec {
	for i := range optionTable {
		if optionTable[i].number == number {
			return &optionTable[i]
		}
	}
	return nil
}

// known returns the exported variable for a line of the table. The test of the table
// ensures that each line has a variable and that T is the type of its kind.
func known[T any](number int) Option[T] { return Option[T]{spec: specOf(number)} }
