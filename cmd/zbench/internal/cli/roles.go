package cli

import (
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/plan"
)

// peers is what all roles say of their peers.
const peers = `
The other end may be zbench, on this machine or another, or any program that speaks
ZeroMQ. Endpoints are libzmq's: tcp://host:port, ipc://path; where an endpoint is
bound is said on standard error, with the port that was chosen for *.
`

func newSend() *cobra.Command {
	return newRole(plan.Send, "send to a peer; with a pattern that answers, measure round trips",
		`Sends to peers: as fast as they take it or, with --rate, when messages are due.
It waits until --peers of them are there, and does not count that time.

Patterns pushpull, pubsub, scattergather and radiodish go one way. Each message then
begins with a header of 24 bytes, by which zbench recv sees what is lost, doubled
or out of order, and a message at the end says that it was the last. --raw leaves
both out, for receivers that know nothing of zbench.

The other patterns have replies, from zbench echo or any peer that sends back what
it gets: latency is that of the round trip, with --pipeline of them under way or,
with --rate, counted from when messages were due. Less than 99 % of the --rate is
saturation, exit code 3; what was due while the machine stood still, the longest time
that it did from the first message on, is not held against the load.
`+peers+environment,
		`  zbench send -e tcp://host:5555 -s 1KiB -d 10s
  zbench send -e tcp://host:5555 -s 1KiB --raw -n 1000000
  zbench send -p dealerrouter -e tcp://host:5555 --rate 10k --slo 'p99<1ms'`)
}

func newRecv() *cobra.Command {
	return newRole(plan.Recv, "receive and count what a peer sends",
		`Receives from peers, and measures from the first message to the last. It ends when
its senders say that they have (--peers of them), after --count messages or --duration,
or when nothing came for --idle. Then it hears the end of senders that have no more,
since they wait until it is taken: for 10 s at most, after --duration 1 s.

From zbench send it knows what is lost, doubled or out of order, which fails a run
except where the pattern may lose messages (pubsub, radiodish). --one-way adds the latency
from when messages were due to their arrival, if the sender runs on this machine. With
--raw every message counts, whoever sent it.
`+peers+environment,
		`  zbench recv -e 'tcp://*:5555' -s 1KiB
  zbench recv -e 'tcp://*:5555' --raw -n 1000000
  zbench recv -p pubsub --connect -e tcp://host:5555 --topic news --raw -d 10s`)
}

func newEcho() *cobra.Command {
	return newRole(plan.Echo, "send everything back, for peers that measure round trips",
		`Sends every message back to where it came from, and looks into none, so that any
peer can measure round trips: zbench send, or libzmq's remote_lat. --pattern is that of
the peer: without it, for REQ. It goes on until it is stopped, or for --count or
--duration.
`+peers+environment,
		`  zbench echo -e 'tcp://*:5555'
  zbench echo -p dealerrouter -e 'tcp://*:5555' --metrics-addr :9090`)
}

func newProxy() *cobra.Command {
	return newRole(plan.Proxy, "forward between two endpoints",
		`Forwards messages as the binding's Proxy does: from those who push to those who pull,
from publishers to subscribers and subscriptions back, requests one way and replies
the other. It binds both sides unless it is told to connect one, and goes on until it
is stopped, or for --count or --duration. After --count it forwards what else comes until
its senders have left, for 1 s at most: the end of zbench send is a message like others.
`+peers+environment,
		`  zbench proxy -p pushpull --frontend 'tcp://*:5555' --backend 'tcp://*:5556'
  zbench proxy -p reqrep --frontend 'tcp://*:5555' --backend tcp://host:5556 --backend-connect`)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
