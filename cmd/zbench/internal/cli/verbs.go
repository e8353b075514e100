package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
)

const environment = `
Every flag is an environment variable, too: ZBENCH_SIZE is --size.
`

func newThr() *cobra.Command {
	var ways strings.Builder
	for _, line := range plan.APIHelp() {
		fmt.Fprintf(&ways, "  %-10s %s\n", line[0], line[1])
	}
	return newMeasure(plan.Thr, "how many messages a second go one way, at full speed",
		`Sends messages one way as fast as they go, and counts them where they arrive.
No latency is shown: at full speed it is the length of a queue.

Ways to send and receive (--api):
`+ways.String()+`
Beside each stands the same loop in C on the same libzmq in this process, unless
--baseline none. In the ways from bytes on sockets have a high-water mark of 1000
messages, or fewer where they would be more than 32 MiB, which many peers share; in
those before it they have none, so that no send waits for room.

A message that is lost fails the run, with any pattern. Sockets that publish (pubsub,
radiodish) have ZMQ_XPUB_NODROP set: they wait for a subscriber whose queue is full,
where otherwise it would miss what comes. zbench send and recv show how much that is.
`+environment+`
  zbench thr -t tcp -s 1KiB
  zbench thr -t inproc,ipc,tcp -s 64..64KiB*4 -a blocking,batch -o results/
  zbench thr -t tcp --engine libzmq-a.so --engine libzmq-b.so`,
		(*measurement).all)
}

func newLat() *cobra.Command {
	return newMeasure(plan.Lat, "how long a round trip takes; with --rate, under a fixed load",
		`Without --rate: sends a message, waits for its reply, and sends the next one.

With --rate: sends when messages are due, whether or not earlier ones were
answered: at equal intervals, for which several senders take turns, or at random
(--arrivals poisson). Latency is counted from the moment a message was due, so that
a message that could not be sent in time counts as late (coordinated omission).
Beside it stand the latency from when it was sent, how late the sending was, and how
late the machine woke up a sleeping thread meanwhile: when these carry the tail, the
library did not. Less than 99 % of the load achieved is saturation, exit code 3;
what was due while the machine stood still, the longest time that it did after the
warm-up, is not held against the load.
`+environment+`
  zbench lat -t ipc -s 64
  zbench lat -t tcp --rate 100k -d 30s --slo 'p99<1ms'
  zbench lat -p pushpull -t tcp --rate 100k          one way`,
		(*measurement).all)
}

func newMatrix() *cobra.Command {
	return newMeasure(plan.Matrix, "all combinations of lists, or of a plan file",
		`Measures throughput and round trips of all patterns, transports, sizes and ways
that are given, in all combinations that can be. A plan file has the same: the
names of flags and their values, in YAML. Options of sockets that throughput sets
itself, such as --hwm, are those of round trips.

  measure: [thr, lat]
  transport: [ipc, tcp]
  size: [64, 64KiB]

What is on the command line or in the environment wins over the file; there --count
takes the place of the file's duration, too, and --duration that of its count. -o DIR
keeps the plan as plan.yaml, so that -f DIR/plan.yaml repeats it.
`+environment+`
  zbench matrix -o results/
  zbench matrix -f plan.yaml --repeat 10`,
		(*measurement).all)
}

func newCurve() *cobra.Command {
	return newMeasure(plan.Curve, "how much load before --slo is missed",
		`Offers more and more load, and shows latency against it: doubles the load until
the objectives of --slo are missed or the load does not go through, and then
looks for the highest load that is good, to within 5 %. When --to is good as well,
it is that or more. With --rates it measures these. The exit code is 99 when no load
is good that was offered. The plan that -o DIR keeps has the rates that were measured.
`+environment+`
  zbench curve -t tcp --slo 'p99<1ms'
  zbench curve -t tcp -s 1KiB --rates 10k,50k,100k`,
		func(m *measurement, ctx context.Context) error { return m.curve(ctx) })
}
