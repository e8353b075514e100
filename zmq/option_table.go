package zmq

import (
	"math"
	"time"
)

// optionSpec holds the facts about an option that are checked before libzmq sees a value.
type optionSpec struct {
	number int
	name   string // libzmq's name without ZMQ_
	goName string // name of the Go variable; empty for an option that is not in the table
	kind   optionKind
	access optionAccess
	unit   string
	def    any     // value on a new socket; nil if it cannot be read or varies
	types  typeSet // socket types that have it; 0 stands for all
	frozen bool    // cannot be set after the first Bind or Connect
	min    int64   // limits of libzmq's number, or of the length in bytes; a bool needs none
	max    int64
	needs  string // a capability of zmq_has, needsDraft and its like, or the first version that has it

	// What the option needs besides these facts. Each function may be nil.
	alsoCheck func(s *Socket, o *optionSpec, v optionValue) error // refuses further values
	setWith   func(s *Socket, o *optionSpec, v optionValue) error // instead of store
	getWith   func(s *Socket, o *optionSpec) (optionValue, error) // instead of read

	goValue func(v optionValue) any // converts to the type of the variable
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

	numSubscribe        = 6
	numFD               = 14
	numRecvHWM          = 24
	numLastEndpoint     = 32
	numImmediate        = 39
	numRouterRaw        = 41
	numIPv6             = 42
	numMechanism        = 43
	numPlainServer      = 44
	numPlainPassword    = 46
	numCurveServer      = 47
	numCurvePublicKey   = 48
	numCurveSecretKey   = 49
	numCurveServerKey   = 50
	numProbeRouter      = 51
	numConflate         = 54
	numXPubManual       = 71
	numInvertMatching   = 74
	numHeartbeatIvl     = 75
	numXPubManualLast   = 98
	numHelloMsg         = 110
	numZapDomain        = 55
	numGSSAPIServer     = 62
	numSocksProxy       = 68
	numUseFD            = 89
	numZapEnforceDomain = 93
	numSocksPassword    = 100
	numWSSKey           = 103
	numWSSCert          = 104
	numBusyPoll         = 113
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

// optionTable has every socket option that define has defined, in no particular order.
var optionTable []*optionSpec

// define returns the variable of an option, whose facts are spec. The test of the table
// ensures that T is the type of its kind.
func define[T any](spec optionSpec) Option[T] {
	optionTable = append(optionTable, complete[T](&spec))
	return Option[T]{spec: &spec}
}

// complete fills in the facts that most options share, and returns o.
func complete[T any](o *optionSpec) *optionSpec {
	if o.types == 0 {
		o.types = anyType
	}
	if o.kind == kindBool {
		o.max = 1
	}
	o.goValue = func(v optionValue) any {
		out, _ := valueAs[T](o, v) // T fits
		return out
	}
	return o
}

// maxSpin is the longest SpinTime. A receive that spins uses a processor all the time.
const maxSpin = time.Second

// greeters contains the types that send ZMQ_HELLO_MSG.
const greeters = 1<<Dealer | 1<<Router | 1<<Server | 1<<Client | 1<<Peer

// receivesFreely contains the types that may receive several messages in a row. It excludes
// the types that cannot receive. It excludes REQ and REP, where a receive allows the next
// send, and XPUB, where XPubManual applies Subscribe to the last message received.
const receivesFreely = anyType &^ (1<<Req | 1<<Rep | 1<<Pub | 1<<Push | 1<<XPub | 1<<Radio | 1<<Scatter)

// receives contains the types that receive messages.
const receives = anyType &^ (1<<Pub | 1<<Push | 1<<Radio | 1<<Scatter)

// maxAhead is go-zmq's limit: the number of messages that one call into C can take.
const maxAhead = 65535

// specOf returns the option with a number, or nil.
func specOf(number int) *optionSpec {
	for _, o := range optionTable {
		if o.number == number {
			return o
		}
	}
	return nil
}
