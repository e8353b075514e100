package zmq

import (
	"fmt"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Option is a socket option; T is the Go type of its value. It is immutable and safe for
// use by any number of goroutines. The options of libzmq are variables of this package,
// such as SendHWM, Linger and CurveServerKey. OptionByNumber returns an option for any
// other number.
//
// Unless the comment of an option says otherwise:
//
//   - All socket types have it, and it can be set and read.
//   - If it affects connections, it applies to subsequent Bind and Connect calls and leaves
//     existing connections unchanged.
//   - A duration is rounded up to milliseconds. A negative duration returns EINVAL unless
//     the comment says what it means; Get returns such a value as -1.
//   - Setting and reading it does not block. Any goroutine may do so.
//   - ErrNotSupported means that the libzmq in use does not have it.
//
// Values are checked before libzmq sees them. Setting a value that is out of range
// returns an *Error with EINVAL that says what is allowed. Setting an option that the
// socket type does not have, or that can no longer be changed, also returns EINVAL.
type Option[T any] struct {
	spec *optionSpec
}

// To returns a setting that gives the option the value v. Context.NewSocket and
// Socket.Set apply the setting and copy v. If v is a slice, the caller must not change it
// before they return.
//
// Implements: zmq_setsockopt.
func (o Option[T]) To(v T) Setting {
	if o.spec == nil {
		return Setting{}
	}
	return Setting{apply: func(s *Socket) error { return o.spec.set(s, v) }, spec: o.spec, value: v}
}

// Get returns the current value of the option on the socket. It does not block. The caller
// owns a returned slice.
//
// Get returns an *Error with EINVAL for a write-only option, ErrNotSupported for an
// option that the libzmq in use does not have, and ErrClosed for a closed socket.
//
// Implements: zmq_getsockopt.
func (o Option[T]) Get(s *Socket) (T, error) {
	var none T
	if o.spec == nil {
		return none, &Error{Op: opGet, Errno: syscall.EINVAL, Detail: noOption}
	}
	v, err := o.spec.get(s)
	if err != nil {
		return none, err
	}
	return valueAs[T](o.spec, v)
}

// Number returns libzmq's number for the option, such as 23 for SNDHWM. It returns -1 for the
// zero Option, and another negative number for an option that libzmq does not have, such as
// ReadAhead.
func (o Option[T]) Number() int {
	if o.spec == nil {
		return -1
	}
	return o.spec.number
}

// Setting is an option together with a new value for it, as returned by Option.To. NewSocket
// and Set refuse the zero Setting with EINVAL.
type Setting struct {
	apply func(*Socket) error // called with configMu held
	spec  *optionSpec         // nil if the setting is not exactly one option, such as HWM
	value any                 // the value for spec
	types typeSet             // the types that SocketDefaults applies a setting without spec to; 0: all
}

const (
	opSet    = "set"
	opGet    = "get"
	onlySet  = "the option is write-only; keep the value that was set"
	noOption = "the zero Option names no option; use an option variable of package zmq, or OptionByNumber"
)

// Options returns the current values of all readable options by libzmq's names, for logs and
// bug reports. Passwords and secret keys appear as "(set)" or "". It omits options that the
// libzmq in use does not have, and FD, because reading FD creates a descriptor. The map is
// empty for a closed socket, and the caller owns it.
//
// Options does not block. It reads the values one after the other, not at one instant.
//
// Implements: zmq_getsockopt.
func (s *Socket) Options() map[string]any {
	all := make(map[string]any)
	for _, o := range optionTable {
		if o.access&canGet == 0 || o.number == numFD {
			continue
		}
		v, err := o.get(s)
		if err != nil {
			continue
		}
		if isSecret(o.number) {
			all[o.name] = redacted(string(v.b))
			continue
		}
		all[o.name] = o.goValue(v)
	}
	return all
}

// isSecret reports whether the values of an option must not appear in errors and reports.
func isSecret(number int) bool {
	return number == numPlainPassword || number == numCurveSecretKey || number == numSocksPassword
}

// set checks a value and passes it to libzmq. The caller holds s.configMu.
func (o *optionSpec) set(s *Socket, goValue any) error {
	v, err := o.parse(goValue)
	if err != nil {
		return err
	}
	if err := o.check(s, v); err != nil {
		return err
	}
	if o.setWith == nil {
		return o.store(s, v)
	}
	return wrapError(opSet, "", o.name, o.setWith(s, o, v))
}

// store calls zmq_setsockopt with a value that has passed all checks.
func (o *optionSpec) store(s *Socket, v optionValue) error {
	return o.refused(opSet, s.core().SetOption(o.number, o.wire(v)))
}

func (o *optionSpec) get(s *Socket) (optionValue, error) {
	if _, err := s.live(opGet); err != nil {
		return optionValue{}, err
	}
	switch {
	case o.access&canGet == 0:
		return optionValue{}, o.fail(opGet, syscall.EINVAL, onlySet)
	case o.access == canGet && !o.types.has(s.Type()):
		return optionValue{}, o.wrongType(opGet, s.Type())
	}
	if o.getWith == nil {
		return o.read(s)
	}
	v, err := o.getWith(s, o)
	return v, wrapError(opGet, "", o.name, err)
}

func (o *optionSpec) read(s *Socket) (optionValue, error) {
	buf := make([]byte, o.bufferSize())
	n, err := s.core().GetOption(o.number, buf)
	if err != nil {
		return optionValue{}, o.refused(opGet, err)
	}
	return o.unwire(buf[:n]), nil
}

// refused explains an error that libzmq returned although all checks had passed. It
// returns nil for nil.
func (o *optionSpec) refused(op string, err error) error {
	invalid := err == syscall.EINVAL // not a *fault.Error, whose text says more
	switch {
	case o.needs != "" && (invalid || err == syscall.ENOTSUP):
		return o.fail(op, syscall.ENOTSUP, "%s does not have this option; %s", libzmqVersion(), needText(o.needs))
	case invalid:
		return o.fail(op, syscall.EINVAL, "%s does not have this option, or refuses its value, the size of its value or the type of the socket", libzmqVersion())
	}
	return wrapError(op, "", o.name, err)
}

func libzmqVersion() string {
	major, minor, patch := libzmq.Version()
	return fmt.Sprintf("libzmq %d.%d.%d", major, minor, patch)
}
