package workload

import (
	"fmt"
	"slices"
)

// Pattern says which types of socket talk, and how.
type Pattern string

// The patterns. RouterRouter and PushPull send one way; DealerDealer sends there
// and back, one message at a time.
const (
	RouterRouter Pattern = "routerrouter" // two parts: routing id and payload
	PushPull     Pattern = "pushpull"     // one part
	DealerDealer Pattern = "dealerdealer" // one part; a message is a round trip
)

// Transport is libzmq's name of a transport.
type Transport string

// The transports.
const (
	TCP    Transport = "tcp" // over the loopback device
	IPC    Transport = "ipc"
	InProc Transport = "inproc"
)

// Mode says how the receiver receives. DealerDealer is always Blocking.
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
// received. It takes the place of a Mode: every receive waits.
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

// minSize is what the check of the order needs in every payload.
const minSize = 8

// Spec names a workload.
type Spec struct {
	Pattern   Pattern
	Transport Transport
	Mode      Mode     // without Strategy
	Strategy  Strategy // without Mode; not for DealerDealer
	Impl      Impl
	Size      int // of the payload, in bytes; at least 8
	Messages  int // of a run; 0: MessagesFor(Size)
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
// measured one after the other.
func (s Spec) String() string {
	how := "mode=" + string(s.Mode)
	if s.Strategy != "" {
		how = "strategy=" + string(s.Strategy)
	}
	return fmt.Sprintf("pattern=%s/transport=%s/size=%d/%s/impl=%s", s.Pattern, s.Transport, s.Size, how, s.Impl)
}

// Validate reports what is wrong with s.
func (s Spec) Validate() error {
	if err := known("pattern", s.Pattern, RouterRouter, PushPull, DealerDealer); err != nil {
		return err
	}
	if err := known("transport", s.Transport, TCP, IPC, InProc); err != nil {
		return err
	}
	if err := known("impl", s.Impl, Impls()...); err != nil {
		return err
	}
	if err := s.validateHow(); err != nil {
		return err
	}
	switch {
	case s.Size < minSize:
		return fmt.Errorf("size %d: messages carry a number of %d bytes; use %d or more", s.Size, minSize, minSize)
	case s.Messages < 0:
		return fmt.Errorf("messages %d: use 1 or more, or 0 to have it chosen", s.Messages)
	}
	return nil
}

// validateHow checks the mode or the strategy.
func (s Spec) validateHow() error {
	if s.Strategy == "" {
		if s.Pattern == DealerDealer && s.Mode != Blocking && slices.Contains(Modes(), s.Mode) {
			return fmt.Errorf("mode %q with pattern %q: a round trip has one message under way; use mode %q", s.Mode, s.Pattern, Blocking)
		}
		return known("mode", s.Mode, Modes()...)
	}
	all := append(Strategies(Go), Copy)
	switch {
	case !slices.Contains(all, s.Strategy):
		return known("strategy", s.Strategy, all...)
	case !slices.Contains(Strategies(s.Impl), s.Strategy):
		return fmt.Errorf("strategy %q with impl %q: it has no such way; use one of %q", s.Strategy, s.Impl, Strategies(s.Impl))
	case s.Pattern == DealerDealer:
		return fmt.Errorf("strategy %q with pattern %q: strategies are for messages that go one way; use pattern %q or %q", s.Strategy, s.Pattern, RouterRouter, PushPull)
	case s.Mode != "":
		return fmt.Errorf("strategy %q with mode %q: a strategy has its own way to receive; leave the mode empty", s.Strategy, s.Mode)
	}
	return nil
}

func known[T ~string](what string, value T, choices ...T) error {
	if slices.Contains(choices, value) {
		return nil
	}
	return fmt.Errorf("unknown %s %q; use one of %q", what, value, choices)
}
