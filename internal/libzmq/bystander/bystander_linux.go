package bystander

/*
#cgo CFLAGS: -O2 -Wall
#cgo LDFLAGS: -ldl
#include <stdlib.h>
void by_receive(void);
long by_calls(const char *counter);
*/
import "C"

import "unsafe"

// Receive calls recvfrom.
func Receive() { C.by_receive() }

// Calls returns how often testdata/count.c has seen a function called, or -1 if that library
// was not preloaded.
func Calls(function string) int {
	name := C.CString("calls_of_" + function)
	defer C.free(unsafe.Pointer(name))
	return int(C.by_calls(name))
}
