package workload

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-zmq/go-zmq/zmq"
)

const (
	// minSize is the payload that the order check needs. maxSize prevents a message from
	// using all memory.
	minSize, maxSize = 8, 1 << 30
	// maxPeers leaves room among the 1,023 sockets that a context may have.
	maxPeers = 1000
	// maxMessages reserves the numbers from end on for the messages that follow a run.
	maxMessages int64 = end - maxPeers
	// maxSamples corresponds to 800 MB of memory.
	maxSamples = 100_000_000
	// The limits of package zmq for InBatchSize and OutBatchSize.
	minBatch, maxBatch = 1024, 64 << 20
)

// Validate returns an error if s is invalid. It does not check whether the loaded libzmq
// supports s, which Open does.
func (s Spec) Validate() error {
	for _, check := range []func() error{
		s.validateNames, s.validateHow, s.validateAmounts, s.validatePeers, s.validateConnection, s.validateLatency, s.validateParts, s.validatePin,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (s Spec) validateNames() error {
	if err := known("pattern", s.Pattern, append(Patterns(), DraftPatterns()...)...); err != nil {
		return err
	}
	if err := known("transport", s.Transport, Transports()...); err != nil {
		return err
	}
	return known("impl", s.Impl, Impls()...)
}

// validateHow checks the mode or the strategy.
func (s Spec) validateHow() error {
	if s.Strategy == "" {
		if err := known("mode", s.Mode, Modes()...); err != nil {
			return err
		}
		if modes := s.Pattern.modes(); !slices.Contains(modes, s.Mode) {
			return fmt.Errorf("mode %q with pattern %q: round trips do not have this mode; use one of %q", s.Mode, s.Pattern, modes)
		}
		return s.validateMarks()
	}
	all := append(Strategies(Go), Copy)
	switch {
	case !slices.Contains(all, s.Strategy):
		return known("strategy", s.Strategy, all...)
	case !slices.Contains(Strategies(s.Impl), s.Strategy):
		return fmt.Errorf("strategy %q with impl %q: it has no such way; use one of %q", s.Strategy, s.Impl, Strategies(s.Impl))
	case s.Pattern.returns():
		return fmt.Errorf("strategy %q with pattern %q: strategies are for messages that go one way; use pattern %q, %q or %q", s.Strategy, s.Pattern, RouterRouter, PushPull, PubSub)
	case s.Mode != "" && s.Mode != Poll:
		return fmt.Errorf("strategy %q with mode %q: a strategy has its own way to receive; leave the mode empty, or use %q", s.Strategy, s.Mode, Poll)
	case s.Mode == Poll && s.Strategy == ZeroCopy && s.Impl == C:
		return fmt.Errorf("strategy %q with mode %q and impl %q: its loop only waits in receives; leave the mode empty", s.Strategy, s.Mode, s.Impl)
	case s.Marks:
		return fmt.Errorf("marks with strategy %q: a strategy has them anyway; leave them out", s.Strategy)
	case s.Pattern.draft():
		return fmt.Errorf("strategy %q with pattern %q: draft patterns are measured in modes; use one of these", s.Strategy, s.Pattern)
	case s.Pattern == PushPull && s.receivers() > 1:
		return fmt.Errorf("strategy %q with %d receivers: up to their high-water marks a PUSH deals out as it likes, and none would know how many are its own; use one receiver, pattern %q, or a mode", s.Strategy, s.Receivers, PubSub)
	}
	return nil
}

// validateMarks checks Marks in a mode.
func (s Spec) validateMarks() error {
	switch {
	case !s.Marks:
	case s.Pattern.returns(), s.Pattern.draft():
		return fmt.Errorf("marks with pattern %q: they are for messages that go one way, and not for draft patterns; use pattern %q, %q or %q", s.Pattern, RouterRouter, PushPull, PubSub)
	case s.Pattern == PushPull && s.receivers() > 1:
		return fmt.Errorf("marks with %d receivers: up to its marks a PUSH deals out as it likes, and none would know how many are its own; use one receiver, or pattern %q", s.Receivers, PubSub)
	}
	return nil
}

// modes returns the modes that a pattern supports.
func (p Pattern) modes() []Mode {
	switch p {
	case DealerDealer, ReqRep:
		return []Mode{Blocking}
	case DealerRouter:
		return []Mode{Blocking, Batch, ReadAhead}
	}
	return Modes()
}

func (s Spec) validateAmounts() error {
	switch {
	case s.Size < minSize:
		return fmt.Errorf("size %d: messages carry a number of %d bytes; use %d or more", s.Size, minSize, minSize)
	case s.Size > maxSize:
		return fmt.Errorf("size %d: use %d or less", s.Size, maxSize)
	case s.Messages < 0:
		return fmt.Errorf("messages %d: use 1 or more, or 0 to have it chosen", s.Messages)
	case int64(s.Messages) > maxMessages:
		return fmt.Errorf("messages %d: use %d or fewer", s.Messages, maxMessages)
	}
	return nil
}

func (s Spec) validatePeers() error {
	manySenders := s.Pattern.deals() || s.Pattern == DealerRouter || s.Pattern == ReqRep
	manyReceivers := s.Pattern.deals() || s.Pattern.publishes()
	switch {
	case s.Senders < 0 || s.Senders > maxPeers:
		return fmt.Errorf("senders %d: use 1 to %d, or 0 for one", s.Senders, maxPeers)
	case s.Receivers < 0 || s.Receivers > maxPeers:
		return fmt.Errorf("receivers %d: use 1 to %d, or 0 for one", s.Receivers, maxPeers)
	case s.senders() > 1 && !manySenders:
		return fmt.Errorf("senders %d with pattern %q: it has one sender; use pattern %q, %q or %q", s.Senders, s.Pattern, PushPull, DealerRouter, ReqRep)
	case s.receivers() > 1 && !manyReceivers:
		return fmt.Errorf("receivers %d with pattern %q: it has one receiver; use pattern %q or %q", s.Receivers, s.Pattern, PushPull, PubSub)
	case s.senders() > 1 && s.receivers() > 1:
		return fmt.Errorf("senders %d with receivers %d: many to many is not measured; use one of one kind", s.Senders, s.Receivers)
	}
	return s.validateWindow()
}

func (s Spec) validateWindow() error {
	switch {
	case s.Window < 0:
		return fmt.Errorf("window %d: use 1 or more, or 0 for one", s.Window)
	case s.window() > 1 && s.Pattern != DealerRouter:
		return fmt.Errorf("window %d with pattern %q: only pattern %q has more than one request under way", s.Window, s.Pattern, DealerRouter)
	}
	return nil
}

// validateConnection checks the options of connections.
func (s Spec) validateConnection() error {
	for name, size := range map[string]int{"inbatch": s.InBatchSize, "outbatch": s.OutBatchSize} {
		if size != 0 && (size < minBatch || size > maxBatch) {
			return fmt.Errorf("%s %d: use %d to %d bytes, or 0 for libzmq's default", name, size, minBatch, maxBatch)
		}
	}
	if s.Transport != InProc {
		return nil
	}
	switch {
	case s.Pattern.draft():
		return fmt.Errorf("pattern %q with transport %q: libzmq freezes when sockets of draft types use it; use transport %q or %q", s.Pattern, InProc, TCP, IPC)
	case s.Curve:
		return fmt.Errorf("curve with transport %q: nothing leaves the process, so libzmq encrypts nothing; use transport %q or %q", InProc, TCP, IPC)
	case s.InBatchSize+s.OutBatchSize > 0:
		return fmt.Errorf("inbatch or outbatch with transport %q: it has no buffers that libzmq reads into or writes from; use transport %q or %q", InProc, TCP, IPC)
	}
	return nil
}

func (s Spec) validateParts() error {
	switch {
	case s.Parts < 0:
		return fmt.Errorf("parts %d: use 1 or more, or 0 for one", s.Parts)
	case s.parts() == 1:
		return nil
	case s.Pattern.returns():
		return fmt.Errorf("parts %d with pattern %q: several parts are measured one way; use pattern %q, %q, %q or %q", s.Parts, s.Pattern, RouterRouter, PushPull, PubSub, Pair)
	case s.Pattern.draft():
		return fmt.Errorf("parts %d with pattern %q: its messages have one part; use pattern %q, %q, %q or %q", s.Parts, s.Pattern, RouterRouter, PushPull, PubSub, Pair)
	case s.Strategy != "":
		return fmt.Errorf("parts %d with strategy %q: a strategy has one piece of memory for a message; use a mode", s.Parts, s.Strategy)
	case s.Size/s.Parts < minSize:
		return fmt.Errorf("parts %d of size %d: the first carries a number of %d bytes; use a size of %d or more", s.Parts, s.Size, minSize, minSize*s.Parts)
	}
	return nil
}

// validatePin checks only the syntax, because the processors depend on the machine.
func (s Spec) validatePin() error {
	_, err := ParsePin(s.Pin)
	return err
}

func (s Spec) validateLatency() error {
	switch {
	case !s.Latency:
		return nil
	case !s.Pattern.returns():
		return fmt.Errorf("latency with pattern %q: only a round trip can be timed with one clock; use pattern %q, %q or %q", s.Pattern, DealerDealer, DealerRouter, ReqRep)
	case s.Mode == Batch:
		return fmt.Errorf("latency with mode %q: replies are taken many at once; use mode %q or %q", s.Mode, Blocking, ReadAhead)
	case s.Sent() > maxSamples:
		return fmt.Errorf("latency of %d messages: the time of each is kept; use %d or fewer", s.Sent(), maxSamples)
	}
	return nil
}

// supported reports what the loaded libzmq lacks. If libzmq cannot be loaded, it returns
// nil, and opening a context reports the error.
func (s Spec) supported() error {
	if major, _, _ := zmq.Version(); major == 0 {
		return nil
	}
	lacks := func(capability, what string) error {
		if zmq.Has(capability) {
			return nil
		}
		return fmt.Errorf("this libzmq was built without %s; choose another with GOZMQ_LIBRARY: %w", what, zmq.ErrNotSupported)
	}
	var errs []error
	if s.Transport == IPC {
		errs = append(errs, lacks("ipc", "ipc"))
	}
	if s.Curve {
		errs = append(errs, lacks("curve", "CURVE"))
	}
	if s.Pattern.draft() {
		errs = append(errs, lacks("draft", fmt.Sprintf("the draft API, which pattern %q takes", s.Pattern)))
	}
	if s.InBatchSize+s.OutBatchSize > 0 {
		errs = append(errs, lacks("draft", "the draft API, which inbatch and outbatch take"))
	}
	return errors.Join(errs...)
}

func known[T ~string](what string, value T, choices ...T) error {
	if slices.Contains(choices, value) {
		return nil
	}
	return fmt.Errorf("unknown %s %q; use one of %q", what, value, choices)
}
