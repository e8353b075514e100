package gozmq_test

import (
	"flag"
	"testing"

	"github.com/go-zmq/go-zmq/internal/workload"
)

var benchSweep = flag.Bool("bench-sweep", false, "run BenchmarkSweep, which takes a libzmq with the draft API and minutes")

// BenchmarkSweep sends and receives as BenchmarkReceive does in batches, with each
// size of libzmq's own batches: both in and out, and one of them with the other at its
// default, 8 KiB. make bench SETS=sweep runs it.
func BenchmarkSweep(b *testing.B) {
	if !*benchSweep {
		b.Skip("not asked for; make bench SETS=sweep runs it")
	}
	for _, pattern := range oneWay {
		for _, size := range []int{64, 512, 1024, 65536} {
			for _, batches := range ioBatches() {
				for _, impl := range workload.Impls() {
					benchmarkOneWay(b, workload.Spec{
						Pattern: pattern, Transport: workload.TCP, Size: size, Mode: workload.Batch, Impl: impl,
						InBatchSize: batches.in, OutBatchSize: batches.out,
					})
				}
			}
		}
	}
}

type ioBatch struct{ in, out int }

// ioBatches returns the sizes of BenchmarkSweep, from the default by doubling. The
// default has both sizes set, too, so that all names have the same keys.
func ioBatches() (all []ioBatch) {
	const usual, most = 8 << 10, 1 << 20
	for n := usual; n <= most; n *= 2 {
		all = append(all, ioBatch{n, n})
		if n > usual {
			all = append(all, ioBatch{n, usual}, ioBatch{usual, n})
		}
	}
	return all
}
