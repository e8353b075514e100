//go:build asan

package zmqtest

// ConflateEndpoints returns the endpoints for tests of sockets with Conflate. It leaves out tcp: there
// the messages that libzmq loses when it replaces them (see "What remains" in docs/safety.md) refer to
// the properties of the peer, and the leak detector reports both.
func ConflateEndpoints() []string { return []string{InprocName()} }
