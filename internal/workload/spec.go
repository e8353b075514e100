package workload

import (
	"fmt"
	"strings"
)

// Pattern says which types of socket talk, and how.
type Pattern string

// The patterns. Six send one way, and three there and back, where senders ask and
// the receiver sends back what it got, and a message is a round trip. Two take a libzmq
// with the draft API.
const (
	RouterRouter Pattern = "routerrouter" // one way, two parts: routing id and payload
	PushPull     Pattern = "pushpull"     // one way; many senders, or many receivers, among whom messages are dealt out
	PubSub       Pattern = "pubsub"       // one way; each of the receivers gets every message
	Pair         Pattern = "pair"         // one way; one of each
	DealerDealer Pattern = "dealerdealer" // there and back, one message at a time
	DealerRouter Pattern = "dealerrouter" // there and back; many senders, each with a window of messages under way
	ReqRep       Pattern = "reqrep"       // there and back; many senders, each with one message at a time

	ScatterGather Pattern = "scattergather" // draft; as PushPull
	RadioDish     Pattern = "radiodish"     // draft; as PubSub, in one group
)

// Patterns returns the patterns that every libzmq has, in the order in which they are
// shown.
func Patterns() []Pattern {
	return []Pattern{RouterRouter, PushPull, PubSub, Pair, DealerDealer, DealerRouter, ReqRep}
}

// DraftPatterns returns those that take a libzmq with the draft API.
func DraftPatterns() []Pattern { return []Pattern{ScatterGather, RadioDish} }

func (p Pattern) draft() bool { return p == ScatterGather || p == RadioDish }

// deals says whether messages are dealt out among many receivers.
func (p Pattern) deals() bool { return p == PushPull || p == ScatterGather }

// publishes says whether each receiver gets every message. The sender binds.
func (p Pattern) publishes() bool { return p == PubSub || p == RadioDish }

// returns says whether messages go there and back.
func (p Pattern) returns() bool { return p == DealerDealer || p == DealerRouter || p == ReqRep }

// Transport is libzmq's name of a transport.
type Transport string

// The transports.
const (
	TCP    Transport = "tcp" // over the loopback device
	IPC    Transport = "ipc"
	InProc Transport = "inproc"
)

// Transports returns all transports, in the order in which they are shown.
func Transports() []Transport { return []Transport{TCP, IPC, InProc} }

// Mode says how messages are received. DealerDealer and ReqRep, which have one message
// under way, are always Blocking; DealerRouter also knows Batch and ReadAhead, at both
// ends.
type Mode string

// The modes. Go's Batch, ReadAhead and Poll also send in batches. C has no calls for
// batches; it runs the loop of Batch for ReadAhead, too.
const (
	Blocking  Mode = "blocking"  // every receive waits for its message
	Batch     Mode = "batch"     // one waits, and all that is there is taken with it
	ReadAhead Mode = "readahead" // as Blocking, on a socket that takes many at once
	Sleep     Mode = "sleep"     // none waits; when nothing is there, 1 ms of sleep
	Poll      Mode = "poll"      // a Poller, or zmq_poll, waits; then what is there, without waiting
)

// Strategy says where messages lie before they are sent and after they were
// received, one way. It takes the place of a Mode: every receive waits.
type Strategy string

// The strategies. Each fills its memory from the same template.
const (
	Bytes     Strategy = "bytes"    // Go: a new slice for each message, at both ends
	SyncPool  Strategy = "syncpool" // Go: slices from a sync.Pool, at both ends
	Message   Strategy = "message"  // Go: one Message used again, at each end
	ZeroCopy  Strategy = "zerocopy" // both: memory of the program's, lent and used again
	Pooled    Strategy = "pooled"   // Go: Messages of package pool
	BatchCopy Strategy = "batch"    // Go: Append and SendBatch, RecvBatch
	Copy      Strategy = "copy"     // C: zmq_send from and zmq_recv into one buffer
)

// Impl says who makes the calls.
type Impl string

// The implementations.
const (
	Go Impl = "go" // package zmq
	C  Impl = "c"  // the same loop in C, on the same libzmq in the same process
)

// DefaultMessages is how many messages a run has when a Spec does not say, and
// DefaultBytes the bytes of payload that these have together at most: 100,000
// messages of 64 KiB would take seconds. With 10,000 a run of 64 bytes lasts 5 ms,
// and waking the threads for it is a good part of what is measured.
const (
	DefaultMessages = 100_000
	DefaultBytes    = 64 << 20
)

// MessagesFor returns how many messages of size bytes a run has when a Spec does
// not say.
func MessagesFor(size int) int { return max(min(DefaultMessages, DefaultBytes/max(size, 1)), 1) }

// HighWater returns the high-water mark of both sockets in a run with a Strategy:
// libzmq's default, and less for large messages, so that those under way at both
// ends have 64 MiB together. Without it a fast sender would measure the memory of
// its queue. It is the same in C.
func HighWater(size int) int { return max(min(1000, (32<<20)/max(size, 1)), 1) }

// Spec names a workload.
type Spec struct {
	Pattern   Pattern
	Transport Transport
	Mode      Mode     // without Strategy
	Strategy  Strategy // without Mode; only one way
	Impl      Impl
	Size      int // of the payload, in bytes; at least 8

	// Messages is how many a run sends, all senders together: PubSub delivers each to
	// every receiver. 0: as many as Sent says. It is rounded up, so that all senders and
	// receivers have the same number.
	Messages int

	// Senders and Receivers say how many sockets there are, each with a goroutine or a
	// thread; 0: one. One of the two is one. Many senders have PushPull, DealerRouter
	// and ReqRep, many receivers PushPull and PubSub.
	Senders, Receivers int

	// Parts is how many parts the payload has, each of Size/Parts bytes, and the last one
	// with what is left over; 0: one. Only one way, in a Mode, and not with draft patterns,
	// which know one part. A ROUTER's routing id is not counted.
	Parts int

	// Payload is what messages consist of, again and again up to their Size, instead of
	// bytes by chance. Its first 8 bytes give way to the number. It is not part of the
	// name.
	Payload string

	// Pin says on which processors the threads run, as ParsePin reads it; empty:
	// wherever. Goroutines that are pinned are locked to their threads.
	Pin string

	// Window is how many messages each sender of DealerRouter has under way; 0: one.
	Window int

	// Curve encrypts connections. It takes a libzmq that knows it, and not InProc.
	Curve bool

	// InBatchSize and OutBatchSize are how many bytes libzmq reads from and writes to a
	// connection at once, 1024 to 64 MiB; 0: libzmq's default, 8192. They take a libzmq
	// with the draft API, and not InProc.
	InBatchSize, OutBatchSize int

	// Marks sets the high-water marks of HighWater in a Mode, too, where there is none
	// otherwise; one way only, and not for a PUSH with many receivers.
	Marks bool

	// Latency times every round trip, for Workload.Latencies: two looks at the clock,
	// which cost about 50 ns each. Not in mode Batch, where replies come at once. It is
	// not part of the name.
	Latency bool
}

// Modes returns all modes, in the order in which they are shown.
func Modes() []Mode { return []Mode{Blocking, Batch, ReadAhead, Sleep, Poll} }

// Strategies returns the strategies of an implementation, in the order in which
// they are shown.
func Strategies(impl Impl) []Strategy {
	if impl == C {
		return []Strategy{Copy, ZeroCopy}
	}
	return []Strategy{Bytes, SyncPool, Message, ZeroCopy, Pooled, BatchCopy}
}

// Impls returns all implementations.
func Impls() []Impl { return []Impl{Go, C} }

// String returns the Spec as the name of a benchmark, in parts that benchstat
// can project: key=value, with the implementation last, so that the two are
// measured one after the other. What is as usual is left out, except that PubSub
// always has its receivers and DealerRouter its window.
func (s Spec) String() string {
	var name strings.Builder
	fmt.Fprintf(&name, "pattern=%s/transport=%s/size=%d", s.Pattern, s.Transport, s.Size)
	number := func(key string, value int, usual bool) {
		if !usual {
			fmt.Fprintf(&name, "/%s=%d", key, value)
		}
	}
	number("parts", s.parts(), s.parts() == 1)
	number("senders", s.senders(), s.senders() == 1)
	number("receivers", s.receivers(), s.receivers() == 1 && !s.Pattern.publishes())
	number("window", s.window(), s.window() == 1 && s.Pattern != DealerRouter)
	if s.Strategy != "" {
		name.WriteString("/strategy=" + string(s.Strategy))
	} else {
		name.WriteString("/mode=" + string(s.Mode))
	}
	if s.Marks {
		name.WriteString("/marks=on")
	}
	number("inbatch", s.InBatchSize, s.InBatchSize == 0)
	number("outbatch", s.OutBatchSize, s.OutBatchSize == 0)
	if s.Curve {
		name.WriteString("/curve=on")
	}
	if s.Pin != "" {
		name.WriteString("/pin=" + strings.NewReplacer("/", "_", "-", "_").Replace(s.Pin))
	}
	return name.String() + "/impl=" + string(s.Impl)
}

func (s Spec) senders() int   { return max(s.Senders, 1) }
func (s Spec) receivers() int { return max(s.Receivers, 1) }
func (s Spec) window() int    { return max(s.Window, 1) }
func (s Spec) parts() int     { return max(s.Parts, 1) }

// Split cuts a payload into the parts that a message of the Spec has.
func (s Spec) Split(payload []byte) [][]byte { return Split(payload, s.parts()) }

// Split cuts a payload into n parts of the same length, and gives the last one what is
// left over.
func Split(payload []byte, n int) [][]byte {
	parts, each := make([][]byte, n), len(payload)/n
	for i := range parts[:n-1] {
		parts[i] = payload[i*each : (i+1)*each : (i+1)*each]
	}
	parts[n-1] = payload[(n-1)*each:]
	return parts
}

// highWater returns the high-water mark of all sockets: 0, which is none, in a Mode
// without Marks. Each of many peers has its share.
func (s Spec) highWater() int {
	if s.Strategy == "" && !s.Marks {
		return 0
	}
	return HighWater(s.Size * s.senders() * s.receivers())
}

// Sent returns how many messages a run sends, or how many round trips it makes, all
// senders together. Without Messages that is MessagesFor(Size); a tenth of these, if
// that is a thousand or more, with DealerRouter and ReqRep; with PubSub, as many as are
// received then.
func (s Spec) Sent() int {
	n := s.Messages
	if n == 0 {
		n = MessagesFor(s.Size)
		switch s.Pattern {
		case DealerRouter, ReqRep:
			n = max(n/10, min(n, 1000))
		case PubSub, RadioDish:
			n = max(n/s.receivers(), 1)
		}
	}
	among := s.among()
	return (n + among - 1) / among * among
}

// among returns the least number of messages of which each sender and each receiver has
// its share.
func (s Spec) among() int {
	if s.Pattern.publishes() {
		return 1
	}
	return max(s.senders(), s.receivers()) // one of them is 1
}

// Received returns how many messages a run receives, all receivers together, or how
// many round trips it makes.
func (s Spec) Received() int {
	if s.Pattern.publishes() {
		return s.Sent() * s.receivers()
	}
	return s.Sent()
}
