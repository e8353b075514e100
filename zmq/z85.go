package zmq

import (
	"encoding/binary"
	"fmt"
	"math"
	"syscall"
)

// z85Digits is the alphabet of Z85: 85 printable characters that need no escape
// in source code.
const z85Digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"

// notZ85 marks the bytes that are no digit.
const notZ85 = 255

// z85Values is the value of each byte as a digit.
var z85Values = func() (values [256]byte) {
	for i := range values {
		values[i] = notZ85
	}
	for value, digit := range []byte(z85Digits) {
		values[digit] = byte(value)
	}
	return values
}()

// Z85Encode returns data as text, five characters for each four bytes, as keys
// are written. The length of data must be a multiple of four: EINVAL otherwise.
// Any goroutine may call it; it does not need libzmq, and does what
// zmq_z85_encode does.
func Z85Encode(data []byte) (string, error) {
	if len(data)%4 != 0 {
		return "", &Error{Op: "z85", Errno: syscall.EINVAL, Detail: fmt.Sprintf("%d bytes cannot be encoded, only multiples of 4; pad them first", len(data))}
	}
	text := make([]byte, 0, len(data)/4*5)
	for ; len(data) > 0; data = data[4:] {
		n := binary.BigEndian.Uint32(data)
		var digits [5]byte
		for i := len(digits) - 1; i >= 0; i-- {
			digits[i] = z85Digits[n%85]
			n /= 85
		}
		text = append(text, digits[:]...)
	}
	return string(text), nil
}

// Z85Decode returns the bytes that Z85Encode made into text, in a new slice. EINVAL
// says that the length is no multiple of five, that a character is not of the Z85
// alphabet, or that five characters stand for more than 32 bits; the error has the
// position and not the text, which may be secret. Any goroutine may call it; it
// does not need libzmq.
//
// zmq_z85_decode differs in one thing: it refuses the empty text.
func Z85Decode(text string) ([]byte, error) {
	data, err := decodeZ85(text)
	if err != nil {
		return nil, &Error{Op: "z85", Errno: syscall.EINVAL, Detail: err.Error()}
	}
	return data, nil
}

func decodeZ85(text string) ([]byte, error) {
	if len(text)%5 != 0 {
		return nil, fmt.Errorf("%d characters are no Z85, only multiples of 5; was it cut off?", len(text))
	}
	data := make([]byte, 0, len(text)/5*4)
	for i := 0; i < len(text); i += 5 {
		var n uint64
		for k := i; k < i+5; k++ {
			value := z85Values[text[k]]
			if value == notZ85 {
				return nil, fmt.Errorf("character %d is not in the Z85 alphabet", k+1)
			}
			n = n*85 + uint64(value)
		}
		if n > math.MaxUint32 {
			return nil, fmt.Errorf("characters %d to %d are no Z85: they stand for more than 32 bits", i+1, i+5)
		}
		data = binary.BigEndian.AppendUint32(data, uint32(n))
	}
	return data, nil
}
