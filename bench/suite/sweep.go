//go:build unix

package suite

import (
	"flag"
	"testing"

	"github.com/go-zmq/go-zmq/bench/workload"
)

var benchSweep = flag.Bool("bench-sweep", false, "run BenchmarkSweep, which needs a libzmq with the draft API and takes minutes")

// Sweep runs BenchmarkReceive in batches, with several sizes of libzmq's own
// batches: for both directions, and for one of them with the default of 8 KiB for the
// other. It needs -bench-sweep. scripts/syscalls.sh counts its system calls.
func Sweep(b *testing.B) {
	if !*benchSweep {
		b.Skip("run it with -bench-sweep, and GOZMQ_LIBRARY set to the libzmq of make libzmq")
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

// ioBatches returns the sizes of BenchmarkSweep. The default is set explicitly, so that
// all names have the same keys.
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
