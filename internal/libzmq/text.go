package libzmq

import "C"

import "unsafe"

// cText is s with a NUL behind it, for the length of one call: in Go's memory, since
// C.CString ends the process when malloc fails.
func cText(s string) *C.char {
	return (*C.char)(unsafe.Pointer(unsafe.SliceData(append([]byte(s), 0))))
}
