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

// The modes.
const (
	Blocking Mode = "blocking" // every receive waits for its message
	Batch    Mode = "batch"    // one waits, then all that is there is taken without waiting
	Sleep    Mode = "sleep"    // none waits; when nothing is there, 1 ms of sleep
	Poll     Mode = "poll"     // a wait for readability, then as Batch
)

// Impl says who makes the calls.
type Impl string

// The implementations.
const (
	Go Impl = "go" // package zmq
	C  Impl = "c"  // the same loop in C, on the same libzmq in the same process
)

// DefaultMessages is how many messages a run has when a Spec does not say.
const DefaultMessages = 10_000

// minSize is what the check of the order needs in every payload.
const minSize = 8

// Spec names a workload.
type Spec struct {
	Pattern   Pattern
	Transport Transport
	Mode      Mode
	Impl      Impl
	Size      int // of the payload, in bytes; at least 8
	Messages  int // of a run; 0: DefaultMessages
}

// Modes returns all modes, in the order in which they are shown.
func Modes() []Mode { return []Mode{Blocking, Batch, Sleep, Poll} }

// Impls returns all implementations.
func Impls() []Impl { return []Impl{Go, C} }

// String returns the Spec as the name of a benchmark, in parts that benchstat
// can project: key=value, with the implementation last, so that the two are
// measured one after the other.
func (s Spec) String() string {
	return fmt.Sprintf("pattern=%s/transport=%s/size=%d/mode=%s/impl=%s", s.Pattern, s.Transport, s.Size, s.Mode, s.Impl)
}

// Validate reports what is wrong with s.
func (s Spec) Validate() error {
	if err := known("pattern", s.Pattern, RouterRouter, PushPull, DealerDealer); err != nil {
		return err
	}
	if err := known("transport", s.Transport, TCP, IPC, InProc); err != nil {
		return err
	}
	if err := known("mode", s.Mode, Modes()...); err != nil {
		return err
	}
	if err := known("impl", s.Impl, Impls()...); err != nil {
		return err
	}
	switch {
	case s.Pattern == DealerDealer && s.Mode != Blocking:
		return fmt.Errorf("mode %q with pattern %q: a round trip has one message under way; use mode %q", s.Mode, s.Pattern, Blocking)
	case s.Size < minSize:
		return fmt.Errorf("size %d: messages carry a number of %d bytes; use %d or more", s.Size, minSize, minSize)
	case s.Messages < 0:
		return fmt.Errorf("messages %d: use 1 or more, or 0 for %d", s.Messages, DefaultMessages)
	}
	return nil
}

func known[T ~string](what string, value T, choices ...T) error {
	if slices.Contains(choices, value) {
		return nil
	}
	return fmt.Errorf("unknown %s %q; use one of %q", what, value, choices)
}
