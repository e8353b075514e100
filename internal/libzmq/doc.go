// Package libzmq is the interface between go-zmq and the C library. It is the only
// package of the module with import "C".
//
// Its rules:
//
//   - It loads libzmq (load.go, load_dlopen.c, load_link.c) into a table of function
//     pointers. The functions are declared in api.h, not in zmq.h.
//   - Each Go function here makes one cgo call, to one shim (shim.h). A shim does a whole
//     operation: it loops on EINTR, sends or receives all parts of a message, and returns
//     in registers what Go needs next.
//   - It changes nothing in the process except libzmq. guard_linux.c redirects some of
//     libzmq's own imports, and replaces no function of the C library.
//   - It knows nothing of goroutines. Callers hold the socket's mutex, and no shim that
//     takes a socket waits. The package allocates nothing on a hot path.
//   - C keeps no pointer into Go memory after a call returns, except to memory that is
//     pinned until libzmq returns it (buffer.go). C calls no Go code. The noescape and
//     nocallback lines promise this to the compiler, so every change of a shim must keep
//     it true.
package libzmq
