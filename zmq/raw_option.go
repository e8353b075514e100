package zmq

import (
	"fmt"
	"math"
	"syscall"
)

// OptionByNumber makes an option from libzmq's number, in the form in which
// libzmq takes it: for options that this package does not name, and for code that
// is ported. T is what zmq_setsockopt wants a pointer to:
//
//   - int for a C int (numbers, 0 or 1 for false and true, milliseconds);
//   - int64 or uint64 for those of eight bytes (ZMQ_MAXMSGSIZE, ZMQ_AFFINITY);
//   - string for text, whose final NUL Get takes off;
//   - []byte for bytes exactly as they are; for a numeric option of the table
//     these are the bytes of the number in memory.
//
// A number that the table knows gets all the checks of the named option, such as
// range, type of socket and when it may be set; only the form of the value
// differs. A T that does not fit is an *Error when the option is used. Any other
// number goes to libzmq as it is, and nothing protects the program from what it
// does there.
//
// libzmq: zmq_setsockopt, zmq_getsockopt.
func OptionByNumber[T int | int64 | uint64 | string | []byte](number int) Option[T] {
	if o := specOf(number); o != nil {
		return Option[T]{spec: o, raw: true}
	}
	var kind optionKind
	switch any(*new(T)).(type) {
	case int:
		kind = kindInt
	case int64:
		kind = kindInt64
	case uint64:
		kind = kindUint64
	case string:
		kind = kindTopic // any bytes may be sent
	case []byte:
		kind = kindBytes
	}
	o := &optionSpec{number: number, name: fmt.Sprintf("option %d", number), kind: kind, access: setGet, types: anyType}
	switch kind {
	case kindInt:
		o.min, o.max = math.MinInt32, math.MaxInt32
	case kindInt64:
		o.min, o.max = math.MinInt64, math.MaxInt64
	default:
		o.max = longestString
	}
	return Option[T]{spec: o, raw: true}
}

// rawAs gives a value that was read the form that OptionByNumber was asked for.
func rawAs[T any](o *optionSpec, v optionValue) (T, error) {
	var out T
	numeric := o.kind.numeric()
	switch p := any(&out).(type) {
	case *int:
		if !numeric {
			return out, o.wrongForm(opGet, out)
		}
		*p = int(v.n)
	case *int64:
		if !numeric {
			return out, o.wrongForm(opGet, out)
		}
		*p = v.n
	case *uint64:
		if !numeric {
			return out, o.wrongForm(opGet, out)
		}
		*p = uint64(v.n)
	case *string:
		if numeric {
			return out, o.wrongForm(opGet, out)
		}
		if n := len(v.b); n > 0 && v.b[n-1] == 0 && o.goName == "" {
			v.b = v.b[:n-1]
		}
		*p = string(v.b)
	case *[]byte:
		*p = o.wire(v)
	default:
		return out, o.fail(opGet, syscall.EINVAL, "a %T is no value of a socket option", out)
	}
	return out, nil
}
