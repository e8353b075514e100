//go:build asan

package zmq_test

// conflated are the endpoints over which sockets with Conflate are tried. Not tcp: what
// libzmq loses of messages that it replaces, see "What remains" in docs/safety.md, has
// the peer's properties with it there, which the leak detector rightly reports.
func conflated() []string { return []string{inprocName()} }
