package workload

import (
	"fmt"
	"strings"
)

// Pattern selects the socket types and the direction of the messages.
type Pattern string

// The patterns. Six send one way. In the three others, messages make round trips: the
// receiver sends each request back to its sender. PushPull distributes its messages among
// many receivers. Two patterns need a libzmq with the draft API.
const (
	RouterRouter Pattern = "routerrouter" // one way, two parts: routing id and payload
	PushPull     Pattern = "pushpull"     // one way; many senders or many receivers
	PubSub       Pattern = "pubsub"       // one way; each receiver gets every message
	Pair         Pattern = "pair"         // one way; one sender, one receiver
	DealerDealer Pattern = "dealerdealer" // round trip, one message at a time
	DealerRouter Pattern = "dealerrouter" // round trip; many senders with a window
	ReqRep       Pattern = "reqrep"       // round trip; many senders, one message each

	ScatterGather Pattern = "scattergather" // draft; like PushPull
	RadioDish     Pattern = "radiodish"     // draft; like PubSub, in one group
)

// Patterns returns the patterns that every libzmq has, in display order.
func Patterns() []Pattern {
	return []Pattern{RouterRouter, PushPull, PubSub, Pair, DealerDealer, DealerRouter, ReqRep}
}

// DraftPatterns returns the patterns that need a libzmq with the draft API.
func DraftPatterns() []Pattern { return []Pattern{ScatterGather, RadioDish} }

func (p Pattern) draft() bool { return p == ScatterGather || p == RadioDish }

// deals reports whether messages are distributed among many receivers.
func (p Pattern) deals() bool { return p == PushPull || p == ScatterGather }

// publishes reports whether each receiver gets every message. The sender then binds.
func (p Pattern) publishes() bool { return p == PubSub || p == RadioDish }

// returns reports whether messages make round trips.
func (p Pattern) returns() bool { return p == DealerDealer || p == DealerRouter || p == ReqRep }

// Transport is libzmq's name of a transport.
type Transport string

// The transports.
const (
	TCP    Transport = "tcp" // over the loopback device
	IPC    Transport = "ipc"
	InProc Transport = "inproc"
)

// Transports returns all transports, in display order.
func Transports() []Transport { return []Transport{TCP, IPC, InProc} }

// Mode says how messages are received. DealerDealer and ReqRep have one outstanding
// message and support only Blocking. DealerRouter also supports Batch and ReadAhead, at
// both ends.
type Mode string

// The modes. Go's Batch, ReadAhead and Poll also send in batches. C has no calls for
// batches. Its loop for Batch also serves ReadAhead and Drain, and that for Poll also
// PollDrain.
const (
	Blocking  Mode = "blocking"  // every receive waits for its message
	Drain     Mode = "drain"     // a receive waits, others take the available messages
	Batch     Mode = "batch"     // a receive waits, and takes all available messages
	ReadAhead Mode = "readahead" // like Blocking, but the socket receives many at once
	Sleep     Mode = "sleep"     // no receive waits; sleeps 1 ms if there is no message
	Sleep10   Mode = "sleep10"   // like Sleep, but sleeps 10 ms
	Poll      Mode = "poll"      // a Poller or zmq_poll waits; receives do not wait
	PollDrain Mode = "polldrain" // like Poll, but each receive takes one message
)

// Strategy says where messages are stored before sending and after receiving, for one-way
// patterns. It replaces a Mode: every receive waits, or with Poll a Poller does.
type Strategy string

// The strategies. Each fills its memory from the same template.
const (
	Bytes     Strategy = "bytes"    // Go: a new slice for each message, at both ends
	SyncPool  Strategy = "syncpool" // Go: slices from a sync.Pool, at both ends
	Message   Strategy = "message"  // Go: one reused Message at each end
	ZeroCopy  Strategy = "zerocopy" // both: the program's own memory, lent and reused
	Pooled    Strategy = "pooled"   // Go: Messages of package pool
	BatchCopy Strategy = "batch"    // Go: Append and SendBatch, RecvBatch
	Copy      Strategy = "copy"     // C: zmq_send from and zmq_recv into one buffer
)

// Impl selects the implementation that makes the calls.
type Impl string

// The implementations.
const (
	Go Impl = "go" // package zmq
	C  Impl = "c"  // the same loop in C, on the same libzmq in the same process
)

// DefaultMessages is the default number of messages per run. DefaultBytes is the largest
// default amount of payload per run, because 100,000 messages of 64 KiB would take
// seconds. With 10,000 messages a run of 64 bytes lasts 5 ms, and waking the threads is a
// large part of the measured time.
const (
	DefaultMessages = 100_000
	DefaultBytes    = 64 << 20
)

// MessagesFor returns the default number of messages of size bytes per run.
func MessagesFor(size int) int { return max(min(DefaultMessages, DefaultBytes/max(size, 1)), 1) }

// HighWater returns the high-water mark (HWM) of both sockets in a run with a Strategy.
// It is libzmq's default, or less for large messages, so that the queues of both ends
// hold at most 64 MiB together. Without it a fast sender would measure the memory of its
// queue. C uses the same value.
func HighWater(size int) int { return max(min(1000, (32<<20)/max(size, 1)), 1) }

// Spec describes a workload.
type Spec struct {
	Pattern   Pattern
	Transport Transport
	Mode      Mode     // with a Strategy only Poll, or empty: every receive waits
	Strategy  Strategy // only one-way patterns, and only if Mode is empty or Poll
	Impl      Impl
	Size      int // payload size in bytes; at least 8

	// Messages is the number of messages per run, of all senders together. PubSub
	// delivers each to every receiver. 0 means the default, see Sent. The number is
	// rounded up so that all senders and receivers have the same number.
	Messages int

	// Senders and Receivers are the numbers of sockets, each with a goroutine or a
	// thread. 0 means one. At least one of the two must be one. PushPull, DealerRouter
	// and ReqRep support many senders. PushPull and PubSub support many receivers.
	Senders, Receivers int

	// Parts is the number of parts of the payload. Each has Size/Parts bytes, and the
	// last one also has the remainder. 0 means one. Several parts need a one-way pattern
	// that is not a draft pattern, and a Mode. A ROUTER's routing id is not counted.
	Parts int

	// Payload is repeated up to Size to form the content of messages. If it is empty, the
	// content is pseudo-random. The number of a message overwrites the first 8 bytes.
	// Payload is not part of the name.
	Payload string

	// Pin says on which processors the threads run, in the format of ParsePin. If it is
	// empty, the system chooses. Pinned goroutines are locked to their threads.
	Pin string

	// Window is the number of outstanding messages of each DealerRouter sender. 0 means
	// one.
	Window int

	// Curve encrypts connections. It needs a libzmq with CURVE, and excludes InProc.
	Curve bool

	// InBatchSize and OutBatchSize are the numbers of bytes that libzmq reads from and
	// writes to a connection at once, from 1024 to 64 MiB. 0 means libzmq's default of
	// 8192. They need a libzmq with the draft API, and exclude InProc.
	InBatchSize, OutBatchSize int

	// Marks sets the high-water marks (HWM) of HighWater in a Mode, which otherwise has
	// no limit. It needs a one-way pattern, and excludes a PUSH with many receivers.
	Marks bool

	// Latency times every round trip, for Workload.Latencies. It reads the clock twice
	// per round trip, at about 50 ns each. It excludes mode Batch, where several replies
	// arrive at once. Latency is not part of the name.
	Latency bool
}

// Modes returns all modes, in display order.
func Modes() []Mode {
	return []Mode{Blocking, Drain, Batch, ReadAhead, Sleep, Sleep10, Poll, PollDrain}
}

// Strategies returns the strategies of an implementation, in display order.
func Strategies(impl Impl) []Strategy {
	if impl == C {
		return []Strategy{Copy, ZeroCopy}
	}
	return []Strategy{Bytes, SyncPool, Message, ZeroCopy, Pooled, BatchCopy}
}

// Impls returns all implementations.
func Impls() []Impl { return []Impl{Go, C} }

// String returns the Spec as a benchmark name of key=value parts, on which benchstat can
// project. The implementation comes last, so that both are measured one after the other.
// Default values are omitted, except that PubSub always has its receivers and
// DealerRouter its window.
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
	}
	if s.Mode != "" {
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

// Split splits a payload into the parts of a message of the Spec.
func (s Spec) Split(payload []byte) [][]byte { return Split(payload, s.parts()) }

// Split splits a payload into n parts of equal length. The last part also gets the
// remainder.
func Split(payload []byte, n int) [][]byte {
	parts, each := make([][]byte, n), len(payload)/n
	for i := range parts[:n-1] {
		parts[i] = payload[i*each : (i+1)*each : (i+1)*each]
	}
	parts[n-1] = payload[(n-1)*each:]
	return parts
}

// highWater returns the high-water mark (HWM) of all sockets, divided among the peers. It
// is 0, which means no limit, in a Mode without Marks.
func (s Spec) highWater() int {
	if s.Strategy == "" && !s.Marks {
		return 0
	}
	return HighWater(s.Size * s.senders() * s.receivers())
}

// Sent returns the number of messages that a run sends, or the number of round trips, of
// all senders together. If Messages is 0, the number is MessagesFor(Size), with two
// exceptions. DealerRouter and ReqRep use a tenth of it, but at least 1000 unless
// MessagesFor(Size) is smaller. PubSub and RadioDish divide it by the number of
// receivers, so that about MessagesFor(Size) messages are received.
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

// among returns the smallest number of messages that gives each sender and each receiver
// the same share.
func (s Spec) among() int {
	if s.Pattern.publishes() {
		return 1
	}
	return max(s.senders(), s.receivers()) // one of them is 1
}

// Received returns the number of messages that a run receives, of all receivers together,
// or the number of round trips.
func (s Spec) Received() int {
	if s.Pattern.publishes() {
		return s.Sent() * s.receivers()
	}
	return s.Sent()
}
