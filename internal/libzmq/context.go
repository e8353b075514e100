package libzmq

// #include "shim.h"
import "C"

import "unsafe"

// Context is libzmq's handle of a context.
type Context unsafe.Pointer

// OpenContext makes a context: zmq_ctx_new. 0 or -errno.
func OpenContext() (Context, int) {
	var c unsafe.Pointer
	rc := int(C.gz_ctx_open(&c))
	return Context(c), rc
}

// SetContextOption is zmq_ctx_set. 0 or -errno.
func SetContextOption(c Context, option, value int) int {
	return int(C.gz_ctx_set(unsafe.Pointer(c), C.int(option), C.int(value)))
}

// GetContextOption is zmq_ctx_get. The second result is 0 or -errno.
func GetContextOption(c Context, option int) (value, rc int) {
	var v C.int
	rc = int(C.gz_ctx_get(unsafe.Pointer(c), C.int(option), &v))
	return int(v), rc
}

// Shutdown makes every call on the context's sockets fail with ETERM:
// zmq_ctx_shutdown.
func Shutdown(c Context) int { return int(C.gz_ctx_shutdown(unsafe.Pointer(c))) }

// Term waits until every socket of the context is closed and has got rid of its
// messages, then frees it: zmq_ctx_term. It blocks its thread; one caller only.
func Term(c Context) int { return int(C.gz_ctx_term(unsafe.Pointer(c))) }

// ProbeFDs reports with 0 or -errno whether n more file descriptors can be had.
func ProbeFDs(n int) int { return int(C.gz_probe_fds(C.int(n))) }

// ProbeThreads reports with 0 or -errno whether n more threads can be started
// with the scheduling policy and priority given (-1: the default).
func ProbeThreads(n, policy, priority int) int {
	return int(C.gz_probe_threads(C.int(n), C.int(policy), C.int(priority)))
}
