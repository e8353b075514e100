package peers

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
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
	const sockets = 200
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
				parked := settled()
				b.ReportMetric(float64(parked-before), "pinned")
				b.ReportMetric(float64(threads()), "threads")
				check(b, p.Close())
			}
		})
	}
}

// settled returns Pinned once it has stayed the same for a while.
func settled() int {
	n := Pinned()
	for since := time.Now(); time.Since(since) < 100*time.Millisecond; time.Sleep(time.Millisecond) {
		if now := Pinned(); now != n {
			n, since = now, time.Now()
		}
	}
	return n
}

// parkGo is Park for package zmq.
func parkGo(n int) (*Parked, error) {
	zctx, err := zmq.NewContext()
	p := parked{stop: zctx.Close}
	for i := 0; i < n && err == nil; i++ {
		var pull *zmq.Socket
		if pull, err = zctx.NewSocket(zmq.Pull); err != nil {
			break
		}
		err = pull.Bind(fmt.Sprintf("inproc://parked-%d", i))
		buf := make([]byte, 8)
		p.receive = append(p.receive, func() error {
			_, err := pull.Recv(context.Background(), buf)
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

// each calls f for every combination.
func each(f func(workload.Spec), like workload.Spec, patterns []workload.Pattern, transports []workload.Transport, sizes []int, modes ...workload.Mode) {
	for _, like.Pattern = range patterns {
		for _, like.Transport = range transports {
			for _, like.Size = range sizes {
				for _, like.Mode = range modes {
					f(like)
				}
			}
		}
	}
}

var (
	overTCP   = []workload.Transport{workload.TCP}
	elsewhere = []workload.Transport{workload.IPC, workload.InProc}
	oneWay    = []workload.Pattern{workload.RouterRouter, workload.PushPull}
	pubSub    = []workload.Pattern{workload.PubSub}
	sizes     = []int{64, 512, 1024, 65536}
	fewSizes  = []int{64, 65536}
)

// BenchmarkReceive sends 100,000 messages an iteration over loopback, or 64 MiB of
// larger ones, and receives them in each mode.
func BenchmarkReceive(b *testing.B) {
	run := func(spec workload.Spec) { benchmarkOneWay(b, spec) }
	each(run, workload.Spec{}, oneWay, overTCP, sizes, workload.Blocking, Poll)
	each(run, workload.Spec{}, oneWay, overTCP, fewSizes, Reactor, Message)
}

// BenchmarkBindings does the same as programs do it: with libzmq's default high-water mark
// (HWM) of 1000, and with a new slice for each message received (recvbytes), as the rivals
// receive. The modes blocking and batch of go-zmq reuse memory.
func BenchmarkBindings(b *testing.B) {
	like := workload.Spec{Marks: true}
	run := func(spec workload.Spec) { benchmarkOneWay(b, spec) }
	each(func(spec workload.Spec) {
		run(spec)
		spec.Impl = workload.Go
		name := strings.Replace(spec.String(), "mode=blocking", "mode=recvbytes", 1)
		b.Run(name, func(b *testing.B) { report(b, shortened(spec), openRival(ours())) })
		spec.Mode = workload.Batch
		b.Run(spec.String(), func(b *testing.B) { report(b, shortened(spec), openOurs) })
	}, like, oneWay, overTCP, []int{64, 1024}, workload.Blocking)
}

// BenchmarkPublish delivers as many to a subscriber.
func BenchmarkPublish(b *testing.B) {
	run := func(spec workload.Spec) { benchmarkOneWay(b, spec) }
	each(run, workload.Spec{Receivers: 1}, pubSub, overTCP, sizes, workload.Blocking, Poll)
	each(run, workload.Spec{Receivers: 1}, pubSub, elsewhere, fewSizes, workload.Blocking)
}

// BenchmarkTransport sends the same over the other transports.
func BenchmarkTransport(b *testing.B) {
	run := func(spec workload.Spec) { benchmarkOneWay(b, spec) }
	each(run, workload.Spec{}, oneWay, elsewhere, fewSizes, workload.Blocking)
}

func benchmarkOneWay(b *testing.B, spec workload.Spec) {
	spec = shortened(spec)
	eachImpl(spec, func(spec workload.Spec, open opener) {
		b.Run(spec.String(), func(b *testing.B) { report(b, spec, open) })
	})
}

// shortened returns a spec of few messages with -short, to see that it works.
func shortened(spec workload.Spec) workload.Spec {
	if testing.Short() {
		spec.Messages = 1000
	}
	return spec
}

func report(b *testing.B, spec workload.Spec, open opener) {
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

// BenchmarkRoundTrip sends a message there and back, DEALER to DEALER, one at a time.
func BenchmarkRoundTrip(b *testing.B) {
	for _, transport := range []workload.Transport{workload.TCP, workload.InProc} {
		spec := workload.Spec{Pattern: workload.DealerDealer, Transport: transport, Size: 64, Mode: workload.Blocking}
		eachImpl(spec, func(spec workload.Spec, open opener) {
			b.Run(fmt.Sprintf("transport=%s/size=%d/impl=%s", transport, spec.Size, spec.Impl), func(b *testing.B) {
				roundTrips(b, spec, open)
			})
		})
	}
}

// BenchmarkRequest makes requests that are answered: DEALER to ROUTER with one and with
// 100 under way, and REQ to REP.
func BenchmarkRequest(b *testing.B) {
	run := func(spec workload.Spec) {
		eachImpl(spec, func(spec workload.Spec, open opener) {
			b.Run(spec.String(), func(b *testing.B) { roundTrips(b, spec, open) })
		})
	}
	requests := []workload.Pattern{workload.DealerRouter, workload.ReqRep}
	each(run, workload.Spec{}, requests, overTCP, sizes, workload.Blocking)
	each(run, workload.Spec{}, requests, elsewhere, []int{64}, workload.Blocking)
	each(run, workload.Spec{Window: 100}, requests[:1], overTCP, sizes, workload.Blocking)
}

// roundTrips makes b.N of them.
func roundTrips(b *testing.B, spec workload.Spec, open opener) {
	spec.Messages = b.N
	r, _ := measure(b, spec, open, 1)
	b.ReportMetric(r.CPUPerMessage(), "cpu-ns/op")
	b.ReportMetric(r.CrossingsPerMessage(), "cgo/op")
}

type opener func(context.Context, *testing.B, workload.Spec) *workload.Workload

// eachImpl calls f for each implementation that has the mode: ours and C, then the
// rivals.
func eachImpl(spec workload.Spec, f func(workload.Spec, opener)) {
	if slices.Contains(workload.Modes(), spec.Mode) {
		for _, spec.Impl = range workload.Impls() {
			f(spec, openOurs)
		}
	}
	for _, r := range Rivals() {
		if !slices.Contains(r.Modes, spec.Mode) {
			continue
		}
		spec.Impl = r.Impl
		f(spec, openRival(r))
	}
}

func openRival(r *Rival) opener {
	return func(ctx context.Context, b *testing.B, spec workload.Spec) *workload.Workload {
		if reason := r.Cannot(spec); reason != "" {
			// A skip is silent without -v. This is not a line that benchstat reads.
			fmt.Printf("# skipped: %s: %s\n", spec, reason)
			b.Skip(reason)
		}
		w, err := r.Open(ctx, spec)
		check(b, err)
		return w
	}
}

// openOurs opens a workload of go-zmq or of C.
func openOurs(ctx context.Context, b *testing.B, spec workload.Spec) *workload.Workload {
	w, err := workload.Open(ctx, spec)
	check(b, err)
	return w
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
	// go test would count what follows a run, too.
	b.ReportMetric(float64(sum.Allocs)/float64(b.N), "allocs/op")
	b.ReportMetric(float64(sum.AllocBytes)/float64(b.N), "B/op")
	return sum, workload.Stalls(runs)
}

func check(b *testing.B, err error) {
	if err != nil {
		b.Helper()
		b.Fatal(err)
	}
}
