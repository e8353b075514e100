package zmq

import "syscall"

// Z85Pad returns data with as many zero bytes appended as Z85Encode needs, 0 to 3,
// and their number. Z85 does not keep that number: send it along, and cut the bytes
// off what Z85Decode returns. data is copied where there is something to append.
//
// libzmq has no such function.
func Z85Pad(data []byte) (padded []byte, added int) {
	added = -len(data) & 3
	return append(data[:len(data):len(data)], make([]byte, added)...), added
}

// CheckCurveKey reports whether a text can be a CURVE key, public or secret: 40
// characters of Z85 that are not all zeros. What is wrong is an *Error with EINVAL,
// which does not repeat the key. Any goroutine may call it, it does not block, and it
// needs no libzmq.
//
// libzmq has no such function.
func CheckCurveKey(key string) error {
	if err := checkKeyText(key); err != nil {
		return &Error{Op: opCurve, Errno: syscall.EINVAL, Detail: err.Error()}
	}
	return nil
}
