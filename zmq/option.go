package zmq

import (
	"bytes"
	"strings"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Option is one socket option with the Go type of its value. The options that
// libzmq knows are variables of this package: SendHWM, Linger, CurveServerKey
// and so on; OptionByNumber makes one for any other.
//
// An Option is immutable and may be used by any number of goroutines. Every
// option is checked against libzmq's own rules before libzmq is asked: a value
// out of range, an option that the type of the socket must not take, or one that
// may not change any more, is an *Error that says what is allowed.
type Option[T any] struct {
	spec *optionSpec
	raw  bool // T is the form that libzmq uses, not the table's: see OptionByNumber
}

// To makes the setting that gives the option the value v, for Context.NewSocket
// and Socket.Set. It does nothing by itself; v is copied when it is applied, so a
// slice must not change before that.
//
// libzmq: zmq_setsockopt.
func (o Option[T]) To(v T) Setting {
	if o.spec == nil {
		return Setting{}
	}
	return Setting{apply: func(s *Socket) error { return o.spec.set(s, v) }, spec: o.spec}
}

// Get reads the option's current value from the socket. It does not block, and
// may be called by any goroutine. A slice that it returns is the caller's.
//
// An option that can only be set is an *Error with EINVAL; one that the libzmq at
// hand does not have is ErrNotSupported; a closed socket is ErrClosed.
//
// libzmq: zmq_getsockopt.
func (o Option[T]) Get(s *Socket) (T, error) {
	var none T
	if o.spec == nil {
		return none, &Error{Op: opGet, Errno: syscall.EINVAL, Detail: noOption}
	}
	v, err := o.spec.get(s)
	if err != nil {
		return none, err
	}
	if o.raw {
		return rawAs[T](o.spec, v)
	}
	return o.spec.goValue(v).(T), nil
}

// Name returns libzmq's name of the option without its prefix, such as "SNDHWM".
func (o Option[T]) Name() string {
	if o.spec == nil {
		return ""
	}
	return o.spec.name
}

// Number returns libzmq's number of the option, such as 23 for SNDHWM, or -1 for
// the zero Option. ReadAhead, which libzmq does not know, has a negative number
// too.
func (o Option[T]) Number() int {
	if o.spec == nil {
		return -1
	}
	return o.spec.number
}

// Setting is an option together with the value it is to have, as made by
// Option.To. The zero value is no setting; NewSocket and Set refuse it.
type Setting struct {
	apply func(*Socket) error // called with configMu held
	spec  *optionSpec         // the option, if it is one
}

const (
	opSet    = "set"
	opGet    = "get"
	noOption = "the zero Option names no option; use one of the package's, or OptionByNumber"
)

// Options returns the present value of every option that can be read, by
// libzmq's name, for logs and bug reports. Passwords and secret keys are shown as
// "(set)" or "". Options that the libzmq at hand does not have are left out, and
// so is FD, which would be created by the reading. It is empty for a closed
// socket.
//
// It may be called by any goroutine and does not block; the values are read one
// after the other, not at one instant.
//
// libzmq: zmq_getsockopt.
func (s *Socket) Options() map[string]any {
	all := make(map[string]any)
	for i := range optionTable {
		o := &optionTable[i]
		if o.access&canGet == 0 || o.number == numFD {
			continue
		}
		v, err := o.get(s)
		if err != nil {
			continue
		}
		if isSecret(o.number) {
			shown := ""
			if o.goValue(v).(string) != "" {
				shown = "(set)"
			}
			all[o.name] = shown
			continue
		}
		all[o.name] = o.goValue(v)
	}
	return all
}

// isSecret tells which values must not appear in an error or a report.
func isSecret(number int) bool {
	return number == numPlainPassword || number == numCurveSecretKey || number == numSocksPassword
}

// set checks a value and hands it to libzmq. The caller holds s.configMu.
func (o *optionSpec) set(s *Socket, goValue any) error {
	if s == nil || s.core == nil {
		return o.noSocket(opSet)
	}
	if o.access&canSet == 0 {
		return o.fail(opSet, syscall.EINVAL, "libzmq lets %s only be read", o.name)
	}
	v, err := o.parse(goValue)
	if err != nil {
		return err
	}
	if err := o.check(s, v); err != nil {
		return err
	}
	return o.applyRule(s, v)
}

func (o *optionSpec) noSocket(op string) error {
	return o.fail(op, errnoClosed, "the socket is nil; make one with Context.NewSocket")
}

// store is the plain zmq_setsockopt behind every rule.
func (o *optionSpec) store(s *Socket, v optionValue) error {
	err := s.core.SetOption(o.number, o.wire(v))
	if err == nil {
		return nil
	}
	return o.refused(opSet, err)
}

func (o *optionSpec) get(s *Socket) (optionValue, error) {
	switch {
	case s == nil || s.core == nil:
		return optionValue{}, o.noSocket(opGet)
	case o.access&canGet == 0:
		return optionValue{}, o.fail(opGet, syscall.EINVAL, "libzmq lets %s only be set; keep the value that was set", o.name)
	case o.access == canGet && !o.types.has(s.Type()):
		return optionValue{}, o.wrongType(opGet, s.Type())
	}
	if err := o.checkCapability(opGet); err != nil {
		return optionValue{}, err
	}
	switch o.number {
	case numFD:
		// Never libzmq's own descriptor: whoever closes that aborts the process.
		fd, err := s.core.FD()
		if err != nil {
			return optionValue{}, wrapError(opGet, "", o.name, err)
		}
		return optionValue{n: int64(fd)}, nil
	case numReadAhead:
		ahead, err := s.core.ReadAhead()
		return optionValue{n: int64(ahead)}, wrapError(opGet, "", o.name, err)
	case numWhenFull:
		p, err := s.core.WhenFull()
		return optionValue{n: int64(p)}, wrapError(opGet, "", o.name, err)
	case numEvents:
		v, err := o.read(s)
		if err == nil && s.core.Holds() {
			v.n |= libzmq.EventIn
		}
		return v, err
	case numLastEndpoint:
		v, err := o.read(s)
		if len(v.b) > 0 && !bytes.Contains(v.b, []byte("://")) {
			v.b = append([]byte("udp://"), v.b...) // which libzmq leaves out
		}
		return v, err
	case numRecvMore:
		// libzmq hands whole messages to the Socket, which hands out their parts.
		if _, err := o.read(s); err != nil {
			return optionValue{}, err
		}
		if s.RecvMore() {
			return optionValue{n: 1}, nil
		}
		return optionValue{}, nil
	}
	return o.read(s)
}

// longestString is the longest value that is read of an option without a fixed
// size. libzmq does not say how long a value is, it only refuses a buffer that is
// too short; so the buffer grows until the value fits.
const longestString = 1 << 16

func (o *optionSpec) read(s *Socket) (optionValue, error) {
	size, grows := o.bufferSize()
	for {
		buf := make([]byte, size)
		n, err := s.core.GetOption(o.number, buf)
		if err == nil {
			return o.unwire(buf[:n]), nil
		}
		if !grows || size >= longestString || !isErrno(err, syscall.EINVAL) {
			return optionValue{}, o.refused(opGet, err)
		}
		size *= 8
	}
}

// refused explains an error that libzmq gave although the table had no
// objection.
func (o *optionSpec) refused(op string, err error) error {
	if !isErrno(err, syscall.EINVAL) {
		return wrapError(op, "", o.name, err)
	}
	major, minor, patch := libzmq.Version()
	switch {
	case strings.HasPrefix(o.needs, needsDraft):
		return o.fail(op, syscall.ENOTSUP, "libzmq %d.%d.%d does not have it; %s", major, minor, patch, draftText(o.needs))
	case o.needs != "":
		return o.fail(op, syscall.ENOTSUP, "libzmq %d.%d.%d does not know it; %s", major, minor, patch, needText(o.needs))
	case o.goName == "":
		return o.fail(op, syscall.EINVAL, "libzmq %d.%d.%d does not have this option, or not for this type of socket, this size of value or this value", major, minor, patch)
	}
	return wrapError(op, "", o.name, err)
}
