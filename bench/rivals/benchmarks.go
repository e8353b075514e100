package rivals

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zmq/go-zmq/bench/workload"
	"github.com/go-zmq/go-zmq/zmq"
)

// The names are those of the benchmarks in the root of the module, so that benchstat can
// compare them with -col /impl. All bindings and C run each cell one after the other.

// benchParked parks a goroutine in a receive on each of 200 sockets. The metrics are
// the number of goroutines that hold a thread, and the number of threads. An iteration
// starts all goroutines, lets them wait, and ends them.
func benchParked(b *testing.B) {
	const sockets = 200
	parks := []func(int) (*Parked, error){parkGo}
	impls := []workload.Impl{workload.Go}
	for _, r := range slices.Backward(Rivals()) { // Go keeps the threads that it creates
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

// settled returns Pinned when it has not changed for 100 ms.
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

// benchReceive sends and receives 100,000 messages per iteration over loopback, or
// 64 MiB of larger ones, in each mode.
func benchReceive(b *testing.B) {
	run := func(spec workload.Spec) { benchmarkOneWay(b, spec) }
	each(run, workload.Spec{}, oneWay, overTCP, sizes, workload.Blocking, Poll)
	each(run, workload.Spec{}, oneWay, overTCP, fewSizes, Reactor, Message)
}

// benchBindings runs BenchmarkReceive with libzmq's default high-water mark (HWM) of
// 1000. recvbytes allocates a new slice for each received message, like the rivals do. The
// modes blocking and batch of go-zmq reuse memory.
func benchBindings(b *testing.B) {
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

// benchPublish delivers as many messages to a subscriber.
func benchPublish(b *testing.B) {
	run := func(spec workload.Spec) { benchmarkOneWay(b, spec) }
	each(run, workload.Spec{Receivers: 1}, pubSub, overTCP, sizes, workload.Blocking, Poll)
	each(run, workload.Spec{Receivers: 1}, pubSub, elsewhere, fewSizes, workload.Blocking)
}

// benchTransport runs BenchmarkReceive over the other transports.
func benchTransport(b *testing.B) {
	run := func(spec workload.Spec) { benchmarkOneWay(b, spec) }
	each(run, workload.Spec{}, oneWay, elsewhere, fewSizes, workload.Blocking)
}

func benchmarkOneWay(b *testing.B, spec workload.Spec) {
	spec = shortened(spec)
	eachImpl(spec, func(spec workload.Spec, open opener) {
		b.Run(spec.String(), func(b *testing.B) { report(b, spec, open) })
	})
}

// shortened returns a spec with few messages if the flag -short is set.
func shortened(spec workload.Spec) workload.Spec {
	if testing.Short() {
		spec.Messages = 1000
	}
	return spec
}

func report(b *testing.B, spec workload.Spec, open opener) {
	r, stalls := measure(b, spec, open, b.Loop)
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

// benchRoundTrip makes round trips between two DEALERs, one at a time.
func benchRoundTrip(b *testing.B) {
	for _, transport := range []workload.Transport{workload.TCP, workload.InProc} {
		spec := workload.Spec{Pattern: workload.DealerDealer, Transport: transport, Size: 64, Mode: workload.Blocking}
		eachImpl(spec, func(spec workload.Spec, open opener) {
			b.Run(fmt.Sprintf("transport=%s/size=%d/impl=%s", transport, spec.Size, spec.Impl), func(b *testing.B) {
				roundTrips(b, spec, open)
			})
		})
	}
}

// benchRequest sends requests and receives replies: DEALER to ROUTER with one and with
// 100 outstanding requests, and REQ to REP.
func benchRequest(b *testing.B) {
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

// roundTrips makes b.N round trips.
func roundTrips(b *testing.B, spec workload.Spec, open opener) {
	spec.Messages = b.N
	runs := 0
	r, _ := measure(b, spec, open, func() bool { runs++; return runs == 1 })
	b.ReportMetric(r.CPUPerMessage(), "cpu-ns/op")
	b.ReportMetric(r.CrossingsPerMessage(), "cgo/op")
}

type opener func(context.Context, *testing.B, workload.Spec) *workload.Workload

// eachImpl calls f for each implementation that has the mode: go-zmq, C and the rivals.
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

// measure runs a workload while again returns true, combines the runs and counts those
// that stalled. A run before them allocates the buffers. The ns/op are the receiver's time.
func measure(b *testing.B, spec workload.Spec, open opener, again func() bool) (sum workload.Result, stalls int) {
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel() // go test's -timeout does not apply to benchmarks
	w := open(ctx, b, spec)
	defer func() { check(b, w.Close()) }()
	_, err := w.Run()
	check(b, err)
	var runs []workload.Result
	b.ReportAllocs()
	b.ResetTimer()
	for again() {
		r, err := w.Run()
		check(b, err)
		runs = append(runs, r)
	}
	b.StopTimer()
	sum = workload.Combine(runs)
	b.ReportMetric(float64(sum.Elapsed)/float64(b.N), "ns/op")
	// go test would also count the allocations after a run.
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
