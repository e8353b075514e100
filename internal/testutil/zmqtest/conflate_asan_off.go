//go:build !asan

package zmqtest

// ConflateEndpoints returns the endpoints for tests of sockets with Conflate.
func ConflateEndpoints() []string { return []string{"tcp://127.0.0.1:*", InprocName()} }
