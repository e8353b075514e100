// Package quick is the short tour: ROUTER to ROUTER over tcp loopback, in each
// mode at a few sizes, with the C floor beside it.
package quick

import (
	"errors"
	"fmt"

	"github.com/go-zmq/go-zmq/internal/workload"
)

// Plan says what is measured.
type Plan struct {
	Sizes    []int // of the payload, in bytes
	Messages int   // of a run; 0: workload.MessagesFor
	Repeat   int   // how often each cell is measured
}

// DefaultPlan takes about 15 seconds.
func DefaultPlan() Plan { return Plan{Sizes: []int{64, 1024, 65536}, Repeat: 3} }

const (
	// A run's messages may all be in libzmq's queues at once.
	mostBytes  = 2 << 30
	mostRepeat = 1000
)

// Validate reports what cannot be measured: all of it, a line each.
func (p Plan) Validate() error {
	var wrong []error
	if len(p.Sizes) == 0 {
		wrong = append(wrong, errors.New("--sizes: no size given; try 64,1KiB,64KiB"))
	}
	if p.Repeat < 1 || p.Repeat > mostRepeat {
		wrong = append(wrong, fmt.Errorf("--repeat %d: use 1 to %d", p.Repeat, mostRepeat))
	}
	if p.Messages < 0 {
		wrong = append(wrong, fmt.Errorf("--messages %d: use 1 or more, or 0 to have it chosen", p.Messages))
		p.Messages = 0 // the sizes are looked at with what would be chosen
	}
	seen := map[int]bool{}
	for _, size := range p.Sizes {
		if seen[size] {
			wrong = append(wrong, fmt.Errorf("--sizes: %d is there twice", size))
			continue
		}
		seen[size] = true
		if err := p.spec(size, workload.Blocking, workload.Go).Validate(); err != nil {
			wrong = append(wrong, fmt.Errorf("--sizes: %w", err))
		} else if n := p.messages(size); n > mostBytes/size {
			wrong = append(wrong, fmt.Errorf("%d messages of %d bytes: they may all be queued at once, which takes more than %d GiB; use fewer --messages or smaller --sizes", n, size, mostBytes>>30))
		}
	}
	return errors.Join(wrong...)
}

// messages returns how many messages a run has.
func (p Plan) messages(size int) int {
	if p.Messages > 0 {
		return p.Messages
	}
	return workload.MessagesFor(size)
}

func (p Plan) spec(size int, mode workload.Mode, impl workload.Impl) workload.Spec {
	return workload.Spec{
		Pattern: workload.RouterRouter, Transport: workload.TCP, Mode: mode, Impl: impl,
		Size: size, Messages: p.messages(size),
	}
}

// cells returns what is measured: each cell of Go is followed by its C floor.
func (p Plan) cells() []Cell {
	var cells []Cell
	for _, size := range p.Sizes {
		for _, mode := range workload.Modes() {
			for _, impl := range workload.Impls() {
				cells = append(cells, Cell{Spec: p.spec(size, mode, impl)})
			}
		}
	}
	return cells
}
