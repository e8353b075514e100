package peers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/go-zmq/go-zmq/internal/workload"
)

// Modes beside workload's, of pebbe/zmq4. With Poll and Reactor, what is there after
// each wait is taken.
const (
	Poll    = workload.Poll
	Reactor = workload.Mode("reactor") // its Reactor has the Poller
	Message = workload.Mode("message") // as Blocking, with the calls for whole messages
)

// Rival is another binding.
type Rival struct {
	Impl  workload.Impl
	Modes []workload.Mode // what goes there and back is always Blocking

	open   func(workload.Spec, string) (sockets, error)
	park   func(n int) (parked, error)
	cannot func(workload.Spec) string // see Cannot; nil: it can do all
}

// Cannot returns why the rival does not run the Spec correctly, as observed, or "".
func (r *Rival) Cannot(spec workload.Spec) string {
	if r.cannot == nil {
		return ""
	}
	return r.cannot(spec)
}

// Rivals returns those that are compiled in, in the order in which they are shown.
func Rivals() []*Rival {
	all := []*Rival{pebbeRival(), goczmqRival(), goZeroMQRival()}
	return slices.DeleteFunc(all, func(r *Rival) bool { return r == nil })
}

// serial makes endpoints over inproc unique: not every rival has a context for each
// pair of sockets.
var serial atomic.Int64

// Open is workload.Open for the rival: with one sender and one receiver, with one of
// its Modes, and where Cannot has no reason against it.
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

// patterns are those that every rival's sockets are opened for.
var patterns = []workload.Pattern{
	workload.RouterRouter, workload.PushPull, workload.PubSub, workload.DealerDealer, workload.DealerRouter, workload.ReqRep,
}

// validate looks for what no rival's engine does; the rest is checked as for the
// binding's own.
func (r *Rival) validate(spec workload.Spec) error {
	switch {
	case !slices.Contains(patterns, spec.Pattern):
		return fmt.Errorf("pattern %q: use one of %q", spec.Pattern, patterns)
	case !slices.Contains(r.Modes, spec.Mode):
		return fmt.Errorf("mode %q: use one of %q", spec.Mode, r.Modes)
	case returns(spec.Pattern) && spec.Mode != workload.Blocking:
		return fmt.Errorf("mode %q with pattern %q: use mode %q", spec.Mode, spec.Pattern, workload.Blocking)
	case spec.Parts > 1 || spec.Payload != "" || spec.Pin != "":
		return errors.New("a rival is measured with one part, a payload of ours, and threads that may run anywhere")
	case spec.Strategy != "" || spec.Senders > 1 || spec.Receivers > 1 || spec.Curve || spec.InBatchSize+spec.OutBatchSize > 0:
		return errors.New("a rival is measured with one sender, one receiver, a mode, and connections as they come")
	}
	if reason := r.Cannot(spec); reason != "" {
		return fmt.Errorf("it cannot: %s", reason)
	}
	spec.Impl, spec.Mode = workload.Go, workload.Blocking // Modes has those of the rival
	return spec.Validate()
}

// highWater returns the high-water mark (HWM) of a rival's sockets. go-zeromq has none.
func highWater(spec workload.Spec) int {
	if spec.Marks {
		return workload.HighWater(spec.Size)
	}
	return 0
}

// unless returns err, if that is not the one that is expected.
func unless(expected, err error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}
