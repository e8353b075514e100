//go:build unix

package suite

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zmq/go-zmq/bench/workload"
	"github.com/go-zmq/go-zmq/zmq"
)

// The names have key=value parts for benchstat. -col /impl compares Go with C, which is
// measured right after it. -col /mode compares the ways to receive.
//
// -bench=. runs BenchmarkStrategy and four modes of BenchmarkReceive. -bench=Benchmark, or any
// other pattern, runs all benchmarks that it matches, at chosen sizes and transports.
// -bench-matrix runs the whole matrix of some 2,000 cells. A pattern with an = runs those
// cells of the matrix that it matches: -bench='Strategy/pattern/transport/size=131072'.
var (
	benchMatrix   = flag.Bool("bench-matrix", false, "benchmark the whole matrix of workloads instead of a choice")
	benchMarks    = flag.Bool("bench-marks", false, "benchmark modes with a high-water mark (HWM); one-way patterns only")
	benchMessages = flag.Int("bench-messages", 0, "messages per run of a workload; 0: its default")
)

// matrix reports whether the flags ask for cells of the whole matrix.
func matrix() bool {
	return *benchMatrix || strings.Contains(flag.Lookup("test.bench").Value.String(), "=")
}

// choose returns the usual choice, or all for the whole matrix.
func choose[T any](usual, all []T) []T {
	if matrix() {
		return all
	}
	return usual
}

// The values of the matrix.
var (
	allSizes = []int{64, 512, 1024, 1500, 65536, 131072, 262144}
	oneWay   = []workload.Pattern{workload.RouterRouter, workload.PushPull}
	overTCP  = []workload.Transport{workload.TCP}
	// The simplest mode and the fastest one.
	plainAndBatch = []workload.Mode{workload.Blocking, workload.Batch}
	// The calls that a program can choose from. ReadAhead, an option of the socket, runs
	// the loop of Batch in C.
	fourModes = []workload.Mode{workload.Blocking, workload.Batch, workload.Sleep, workload.Poll}
)

// Receive sends and receives 100,000 messages per iteration, or 64 MiB of larger
// ones, in each mode.
func Receive(b *testing.B) {
	modes := workload.Modes()
	if !Named() {
		modes = fourModes
	}
	each(b, benchmarkOneWay, workload.Spec{},
		oneWay, choose(overTCP, workload.Transports()), choose([]int{64, 512, 1024, 65536}, allSizes),
		modes)
}

// Strategy sends and receives as many messages, with each buffer strategy. The
// matrix also has them with a Poller.
func Strategy(b *testing.B) {
	patterns := choose(oneWay, append(slices.Clone(oneWay), workload.PubSub))
	each(b, strategies, workload.Spec{}, patterns, choose(overTCP, workload.Transports()),
		choose([]int{64, 1024, 65536}, allSizes), choose([]workload.Mode{""}, []workload.Mode{"", workload.Poll}))
}

// strategies measures each strategy of an implementation.
func strategies(b *testing.B, spec workload.Spec) {
	spec.Marks = false // a strategy has them anyway
	for _, spec.Strategy = range workload.Strategies(spec.Impl) {
		if spec.Strategy == workload.ZeroCopy && spec.Mode == workload.Poll && spec.Impl == workload.C {
			continue // C lends memory only in its loop that waits in receives
		}
		benchmarkOneWay(b, spec)
	}
}

// Publish delivers as many messages to all subscribers together. Each subscriber
// receives every message, and each delivery is counted as a message.
func Publish(b *testing.B) {
	onlyNamed(b)
	for _, receivers := range []int{1, 10} {
		each(b, benchmarkOneWay, workload.Spec{Receivers: receivers},
			[]workload.Pattern{workload.PubSub}, choose(overTCP, workload.Transports()), choose([]int{64, 1024}, allSizes),
			choose(plainAndBatch, workload.Modes()))
	}
}

// Fan has many senders and one receiver, or one sender and many receivers. Each
// is a socket with a goroutine or a thread.
func Fan(b *testing.B) {
	onlyNamed(b)
	for _, peers := range []workload.Spec{{}, {Senders: 4}, {Senders: 16}, {Receivers: 4}, {Receivers: 16}} {
		each(b, benchmarkOneWay, peers,
			[]workload.Pattern{workload.PushPull}, choose(overTCP, workload.Transports()), choose([]int{64}, []int{64, 1024, 65536}),
			choose(plainAndBatch, workload.Modes()))
	}
}

// Transport runs BenchmarkReceive over each transport.
func Transport(b *testing.B) {
	onlyNamed(b)
	each(b, benchmarkOneWay, workload.Spec{},
		choose([]workload.Pattern{workload.PushPull}, oneWay), workload.Transports(), choose([]int{64, 65536}, allSizes), plainAndBatch)
}

// Curve runs BenchmarkReceive with and without encryption.
func Curve(b *testing.B) {
	onlyNamed(b)
	if !zmq.Has("curve") {
		b.Skip("this libzmq was built without CURVE")
	}
	plain := func(b *testing.B, spec workload.Spec) {
		name := strings.Replace(spec.String(), "/impl=", "/curve=off/impl=", 1)
		b.Run(name, func(b *testing.B) { report(b, spec) })
	}
	transports := choose(overTCP, []workload.Transport{workload.TCP, workload.IPC})
	patterns := choose([]workload.Pattern{workload.PushPull}, append(slices.Clone(oneWay), workload.PubSub))
	sizes := choose([]int{64, 65536}, allSizes)
	modes := choose([]workload.Mode{workload.Batch}, plainAndBatch)
	each(b, plain, workload.Spec{}, patterns, transports, sizes, modes)
	each(b, benchmarkOneWay, workload.Spec{Curve: true}, patterns, transports, sizes, modes)
}

// tunedBatch is the number of bytes that a tuned libzmq reads and writes at once. The
// default is 8 KiB.
const tunedBatch = 128 << 10

// Engine runs BenchmarkReceive with libzmq's default batches and with larger
// ones. It needs a libzmq with the draft API: set GOZMQ_LIBRARY to the one that make libzmq
// builds.
func Engine(b *testing.B) {
	onlyNamed(b)
	if !zmq.Has("draft") {
		b.Skip("engine=tuned takes a libzmq with the draft API: make libzmq, and set GOZMQ_LIBRARY")
	}
	engine := func(name string, batch int) func(*testing.B, workload.Spec) {
		return func(b *testing.B, spec workload.Spec) {
			b.Run("engine="+name+"/"+spec.String(), func(b *testing.B) {
				spec.InBatchSize, spec.OutBatchSize = batch, batch
				report(b, spec)
			})
		}
	}
	tunedAfterDefault := func(b *testing.B, spec workload.Spec) {
		engine("default", 0)(b, spec)
		engine("tuned", tunedBatch)(b, spec)
	}
	each(b, tunedAfterDefault, workload.Spec{},
		choose([]workload.Pattern{workload.PushPull}, oneWay), choose(overTCP, []workload.Transport{workload.TCP, workload.IPC}),
		choose([]int{512, 1024, 65536}, allSizes), choose([]workload.Mode{workload.Batch}, plainAndBatch))
}

// each calls f for each combination. All other fields are those of base.
func each(
	b *testing.B, f func(*testing.B, workload.Spec), base workload.Spec,
	patterns []workload.Pattern, transports []workload.Transport, sizes []int, modes []workload.Mode,
) {
	base.Marks = *benchMarks
	for _, base.Pattern = range patterns {
		for _, base.Transport = range transports {
			for _, base.Size = range sizes {
				for _, base.Mode = range modes {
					for _, base.Impl = range workload.Impls() {
						f(b, base)
					}
				}
			}
		}
	}
}

func benchmarkOneWay(b *testing.B, spec workload.Spec) {
	b.Run(spec.String(), func(b *testing.B) { report(b, spec) })
}

// report measures a one-way pattern.
func report(b *testing.B, spec workload.Spec) {
	r, stalls := measure(b, spec, b.Loop)
	b.ReportMetric(r.MessagesPerSecond(), "msg/s")
	b.ReportMetric(r.GBPerSecond(), "GB/s")
	b.ReportMetric(r.NsPerMessage(), "ns/msg")
	b.ReportMetric(r.CPUPerMessage(), "cpu-ns/msg")
	b.ReportMetric(r.CrossingsPerMessage(), "cgo/msg")
	b.ReportMetric(float64(r.Messages)/float64(b.N), "msg/op")
	b.ReportMetric(float64(r.GCs)/float64(b.N), "gc/op")
	b.ReportMetric(float64(stalls)/float64(b.N), "stalls/op")
	if r.PoolGets > 0 {
		b.ReportMetric(100*r.HitRate(), "hit-%")
	}
}

// RoundTrip makes round trips between two DEALERs, one at a time.
func RoundTrip(b *testing.B) {
	onlyNamed(b)
	for _, transport := range choose([]workload.Transport{workload.TCP, workload.InProc}, workload.Transports()) {
		for _, size := range choose([]int{64}, allSizes) {
			for _, impl := range workload.Impls() {
				spec := workload.Spec{
					Pattern: workload.DealerDealer, Transport: transport, Size: size, Mode: workload.Blocking, Impl: impl,
				}
				b.Run(fmt.Sprintf("transport=%s/size=%d/impl=%s", transport, spec.Size, impl), func(b *testing.B) {
					roundTrips(b, spec)
				})
			}
		}
	}
}

// Request sends requests and receives replies: DEALER to ROUTER with one and with
// 100 outstanding requests, and REQ to REP. The matrix also has several clients.
func Request(b *testing.B) {
	onlyNamed(b)
	request := func(b *testing.B, spec workload.Spec) {
		b.Run(spec.String(), func(b *testing.B) { roundTrips(b, spec) })
	}
	transports, sizes := choose(overTCP, workload.Transports()), choose([]int{64}, allSizes)
	for _, clients := range choose([]int{1}, []int{1, 4, 16}) {
		for _, window := range []int{1, 100} {
			modes := choose(plainAndBatch, []workload.Mode{workload.Blocking, workload.Batch, workload.ReadAhead})
			if window == 1 {
				modes = []workload.Mode{workload.Blocking}
			}
			each(b, request, workload.Spec{Senders: clients, Window: window}, []workload.Pattern{workload.DealerRouter}, transports, sizes, modes)
		}
		each(b, request, workload.Spec{Senders: clients}, []workload.Pattern{workload.ReqRep}, transports, sizes, []workload.Mode{workload.Blocking})
	}
}

// roundTrips makes b.N round trips.
func roundTrips(b *testing.B, spec workload.Spec) {
	spec.Messages = b.N
	runs := 0
	r, _ := measure(b, spec, func() bool { runs++; return runs == 1 })
	b.ReportMetric(r.CPUPerMessage(), "cpu-ns/op")
	b.ReportMetric(r.CrossingsPerMessage(), "cgo/op")
}

// Latency times each round trip, one at a time. It reports no ns/op, because that
// would look like throughput.
func Latency(b *testing.B) {
	onlyNamed(b)
	latency := func(b *testing.B, spec workload.Spec) {
		b.Run(spec.String(), func(b *testing.B) { latencies(b, spec) })
	}
	each(b, latency, workload.Spec{Latency: true},
		choose([]workload.Pattern{workload.DealerRouter, workload.ReqRep}, []workload.Pattern{workload.DealerDealer, workload.DealerRouter, workload.ReqRep}),
		workload.Transports(), choose([]int{64}, allSizes), []workload.Mode{workload.Blocking})
}

func latencies(b *testing.B, spec workload.Spec) {
	spec.Messages = b.N
	samples := make([]time.Duration, 0, b.N)
	w := openWorkload(b, spec)
	defer closeWorkload(b, w)
	_, err := w.Run() // allocates the buffers
	check(b, err)
	b.ReportAllocs()
	b.ResetTimer()
	_, err = w.Run()
	check(b, err)
	b.StopTimer()
	samples = w.Latencies(samples)
	slices.Sort(samples)
	for _, percent := range []float64{50, 90, 99, 99.9} {
		b.ReportMetric(float64(workload.Percentile(samples, percent)), fmt.Sprintf("p%v-ns", percent))
	}
	b.ReportMetric(float64(samples[len(samples)-1]), "max-ns")
	b.ReportMetric(0, "ns/op")
}

// measure runs a workload while again returns true, combines the runs and counts those
// that stalled. A run before them grows the queues. The ns/op are the receivers' time: the
// time of the process would include the start of C's threads.
func measure(b *testing.B, spec workload.Spec, again func() bool) (sum workload.Result, stalls int) {
	w := openWorkload(b, spec)
	defer closeWorkload(b, w)
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

func openWorkload(b *testing.B, spec workload.Spec) *workload.Workload {
	if spec.Messages == 0 {
		spec.Messages = *benchMessages
	}
	w, err := workload.Open(b.Context(), spec)
	check(b, err)
	return w
}

func closeWorkload(b *testing.B, w *workload.Workload) {
	b.StopTimer()
	check(b, w.Close())
}
