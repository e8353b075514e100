package libzmq

// #include "shim.h"
import "C"

import "unsafe"

// Context is libzmq's handle of a context.
type Context unsafe.Pointer

// OpenContext creates a context. The second result is 0 or -errno.
//
// Implements: zmq_ctx_new
func OpenContext() (Context, int) {
	var c unsafe.Pointer
	rc := int(C.gz_ctx_open(&c))
	return Context(c), rc
}

// SetContextOption sets an option of a context. It returns 0 or -errno.
//
// Implements: zmq_ctx_set
func SetContextOption(c Context, option, value int) int {
	return int(C.gz_ctx_set(unsafe.Pointer(c), C.int(option), C.int(value)))
}

// GetContextOption returns the value of a context option. The second result is 0 or
// -errno.
//
// Implements: zmq_ctx_get
func GetContextOption(c Context, option int) (value, rc int) {
	var v C.int
	rc = int(C.gz_ctx_get(unsafe.Pointer(c), C.int(option), &v))
	return int(v), rc
}

// Shutdown makes every call on the context's sockets fail with ETERM. It returns 0 or
// -errno.
//
// Implements: zmq_ctx_shutdown
func Shutdown(c Context) int { return int(C.gz_ctx_shutdown(unsafe.Pointer(c))) }

// Term waits until every socket of the context is closed and has sent or dropped its
// messages, and then frees the context. It blocks its thread. Only one goroutine may call
// it. It returns 0 or -errno.
//
// Implements: zmq_ctx_term
func Term(c Context) int { return int(C.gz_ctx_term(unsafe.Pointer(c))) }

// ProbeFDs checks that the process can open n more file descriptors. It returns 0 or
// -errno.
func ProbeFDs(n int) int { return int(C.gz_probe_fds(C.int(n))) }

// ProbeThreads checks that the process can start n more threads with the given scheduling
// policy and priority. A value of -1 keeps the default. It returns 0 or -errno.
func ProbeThreads(n, policy, priority int) int {
	return int(C.gz_probe_threads(C.int(n), C.int(policy), C.int(priority)))
}
