// Package libzmq is the seam between go-zmq and the C library: the only package
// of the module with import "C".
//
// Its charter:
//
//   - It loads libzmq (load.go, load_dlopen.c, load_link.c) into a table of
//     function pointers, from declarations of our own (api.h).
//   - Each Go function here makes one crossing and calls one shim (shim.h). A
//     shim does a whole operation: it loops on EINTR, sends or receives all parts
//     of a message, and returns in registers what Go needs next.
//   - It changes nothing in the process but libzmq: guard_linux.c redirects some of
//     libzmq's own imports, and replaces no function of the C library.
//   - It knows nothing of goroutines: callers hold the socket's mutex, and no
//     shim that takes a socket waits. It allocates nothing on a hot path.
//   - C keeps no pointer into Go memory after a call returns, except to what is
//     pinned until it comes back (buffer.go), and calls no Go code. That is what the
//     noescape and nocallback lines promise the compiler; a change of a shim has to keep
//     it true.
package libzmq
