package zmq

import (
	"errors"
	"fmt"
	"math"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// ContextOption is an option of a Context; T is the Go type of its value. It is immutable
// and safe for use by any number of goroutines. The context options of libzmq are
// variables of this package, such as IOThreads and MaxSockets.
type ContextOption[T any] struct{ spec *contextSpec }

// To returns a setting that gives the option the value v. NewContext and Context.Set
// apply the setting.
//
// Implements: zmq_ctx_set.
func (o ContextOption[T]) To(v T) ContextSetting {
	if o.spec == nil {
		return ContextSetting{}
	}
	n := 0
	switch x := any(v).(type) {
	case int:
		n = x
	case bool:
		if x {
			n = 1
		}
	case string:
		return ContextSetting{apply: func(c *Context) error { return o.spec.setText(c, x) }}
	}
	return ContextSetting{apply: func(c *Context) error { return o.spec.set(c, n) }}
}

// Get returns the current value of the option. It does not block. Get returns an *Error
// with EINVAL for a write-only option, and ErrClosed for a closed context.
//
// Implements: zmq_ctx_get.
func (o ContextOption[T]) Get(c *Context) (T, error) {
	var v T
	if o.spec == nil {
		return v, &Error{Op: opGet, Errno: syscall.EINVAL, Detail: noContextOption}
	}
	if p, ok := any(&v).(*string); ok {
		text, err := o.spec.getText(c)
		*p = text
		return v, err
	}
	n, err := o.spec.get(c)
	if err != nil {
		return v, err
	}
	switch p := any(&v).(type) {
	case *int:
		*p = n
	case *bool:
		*p = n != 0
	}
	return v, nil
}

// Name returns libzmq's name of the option without the prefix ZMQ_, such as "IO_THREADS".
func (o ContextOption[T]) Name() string {
	if o.spec == nil {
		return ""
	}
	return o.spec.name
}

// Number returns libzmq's number of the option, or -1 for the zero ContextOption.
// SOCKET_LIMIT, which is read-only, and THREAD_PRIORITY, which is write-only, share a
// number. TrackConnections, which libzmq does not have, has a negative number.
func (o ContextOption[T]) Number() int {
	if o.spec == nil {
		return -1
	}
	return o.spec.number
}

// ContextSetting is a context option together with a new value for it, as returned by
// ContextOption.To. NewContext and Set refuse the zero ContextSetting with EINVAL.
type ContextSetting struct {
	apply func(*Context) error
}

const (
	tooLate         = "libzmq reads it only when it creates the first socket, which exists already; pass it to NewContext"
	noContextOption = "the zero ContextOption names no option; use a context option variable of package zmq"
)

// contextSpec is one line of the table of context options.
type contextSpec struct {
	number int
	name   string
	access optionAccess
	def    any
	early  bool // libzmq reads it only when it creates the first socket
	min    int
	max    int
	check  func(c *Context, o *contextSpec, n int) error // refuses further values; may be nil
}

const (
	numSocketLimit   = 3
	numMaxSockets    = 2
	numAffinityErase = 8

	numTrackConnections = -3 // not an option of libzmq

	// maxIOThreads is go-zmq's limit. Each thread needs two descriptors, and libzmq aborts
	// if there are none.
	maxIOThreads = 256

	// maxCPU is the number of CPUs in the system's cpu_set_t. libzmq writes beyond it for
	// larger numbers.
	maxCPU = 1024
)

var contextTable = [...]contextSpec{
	{1, "IO_THREADS", setGet, 1, true, 0, maxIOThreads, nil},
	{numMaxSockets, "MAX_SOCKETS", setGet, 1023, true, 1, 65535, checkMaxSockets},
	{numSocketLimit, "SOCKET_LIMIT", canGet, 65535, false, 0, 0, nil},
	{3, "THREAD_PRIORITY", canSet, nil, true, 0, 99, nil},
	{4, "THREAD_SCHED_POLICY", setGet, -1, true, 0, 5, checkPolicy},
	{5, "MAX_MSGSZ", setGet, math.MaxInt32, false, 0, math.MaxInt32, nil},
	{6, "MSG_T_SIZE", canGet, 64, false, 0, 0, nil},
	{7, "THREAD_AFFINITY_CPU_ADD", canSet, nil, true, 0, maxCPU - 1, checkCPU},
	{numAffinityErase, "THREAD_AFFINITY_CPU_REMOVE", canSet, nil, true, 0, maxCPU - 1, nil},
	{9, "THREAD_NAME_PREFIX", setGet, 0, true, 0, math.MaxInt32, nil},
	{10, "ZERO_COPY_RECV", setGet, true, false, 0, 1, nil},
	{42, "IPV6", setGet, false, false, 0, 1, nil},
	{70, "BLOCKY", setGet, true, false, 0, 1, nil},
}

func knownContext[T int | bool](name string) ContextOption[T] {
	for i := range contextTable {
		if contextTable[i].name == name {
			return ContextOption[T]{spec: &contextTable[i]}
		}
	}
	return ContextOption[T]{}
}

func (o *contextSpec) fail(op string, errno syscall.Errno, format string, args ...any) error {
	return &Error{Op: op, Option: o.name, Errno: errno, Detail: fmt.Sprintf(format, args...)}
}

func (o *contextSpec) set(c *Context, n int) error {
	switch {
	case c == nil || c.core == nil:
		return o.noContext(opSet)
	case o.access&canSet == 0:
		return o.fail(opSet, syscall.EINVAL, "the option is read-only")
	case n < o.min || n > o.max:
		return o.fail(opSet, syscall.EINVAL, "%d is out of range; allowed are %d to %d", n, o.min, o.max)
	case o.early && c.core.Started():
		return o.fail(opSet, syscall.EINVAL, tooLate)
	}
	if o.number == numTrackConnections {
		return wrapError(opSet, "", o.name, c.core.SetBlind(n == 0))
	}
	if o.check != nil {
		if err := o.check(c, o, n); err != nil {
			return err
		}
	}
	err := c.core.SetOption(o.number, n)
	switch {
	case err == nil:
		return nil
	case isErrno(err, syscall.EINVAL) && o.number == numAffinityErase:
		return o.fail(opSet, syscall.EINVAL, "CPU %d was not added; remove only CPUs that ThreadAffinityCPUAdd has added", n)
	}
	return o.refused(opSet, err)
}

func checkMaxSockets(c *Context, o *contextSpec, n int) error {
	limit, err := c.core.GetOption(numSocketLimit)
	if err != nil {
		return o.refused(opSet, err)
	}
	if n > limit {
		return o.fail(opSet, syscall.EINVAL, "%d is out of range; allowed are 1 to %d, which is SocketLimit", n, limit)
	}
	return nil
}

func checkPolicy(_ *Context, o *contextSpec, n int) error {
	if n == 4 {
		return o.fail(opSet, syscall.EINVAL, "there is no policy 4; use 0 (other), 1 (fifo), 2 (round robin), 3 (batch) or 5 (idle)")
	}
	return nil
}

func checkCPU(_ *Context, o *contextSpec, n int) error {
	usable, err := cpuUsable(n)
	if err != nil {
		return o.fail(opSet, errnoOf(err), "the CPUs of this process cannot be listed: %v", err)
	}
	if !usable {
		return o.fail(opSet, syscall.EINVAL, "CPU %d does not exist, or this process may not use it, and libzmq would abort; choose a CPU that the process may use", n)
	}
	return nil
}

// refused explains an error that libzmq returned although all checks had passed.
func (o *contextSpec) refused(op string, err error) error {
	if isErrno(err, syscall.EINVAL) && o.number != numMaxSockets {
		major, minor, patch := libzmq.Version()
		return o.fail(op, syscall.ENOTSUP, "libzmq %d.%d.%d does not have this option; use a newer one", major, minor, patch)
	}
	if errors.Is(err, core.ErrClosed) {
		return o.fail(op, errnoClosed, "the context is closed")
	}
	return wrapError(op, "", o.name, err)
}

func (o *contextSpec) noContext(op string) error {
	return o.fail(op, errnoClosed, "the context is nil; create one with NewContext")
}

func (o *contextSpec) get(c *Context) (int, error) {
	switch {
	case c == nil || c.core == nil:
		return 0, o.noContext(opGet)
	case o.access&canGet == 0:
		return 0, o.fail(opGet, syscall.EINVAL, "the option can only be set; keep the value that you set")
	}
	if o.number == numTrackConnections {
		blind, err := c.core.Blind()
		if blind || err != nil {
			return 0, wrapError(opGet, "", o.name, err)
		}
		return 1, nil
	}
	n, err := c.core.GetOption(o.number)
	if err != nil {
		return 0, o.refused(opGet, err)
	}
	return n, nil
}
