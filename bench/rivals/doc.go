// Package rivals measures other ZeroMQ bindings for Go beside this one, on the workloads of
// bench/workload: with the same messages, the same high-water marks (HWM), the same
// clock and the same checks, in one process.
//
// The rivals, and what they need at build time:
//
//   - pebbe/zmq4, on libzmq: the headers of libzmq, and the build tag pebbe
//   - goczmq, on CZMQ and libzmq: the headers of CZMQ, libzmq and libsodium, and the build
//     tag goczmq
//   - go-zeromq/zmq4, which implements the protocol in Go: nothing
//
// scripts/install.sh rivals installs the headers, scripts/rivals-env.sh prints the tags for
// the available ones, and make bench SETS=rivals does both. Without the tags the module
// builds with fewer rivals.
//
// # What makes it fair
//
// Each rival makes the calls that its own documentation shows for the purpose. If there are
// several, it makes the fastest ones. The file of the rival names the page. The engine
// works around the limits of a rival: it copies a message that the rival would keep, and
// sets a timeout on a socket that cannot be interrupted. Between the loop and the rival
// there is one call through an interface, which takes 2 ns. The loops of bench/workload
// call directly.
//
// # What is skipped
//
// A cell that a rival cannot run is skipped with the observed reason, see Rival.Cannot.
package rivals
