//go:build !asan

package zmq_test

// conflated are the endpoints over which sockets with Conflate are tried.
func conflated() []string { return []string{"tcp://127.0.0.1:*", inprocName()} }
