package zmq

import (
	"errors"
	"syscall"
)

// ContextOption is an option of a Context; T is the Go type of its value. It is immutable
// and safe for use by any number of goroutines. The context options of libzmq are
// variables of this package, such as IOThreads and MaxSockets.
type ContextOption[T any] struct{ spec *optionSpec }

// To returns a setting that gives the option the value v. NewContext and Context.Set
// apply the setting.
//
// Implements: zmq_ctx_set.
func (o ContextOption[T]) To(v T) ContextSetting {
	if o.spec == nil {
		return ContextSetting{}
	}
	return ContextSetting{apply: func(c *Context) error { return o.spec.setContext(c, v) }}
}

// Get returns the current value of the option. It does not block. Get returns an *Error
// with EINVAL for a write-only option, and ErrClosed for a closed context.
//
// Implements: zmq_ctx_get.
func (o ContextOption[T]) Get(c *Context) (T, error) {
	var none T
	if o.spec == nil {
		return none, &Error{Op: opGet, Errno: syscall.EINVAL, Detail: noContextOption}
	}
	v, err := o.spec.getContext(c)
	if err != nil {
		return none, err
	}
	return valueAs[T](o.spec, v)
}

// ContextSetting is a context option together with a new value for it, as returned by
// ContextOption.To. NewContext and Set refuse the zero ContextSetting with EINVAL.
type ContextSetting struct {
	apply func(*Context) error
}

const (
	tooLate         = "libzmq reads it only when it creates the first socket, which already exists; pass it to NewContext"
	noContextOption = "the zero ContextOption names no option; use a context option variable of package zmq"
)

const (
	numAffinityAdd   = 7
	numAffinityErase = 8

	// maxIOThreads is go-zmq's limit. Each thread needs two descriptors, and libzmq aborts
	// if there are none.
	maxIOThreads = 256

	// maxCPU is the number of CPUs in the system's cpu_set_t. libzmq writes beyond it for
	// larger numbers.
	maxCPU = 1024
)

// defineContext returns the variable of a context option, whose facts are spec. A frozen
// option is one that libzmq reads only when it creates the first socket.
func defineContext[T any](spec optionSpec) ContextOption[T] {
	return ContextOption[T]{spec: complete[T](&spec)}
}

// setContext is like set, for an option of a context.
func (o *optionSpec) setContext(c *Context, goValue any) error {
	v, err := o.parse(goValue)
	if err != nil {
		return err
	}
	n := int(v.n)
	switch err := o.checkRange(v); {
	case err != nil:
		return err
	case o.frozen && c.core.Started():
		return o.fail(opSet, syscall.EINVAL, tooLate)
	case o.kind == kindString && len(v.b) == 4:
		return o.fail(opSet, syscall.EINVAL, "libzmq interprets a text of four bytes as a number; use a shorter or longer text")
	case o.kind == kindString:
		return o.refused(opSet, c.core.SetText(o.number, string(v.b)))
	case o.number == numAffinityAdd:
		if err := o.checkCPU(n); err != nil {
			return err
		}
	}
	err = c.core.SetOption(o.number, n)
	if o.number == numAffinityErase && errors.Is(err, syscall.EINVAL) {
		return o.fail(opSet, syscall.EINVAL, "CPU %d was not added; remove only CPUs that ThreadAffinityCPUAdd has added", n)
	}
	return o.refused(opSet, err)
}

func (o *optionSpec) checkCPU(n int) error {
	usable, err := cpuUsable(n)
	if err != nil {
		return o.fail(opSet, errnoOf(err), "the CPUs of this process cannot be listed: %v", err)
	}
	if !usable {
		return o.fail(opSet, syscall.EINVAL, "CPU %d does not exist, or this process may not use it, and libzmq would abort; choose a CPU that the process may use", n)
	}
	return nil
}

// getContext is like get, for an option of a context.
func (o *optionSpec) getContext(c *Context) (v optionValue, err error) {
	switch {
	case c == nil || c.core == nil:
		return v, errNilContext(opGet)
	case o.access&canGet == 0:
		return v, o.fail(opGet, syscall.EINVAL, onlySet)
	case o.kind == kindString:
		text, err := c.core.GetText(o.number)
		return optionValue{b: []byte(text)}, o.refused(opGet, err)
	}
	n, err := c.core.GetOption(o.number)
	return optionValue{n: int64(n)}, o.refused(opGet, err)
}
