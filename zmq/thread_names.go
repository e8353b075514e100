package zmq

import (
	"strings"
	"syscall"
)

// maxThreadPrefix is libzmq's limit; the system shows 15 characters of a name.
const maxThreadPrefix = 16

// ThreadNames makes the setting that puts a text before the names of a context's
// threads, as ThreadNamePrefix does with a number, to tell contexts apart in ps and
// in debuggers: "feed" makes them feed/ZMQbg/IO/0 and so on, of which Linux keeps 15
// characters. The text has 1 to 16 bytes. Before the first socket. Only a libzmq with
// the draft API has it, others are ErrNotSupported.
//
// libzmq: zmq_ctx_set_ext, ZMQ_THREAD_NAME_PREFIX.
func ThreadNames(prefix string) ContextSetting {
	o := ThreadNamePrefix.spec
	return ContextSetting{apply: func(c *Context) error {
		switch {
		case prefix == "" || len(prefix) > maxThreadPrefix || strings.IndexByte(prefix, 0) >= 0:
			return o.fail(opSet, syscall.EINVAL, "%q is no prefix; it has 1 to %d bytes, none of them NUL", prefix, maxThreadPrefix)
		case c.core.Started():
			return o.fail(opSet, syscall.EINVAL, "libzmq reads it only when the first socket is made, and that has happened; give it to NewContext")
		}
		err := c.core.SetThreadNames(prefix)
		if isErrno(err, syscall.ENOTSUP) {
			return o.fail(opSet, syscall.ENOTSUP, "this libzmq was built without the draft API and takes a number only; use ThreadNamePrefix, or a libzmq built with it")
		}
		return wrapError(opSet, "", o.name, err)
	}}
}
