package workload

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq/cfloor"
)

// ErrIntegrity is what a run fails with when a message was lost, repeated, out of
// order or of the wrong size.
var ErrIntegrity = cfloor.ErrIntegrity

// An engine drives connected sockets. Stop may be called from any
// goroutine, and makes the other calls fail.
type engine interface {
	Ready() error
	Run(messages int) (elapsed, cpu time.Duration, err error)
	Conclude() error
	Latencies(to []time.Duration) []time.Duration
	Stop()
	Close() error
}

// An engine whose messages come from a pool says how many did, and how many of
// these found memory there, since it was made.
type pooler interface{ PoolCounts() (gets, hits int64) }

// Workload is connected sockets, ready to be measured. Its methods are for one
// goroutine at a time.
type Workload struct {
	spec     Spec
	ctx      context.Context
	engine   engine
	unhook   func() bool // stops watching ctx
	dir      string      // of an ipc endpoint
	from, to runtime.MemStats
}

// Open makes what spec names and returns when messages have gone through it, or all
// subscriptions have arrived. Ending ctx ends Open, and any Run, with its error; the
// Workload is then of no use.
func Open(ctx context.Context, spec Spec) (*Workload, error) { return open(ctx, spec, nil) }

func open(ctx context.Context, spec Spec, through via) (*Workload, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	if err := spec.supported(); err != nil {
		return nil, fmt.Errorf("%s: %w", spec, err)
	}
	return OpenEngine(ctx, spec, func(spec Spec, endpoint string) (Engine, error) {
		if spec.Impl == C {
			return openFloor(spec, endpoint, through)
		}
		return openBinding(spec, endpoint, through)
	})
}

// OpenEngine is Open with an engine from elsewhere, such as another binding's: open
// makes it, with an endpoint to bind to. Whether spec can be run is for open to say.
func OpenEngine(ctx context.Context, spec Spec, open func(spec Spec, endpoint string) (Engine, error)) (*Workload, error) {
	spec.Messages = spec.Sent()
	w := &Workload{spec: spec, ctx: ctx}
	endpoint, err := w.endpoint()
	if err != nil {
		return nil, err
	}
	if w.engine, err = open(spec, endpoint); err != nil {
		os.RemoveAll(w.dir)
		return nil, err
	}
	w.unhook = context.AfterFunc(ctx, w.engine.Stop)
	if err := w.engine.Ready(); err != nil {
		w.Close()
		return nil, w.explain(err)
	}
	return w, nil
}

// Run measures one run of the number of messages that Spec.Sent tells. It allocates
// nothing itself. After an error the Workload can only be closed.
func (w *Workload) Run() (Result, error) {
	gets, hits := w.poolCounts()
	runtime.ReadMemStats(&w.from)
	crossings := runtime.NumCgoCall()
	elapsed, cpu, err := w.engine.Run(w.spec.Messages)
	crossings = runtime.NumCgoCall() - crossings
	runtime.ReadMemStats(&w.to)
	getsAfter, hitsAfter := w.poolCounts()
	if err == nil {
		err = w.engine.Conclude() // not measured
	}
	if err != nil {
		return Result{}, w.explain(err)
	}
	received := w.spec.Received()
	return Result{
		Messages:   received,
		Bytes:      int64(received) * int64(w.spec.Size),
		Elapsed:    elapsed,
		CPU:        cpu,
		Allocs:     w.to.Mallocs - w.from.Mallocs,
		AllocBytes: w.to.TotalAlloc - w.from.TotalAlloc,
		GCs:        w.to.NumGC - w.from.NumGC,
		Crossings:  crossings,
		PoolGets:   getsAfter - gets,
		PoolHits:   hitsAfter - hits,
	}, nil
}

// Latencies appends how long each round trip of the last Run took, with Spec.Latency:
// those of one sender after those of another, in the order in which they were asked.
// It allocates when to has no room, and appends nothing after Close.
func (w *Workload) Latencies(to []time.Duration) []time.Duration {
	if w.engine == nil || !w.spec.Latency {
		return to
	}
	return w.engine.Latencies(to)
}

func (w *Workload) poolCounts() (gets, hits int64) {
	if p, ok := w.engine.(pooler); ok {
		return p.PoolCounts()
	}
	return 0, 0
}

// Close closes the sockets and their context. Further calls do nothing.
func (w *Workload) Close() error {
	if w.engine == nil {
		return nil
	}
	w.unhook()
	err := w.engine.Close()
	w.engine = nil
	if w.dir != "" {
		if e := os.RemoveAll(w.dir); err == nil {
			err = e
		}
	}
	return err
}

// explain prefers the reason for which a run was stopped to what stopping it
// looked like.
func (w *Workload) explain(err error) error {
	if cause := context.Cause(w.ctx); cause != nil {
		err = cause
	}
	return fmt.Errorf("%s: %w", w.spec, err)
}

// endpoint returns where to bind. Each Workload has a context of its own, so an
// inproc name is its own too.
func (w *Workload) endpoint() (string, error) {
	switch w.spec.Transport {
	case TCP:
		return "tcp://127.0.0.1:*", nil
	case InProc:
		return "inproc://workload", nil
	}
	dir, err := os.MkdirTemp("", "zmq")
	if err != nil {
		return "", fmt.Errorf("no directory for an ipc endpoint: %w", err)
	}
	w.dir = dir
	return "ipc://" + filepath.Join(dir, "s"), nil
}
