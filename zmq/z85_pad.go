package zmq

import "syscall"

// Z85Pad returns data followed by the 0 to 3 zero bytes that Z85Encode needs, and their
// number. Z85 does not keep that number, so transmit it as well, and cut the added bytes
// off the result of Z85Decode. If bytes are added, padded is a copy of data; otherwise it
// is data itself.
//
// libzmq has no such function.
func Z85Pad(data []byte) (padded []byte, added int) {
	added = -len(data) & 3
	return append(data[:len(data):len(data)], make([]byte, added)...), added
}

// CheckCurveKey returns nil if key can be a CURVE key, public or secret: 40 characters of
// Z85 that are not all zeros. Otherwise the error is an *Error with EINVAL, which does
// not contain the key. Any goroutine may call it. It does not block, and does not need
// libzmq.
//
// libzmq has no such function.
func CheckCurveKey(key string) error {
	if err := checkKeyText(key); err != nil {
		return &Error{Op: opCurve, Errno: syscall.EINVAL, Detail: err.Error()}
	}
	return nil
}
