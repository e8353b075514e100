//go:build !zmq_static

package intercept

/*
#include <stdlib.h>
void gi_call_recvfrom(void);
long gi_calls(const char *counter);
*/
import "C"

import "unsafe"

// CallRecvfrom calls recvfrom of the C library, as C code that does not use libzmq would.
func CallRecvfrom() { C.gi_call_recvfrom() }

// LibcCalls returns how often the preloaded library testdata/count.c saw a function called, or -1
// if it was not preloaded.
func LibcCalls(function string) int {
	name := C.CString("calls_of_" + function)
	defer C.free(unsafe.Pointer(name))
	return int(C.gi_calls(name))
}
