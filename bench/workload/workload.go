package workload

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/go-zmq/go-zmq/bench/cfloor"
)

// ErrIntegrity is the error of a run in which a message was lost, repeated, out of order
// or of the wrong size.
var ErrIntegrity = cfloor.ErrIntegrity

// An engine drives connected sockets. Stop may be called from any goroutine, and makes
// the other calls fail.
type engine interface {
	Ready() error
	Run(messages int) (elapsed, cpu time.Duration, err error)
	Conclude() error
	Latencies(to []time.Duration) []time.Duration
	Stop()
	Close() error
}

// A pooler is an engine that takes its messages from a pool. PoolCounts returns the
// number of messages taken since the engine was created, and the number for which the
// pool had free memory.
type pooler interface{ PoolCounts() (gets, hits int64) }

// Workload is a set of connected sockets, ready to be measured. Calls of its methods must
// not overlap.
type Workload struct {
	spec     Spec
	ctx      context.Context
	engine   engine
	unhook   func() bool // stops watching ctx
	dir      string      // directory of an ipc endpoint, or ""
	from, to runtime.MemStats
}

// Open creates the sockets of spec. It returns when messages have passed through them, or
// when all subscriptions have arrived. If ctx ends, Open or any Run returns its error,
// and the Workload can only be closed.
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

// OpenEngine is like Open with an external engine, for example of another binding. It
// calls open to create the engine, with an endpoint to bind to. open must check whether
// spec can be run.
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

// Run measures one run of Spec.Sent messages. Run itself allocates nothing. After an
// error the Workload can only be closed.
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

// Latencies appends the duration of each round trip of the last Run, if Spec.Latency is
// set. The round trips are grouped by sender, in the order of the requests. Latencies
// allocates if to is too short, and appends nothing after Close.
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

// explain replaces the error of a stopped run with the reason for stopping it.
func (w *Workload) explain(err error) error {
	if cause := context.Cause(w.ctx); cause != nil {
		err = cause
	}
	return fmt.Errorf("%s: %w", w.spec, err)
}

// endpoint returns the endpoint to bind to. Each Workload has its own context, so the
// inproc name is unique.
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
