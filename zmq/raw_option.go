package zmq

import (
	"fmt"
	"math"
)

// OptionByNumber returns the option that has this number in libzmq. It is for options
// that this package does not name, and for ported code. T is libzmq's form of the value:
//
//   - int for a C int: numbers, 0 and 1 for false and true, milliseconds;
//   - int64 or uint64 for values of eight bytes (ZMQ_MAXMSGSIZE, ZMQ_AFFINITY);
//   - string for text; Get removes the final NUL;
//   - []byte for the bytes exactly as libzmq has them; for a number these are its bytes in
//     memory.
//
// If number belongs to a named option, all checks of that option apply, such as range and
// type of socket. Only the form of the value differs. If T does not fit, using the option
// returns an *Error with EINVAL. Any other number goes to libzmq unchecked, and nothing
// protects the program from its effects.
//
// Implements: zmq_setsockopt, zmq_getsockopt.
func OptionByNumber[T int | int64 | uint64 | string | []byte](number int) Option[T] {
	if o := specOf(number); o != nil {
		return Option[T]{spec: o}
	}
	o := &optionSpec{number: number, name: fmt.Sprintf("option %d", number), access: setGet, types: anyType, max: math.MaxInt32}
	switch any(*new(T)).(type) {
	case int:
		o.kind, o.min, o.max = kindInt, math.MinInt32, math.MaxInt32
	case int64:
		o.kind, o.min, o.max = kindInt64, math.MinInt64, math.MaxInt64
	case uint64:
		o.kind = kindUint64
	case string:
		o.kind = kindTopic // arbitrary bytes
	case []byte:
		o.kind = kindBytes
	}
	return Option[T]{spec: o}
}
