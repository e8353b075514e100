// Package peers measures other ZeroMQ bindings for Go beside this one, on the
// workloads of internal/workload: the same messages, the same marks, the same
// clock and the same check, in one process.
//
// The rivals, and what they take to be compiled in:
//
//   - pebbe/zmq4, on libzmq: its headers, and the build tag pebbe;
//   - goczmq, on CZMQ on libzmq: the headers of CZMQ, libzmq and libsodium, and the
//     build tag goczmq;
//   - go-zeromq/zmq4, which speaks the protocol itself: nothing.
//
// scripts/install.sh peers gets the headers, scripts/peers-env.sh prints the tags for
// those that are available, and make bench SETS=rivals does both. Without the tags the
// module builds with fewer rivals.
//
// # What makes it fair
//
// Each rival makes the calls that its own documentation shows for the purpose, and
// of several those that are fastest; its file says which page that is. It is spared
// what it cannot do: a message that it would hold on to is copied for it, a socket
// that it cannot interrupt gets a time-out. Between its calls and the loop there is
// one call through an interface, 2 ns, where the loops of internal/workload call
// directly.
//
// # What is skipped
//
// A rival that cannot run a cell is skipped there, with the reason that was
// observed; see Rival.Cannot.
package peers
