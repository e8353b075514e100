package libzmq

import "C"

import "unsafe"

// cText returns s with a trailing NUL byte, for the duration of one call. The bytes are
// in Go memory, because C.CString ends the process if malloc fails.
func cText(s string) *C.char {
	return (*C.char)(unsafe.Pointer(unsafe.SliceData(append([]byte(s), 0))))
}
