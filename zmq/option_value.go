package zmq

import (
	"encoding/binary"
	"fmt"
	"syscall"
	"time"
)

// optionKind is the Go type of an option and the form in which libzmq stores it.
type optionKind uint8

const (
	kindBool         optionKind = iota // C int, 0 or 1
	kindInt                            // C int
	kindMillis                         // time.Duration; C int, milliseconds, -1 for no limit
	kindMillisOrNone                   // time.Duration; C int, milliseconds, 0 for no limit
	kindTenths                         // time.Duration; C int, milliseconds, which libzmq truncates to tenths of a second
	kindNanos                          // time.Duration; not stored by libzmq
	kindSeconds                        // time.Duration; C int, seconds, -1 for the system's setting
	kindInt64
	kindUint64
	kindString // no NUL bytes
	kindKey    // string, 40 characters of Z85
	kindTopic  // string of arbitrary bytes
	kindBytes
)

func (k optionKind) numeric() bool  { return k <= kindUint64 }
func (k optionKind) duration() bool { return k >= kindMillis && k <= kindSeconds }

// unitOf returns libzmq's unit of an option that is a duration.
func (k optionKind) unitOf() time.Duration {
	switch k {
	case kindSeconds:
		return time.Second
	case kindNanos:
		return time.Nanosecond
	}
	return time.Millisecond
}

// forEver means no limit. Get returns it for libzmq's -1, and every negative duration has
// the same meaning.
const forEver = time.Duration(-1)

func millis(n int) time.Duration  { return time.Duration(n) * time.Millisecond }
func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

// optionValue is the value of an option in libzmq's form: a number or bytes. n holds a
// uint64 bit by bit.
type optionValue struct {
	n int64
	b []byte
}

// on reports whether the value is neither 0 nor empty.
func (v optionValue) on() bool { return v.n != 0 || len(v.b) > 0 }

// fromDuration rounds up to libzmq's unit, so that a short wait never becomes 0. It converts
// negative durations to libzmq's "no limit".
func (k optionKind) fromDuration(d time.Duration) int64 {
	if d < 0 {
		if k == kindMillisOrNone {
			return 0
		}
		return -1
	}
	unit := k.unitOf()
	n := int64(d / unit)
	if d%unit != 0 {
		n++
	}
	if k == kindTenths {
		n = (n + 99) / 100 * 100
	}
	return n
}

func (k optionKind) toDuration(n int64) time.Duration {
	if n < 0 {
		return forEver
	}
	return time.Duration(n) * k.unitOf()
}

// parse converts a Go value to libzmq's form. It accepts the type of the option's kind and
// the types of OptionByNumber: a number in libzmq's unit, or the bytes for zmq_setsockopt.
// It refuses a value for a read-only option.
func (o *optionSpec) parse(goValue any) (optionValue, error) {
	var v optionValue
	if o.access&canSet == 0 {
		return v, o.fail(opSet, syscall.EINVAL, "the option is read-only")
	}
	text := false
	switch x := goValue.(type) {
	case bool:
		if x {
			v.n = 1
		}
	case int:
		v.n = int64(x)
	case FullPolicy:
		v.n = int64(x)
	case int64:
		v.n = x
	case uint64:
		v.n = int64(x)
		if v.n < 0 && o.kind != kindUint64 {
			return v, o.outOfRange(fmt.Sprint(x))
		}
	case time.Duration:
		v.n = o.kind.fromDuration(x)
	case string:
		v.b, text = []byte(x), true
		if o.kind == kindKey && len(x) == rawKeyLen { // only a []byte holds a key that is not Z85
			return v, o.fail(opSet, syscall.EINVAL, "%v", checkKeyText(x))
		}
	case []byte:
		if o.kind.numeric() {
			if size := o.bufferSize(); len(x) != size {
				return v, o.fail(opSet, syscall.EINVAL, "the value must have %d bytes, not %d", size, len(x))
			}
			return o.unwire(x), nil
		}
		v.b, text = x, true
	default:
		return v, o.fail(opSet, syscall.EINVAL, "a %T cannot be the value of a socket option", goValue)
	}
	if text == o.kind.numeric() {
		return v, o.wrongForm(opSet, goValue)
	}
	return v, nil
}

// wrongForm returns the error for a wrong type argument of OptionByNumber. It names the right
// one.
func (o *optionSpec) wrongForm(op string, goValue any) error {
	want := "string or []byte"
	switch {
	case o.kind == kindInt64 || o.kind == kindUint64:
		want = "int64 or uint64"
	case o.kind.numeric():
		want = "int"
	}
	return o.fail(op, syscall.EINVAL, "its value is not a %T; use OptionByNumber[%s] or %s", goValue, want, o.goName)
}

// longestString is the size of the buffer for an option without a fixed size. libzmq does not
// report the size of such a value. The longest one is an endpoint.
const longestString = 4 * maxEndpoint

// bufferSize returns the size of the buffer for zmq_getsockopt.
func (o *optionSpec) bufferSize() int {
	switch o.kind {
	case kindInt64, kindUint64:
		return 8
	case kindKey:
		return z85KeyLen + 1 // libzmq accepts only 32 and 41
	case kindString, kindTopic, kindBytes:
		return longestString
	}
	return 4
}

// wire returns the bytes for zmq_setsockopt. No bytes empty a string option of libzmq.
func (o *optionSpec) wire(v optionValue) []byte {
	switch {
	case !o.kind.numeric():
		return v.b
	case o.bufferSize() == 8:
		return binary.NativeEndian.AppendUint64(nil, uint64(v.n))
	}
	return binary.NativeEndian.AppendUint32(nil, uint32(int32(v.n)))
}

// unwire converts the bytes that zmq_getsockopt wrote. libzmq ends strings with a NUL and
// includes it in their size. Options that are bytes, such as ROUTING_ID, have no NUL.
func (o *optionSpec) unwire(raw []byte) optionValue {
	switch {
	case o.kind.numeric() && len(raw) == 8:
		return optionValue{n: int64(binary.NativeEndian.Uint64(raw))}
	case o.kind.numeric() && len(raw) == 4:
		return optionValue{n: int64(int32(binary.NativeEndian.Uint32(raw)))}
	case o.kind != kindBytes:
		if n := len(raw); n > 0 && raw[n-1] == 0 {
			raw = raw[:n-1]
		}
		if o.kind == kindKey && string(raw) == unsetKey {
			raw = nil
		}
	}
	return optionValue{b: raw}
}

// valueAs converts v to T, which is the Go type of the option or a type argument of
// OptionByNumber. It returns EINVAL if that type argument does not fit.
func valueAs[T any](o *optionSpec, v optionValue) (T, error) {
	var out T
	fits := o.kind.numeric()
	switch p := any(&out).(type) {
	case *bool:
		*p = v.n != 0
	case *int:
		*p = int(v.n)
	case *SocketType:
		*p = SocketType(v.n)
	case *SecurityMechanism:
		*p = SecurityMechanism(v.n)
	case *FullPolicy:
		*p = FullPolicy(v.n)
	case *time.Duration:
		*p = o.kind.toDuration(v.n)
	case *int64:
		*p = v.n
	case *uint64:
		*p = uint64(v.n)
	case *string:
		*p, fits = string(v.b), !fits
	case *[]byte:
		*p, fits = o.wire(v), true
	}
	if !fits {
		return *new(T), o.wrongForm(opGet, out)
	}
	return out, nil
}
