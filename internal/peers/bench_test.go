package peers

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/go-zmq/go-zmq/internal/workload"
	"github.com/go-zmq/go-zmq/zmq"
)

// The names are those of the benchmarks at the module's root, so that benchstat puts
// them side by side: -col /impl. Each cell is measured with all bindings, and in C, one
// right after the other.

// BenchmarkParked parks a goroutine in a receive on each of 200 sockets. The metrics
// are how many of them have a thread to themselves, and all threads of the process. An
// iteration starts all of them, lets them wait, and ends them.
func BenchmarkParked(b *testing.B) {
	const sockets, idle = 200, 50 * time.Millisecond
	parks := []func(int) (*Parked, error){parkGo}
	impls := []workload.Impl{workload.Go}
	for _, r := range slices.Backward(Rivals()) { // Go keeps threads that it once needed
		parks, impls = append(parks, r.Park), append(impls, r.Impl)
	}
	for i, park := range parks {
		b.Run(fmt.Sprintf("transport=inproc/sockets=%d/impl=%s", sockets, impls[i]), func(b *testing.B) {
			for b.Loop() {
				before := Pinned()
				p, err := park(sockets)
				check(b, err)
				time.Sleep(idle) // they park
				b.ReportMetric(float64(Pinned()-before), "pinned")
				b.ReportMetric(float64(threads()), "threads")
				check(b, p.Close())
			}
		})
	}
}

// parkGo is Park for package zmq.
func parkGo(n int) (*Parked, error) {
	c, err := zmq.NewContext()
	p := parked{stop: c.Close}
	for i := 0; i < n && err == nil; i++ {
		var pull *zmq.Socket
		if pull, err = c.NewSocket(zmq.Pull); err != nil {
			break
		}
		err = pull.Bind(fmt.Sprintf("inproc://parked-%d", i))
		buf := make([]byte, 8)
		p.receive = append(p.receive, func() error {
			_, err := pull.Recv(buf)
			return unless(zmq.ErrClosed, err)
		})
	}
	return start(p, err)
}

func threads() int {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return 0 // the system does not say
	}
	return len(tasks)
}

// sizesOver returns the sizes that are measured: all over tcp, and the ends of the
// scale over what not every rival is good at.
func sizesOver(t workload.Transport) []int {
	if t == workload.TCP {
		return []int{64, 512, 1024, 65536}
	}
	return []int{64, 65536}
}

// modesWith returns the modes that are measured with a size: where little else happens,
// also those of one rival.
func modesWith(t workload.Transport, size int) []workload.Mode {
	switch {
	case t != workload.TCP:
		return []workload.Mode{workload.Blocking}
	case size == 64 || size == 1024:
		return []workload.Mode{workload.Blocking, Poll, Reactor, Message}
	}
	return []workload.Mode{workload.Blocking, Poll}
}

// BenchmarkReceive sends 100,000 messages an iteration, or 64 MiB of larger ones, and
// receives them in each mode.
func BenchmarkReceive(b *testing.B) {
	for _, pattern := range []workload.Pattern{workload.RouterRouter, workload.PushPull, workload.PubSub} {
		for _, transport := range workload.Transports() {
			for _, size := range sizesOver(transport) {
				for _, mode := range modesWith(transport, size) {
					spec := workload.Spec{Pattern: pattern, Transport: transport, Size: size, Mode: mode}
					if testing.Short() {
						spec.Messages = 1000 // to see that it works
					}
					eachImpl(spec, func(spec workload.Spec, open opener) {
						b.Run(spec.String(), func(b *testing.B) { benchmarkOneWay(b, spec, open) })
					})
				}
			}
		}
	}
}

func benchmarkOneWay(b *testing.B, spec workload.Spec, open opener) {
	r, stalls := measure(b, spec, open, b.N)
	b.ReportMetric(r.MessagesPerSecond(), "msg/s")
	b.ReportMetric(r.GBPerSecond(), "GB/s")
	b.ReportMetric(r.NsPerMessage(), "ns/msg")
	b.ReportMetric(r.CPUPerMessage(), "cpu-ns/msg")
	b.ReportMetric(r.CrossingsPerMessage(), "cgo/msg")
	b.ReportMetric(r.AllocsPerMessage(), "allocs/msg")
	b.ReportMetric(float64(r.AllocBytes)/float64(r.Messages), "B/msg")
	b.ReportMetric(float64(r.Messages)/float64(b.N), "msg/op")
	b.ReportMetric(float64(r.GCs)/float64(b.N), "gc/op")
	b.ReportMetric(float64(stalls)/float64(b.N), "stalls/op")
}

// BenchmarkRoundTrip sends a message there and back, one at a time; DEALER to ROUTER
// also with 64 under way. An iteration is a round trip.
func BenchmarkRoundTrip(b *testing.B) {
	for _, pattern := range []workload.Pattern{workload.DealerRouter, workload.ReqRep} {
		for _, transport := range workload.Transports() {
			for _, size := range sizesOver(transport) {
				for _, window := range []int{1, 64} {
					if window > 1 && (pattern != workload.DealerRouter || transport != workload.TCP) {
						continue
					}
					spec := workload.Spec{Pattern: pattern, Transport: transport, Size: size, Window: window, Mode: workload.Blocking}
					eachImpl(spec, func(spec workload.Spec, open opener) {
						b.Run(spec.String(), func(b *testing.B) {
							spec.Messages = b.N
							r, _ := measure(b, spec, open, 1)
							b.ReportMetric(r.MessagesPerSecond(), "msg/s")
							b.ReportMetric(r.CPUPerMessage(), "cpu-ns/op")
							b.ReportMetric(r.CrossingsPerMessage(), "cgo/op")
						})
					})
				}
			}
		}
	}
}

type opener func(context.Context, *testing.B, workload.Spec) *workload.Workload

// eachImpl calls f for each implementation that has the mode: ours and C, then the
// rivals.
func eachImpl(spec workload.Spec, f func(workload.Spec, opener)) {
	if slices.Contains(workload.Modes(), spec.Mode) {
		for _, spec.Impl = range workload.Impls() {
			f(spec, func(ctx context.Context, b *testing.B, spec workload.Spec) *workload.Workload {
				w, err := workload.Open(ctx, spec)
				check(b, err)
				return w
			})
		}
	}
	for _, r := range Rivals() {
		if !slices.Contains(r.Modes, spec.Mode) {
			continue
		}
		spec.Impl = r.Impl
		f(spec, func(ctx context.Context, b *testing.B, spec workload.Spec) *workload.Workload {
			if reason := r.Cannot(spec); reason != "" {
				b.Skip(reason)
			}
			w, err := r.Open(ctx, spec)
			check(b, err)
			return w
		})
	}
}

// measure combines runs of a workload, and counts those that stalled. A run before
// them grows what is kept. It puts the receiver's time into ns/op.
func measure(b *testing.B, spec workload.Spec, open opener, n int) (sum workload.Result, stalls int) {
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel() // go test's -timeout is not for benchmarks
	w := open(ctx, b, spec)
	defer func() { check(b, w.Close()) }()
	_, err := w.Run()
	check(b, err)
	runs := make([]workload.Result, n)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range runs {
		runs[i], err = w.Run()
		check(b, err)
	}
	b.StopTimer()
	sum = workload.Combine(runs)
	b.ReportMetric(float64(sum.Elapsed)/float64(b.N), "ns/op")
	return sum, workload.Stalls(runs)
}

func check(b *testing.B, err error) {
	if err != nil {
		b.Helper()
		b.Fatal(err)
	}
}
