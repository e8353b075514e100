package zmq

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"syscall"
)

// z85Digits is the alphabet of Z85: 85 printable characters that need no escape in source
// code.
const z85Digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"

// Z85Encode returns data in Z85, the text form of CURVE keys: five characters for every
// four bytes. The error is EINVAL if the length of data is not a multiple of four; see
// [Z85Pad]. Any goroutine may call it. It does not need libzmq.
//
// Implements: zmq_z85_encode.
func Z85Encode(data []byte) (string, error) {
	if len(data)%4 != 0 {
		return "", &Error{Op: "z85", Errno: syscall.EINVAL, Detail: fmt.Sprintf("the data has %d bytes, which is not a multiple of 4; pad it first with Z85Pad", len(data))}
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

// Z85Decode returns the bytes that Z85Encode encoded, in a new slice. The error is EINVAL
// if the length of text is not a multiple of five or a character is not in the Z85
// alphabet. It is also EINVAL if a group of five characters stands for more than 32 bits.
// The error names the position, but does not contain text, which may be secret. Any
// goroutine may call it. It does not need libzmq.
//
// Unlike zmq_z85_decode, it accepts the empty text.
//
// Implements: zmq_z85_decode.
func Z85Decode(text string) ([]byte, error) {
	data, err := decodeZ85(text)
	if err != nil {
		return nil, &Error{Op: "z85", Errno: syscall.EINVAL, Detail: err.Error()}
	}
	return data, nil
}

func decodeZ85(text string) ([]byte, error) {
	if len(text)%5 != 0 {
		return nil, fmt.Errorf("the text has %d characters, which is not a multiple of 5; check that it is complete", len(text))
	}
	data := make([]byte, 0, len(text)/5*4)
	for i := 0; i < len(text); i += 5 {
		var n uint64
		for k := i; k < i+5; k++ {
			value := strings.IndexByte(z85Digits, text[k])
			if value < 0 {
				return nil, fmt.Errorf("character %d is not in the Z85 alphabet", k+1)
			}
			n = n*85 + uint64(value)
		}
		if n > math.MaxUint32 {
			return nil, fmt.Errorf("characters %d to %d stand for more than 32 bits; check the text", i+1, i+5)
		}
		data = binary.BigEndian.AppendUint32(data, uint32(n))
	}
	return data, nil
}
