package rivals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/go-zmq/go-zmq/bench/workload"
)

// The modes of pebbe/zmq4 that package workload does not have. With Poll and Reactor, the
// receiver takes all available messages after each wait.
const (
	Poll    = workload.Poll
	Reactor = workload.Mode("reactor") // a Poller inside a Reactor
	Message = workload.Mode("message") // like Blocking, with the calls for whole messages
)

// Rival is another binding.
type Rival struct {
	Impl  workload.Impl
	Modes []workload.Mode // of one-way patterns; round trips are always Blocking

	open   func(workload.Spec, string) (sockets, error)
	park   func(n int) (parked, error)
	cannot func(workload.Spec) string // see Cannot; nil: the rival runs every Spec
}

// Cannot returns why the rival does not run the Spec correctly, as observed, or "".
func (r *Rival) Cannot(spec workload.Spec) string {
	if r.cannot == nil {
		return ""
	}
	return r.cannot(spec)
}

// Rivals returns the rivals of this build, in display order.
func Rivals() []*Rival {
	all := []*Rival{pebbeRival(), goczmqRival(), goZeroMQRival()}
	return slices.DeleteFunc(all, func(r *Rival) bool { return r == nil })
}

// serial makes inproc endpoints unique, because some rivals have one context for all
// sockets.
var serial atomic.Int64

// Open is workload.Open for the rival. The Spec has one sender, one receiver and one of the
// rival's Modes, and Cannot does not exclude it.
func (r *Rival) Open(ctx context.Context, spec workload.Spec) (*workload.Workload, error) {
	spec.Impl = r.Impl
	if err := r.validate(spec); err != nil {
		return nil, fmt.Errorf("%s: %w", spec, err)
	}
	return workload.OpenEngine(ctx, spec, func(spec workload.Spec, endpoint string) (workload.Engine, error) {
		if spec.Transport == workload.InProc {
			endpoint = fmt.Sprintf("%s-%d", endpoint, serial.Add(1))
		}
		s, err := r.open(spec, endpoint)
		if err != nil {
			return nil, err
		}
		return newEngine(spec, s), nil
	})
}

// patterns has the patterns that every rival supports.
var patterns = []workload.Pattern{
	workload.RouterRouter, workload.PushPull, workload.PubSub, workload.DealerDealer, workload.DealerRouter, workload.ReqRep,
}

// validate rejects what no rival supports, and everything that package workload rejects.
func (r *Rival) validate(spec workload.Spec) error {
	switch {
	case !slices.Contains(patterns, spec.Pattern):
		return fmt.Errorf("pattern %q: use one of %q", spec.Pattern, patterns)
	case !slices.Contains(r.Modes, spec.Mode):
		return fmt.Errorf("mode %q: use one of %q", spec.Mode, r.Modes)
	case returns(spec.Pattern) && spec.Mode != workload.Blocking:
		return fmt.Errorf("mode %q with pattern %q: use mode %q", spec.Mode, spec.Pattern, workload.Blocking)
	case spec.Parts > 1 || spec.Payload != "" || spec.Pin != "":
		return errors.New("a rival is measured with one part, the default payload and threads that are not pinned")
	case spec.Strategy != "" || spec.Senders > 1 || spec.Receivers > 1 || spec.Curve || spec.InBatchSize+spec.OutBatchSize > 0:
		return errors.New("a rival is measured with one sender, one receiver, a mode and plain connections")
	}
	if reason := r.Cannot(spec); reason != "" {
		return fmt.Errorf("not supported: %s", reason)
	}
	spec.Impl, spec.Mode = workload.Go, workload.Blocking // the mode was checked above
	return spec.Validate()
}

// highWater returns the high-water mark (HWM) of a rival's sockets. go-zeromq has none.
func highWater(spec workload.Spec) int {
	if spec.Marks {
		return workload.HighWater(spec.Size)
	}
	return 0
}

// unless returns err, or nil if err is the expected one.
func unless(expected, err error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}
