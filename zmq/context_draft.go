package zmq

import (
	"strings"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// ThreadNamePrefixText is like ThreadNamePrefix, but is a text: it precedes the names of
// the context's threads. It has 1 to 16 bytes, but not exactly four, because libzmq takes
// four bytes for a number. The system shows only the first few bytes. Default "0". It
// must be set before the first socket is created. It returns ErrNotSupported unless
// libzmq was built with its draft API.
//
// Implements: zmq_ctx_set_ext(ZMQ_THREAD_NAME_PREFIX), zmq_ctx_get_ext, draft API.
var ThreadNamePrefixText = ContextOption[string]{spec: &threadNameText}

var threadNameText = contextSpec{9, "THREAD_NAME_PREFIX", setGet, "", true, 1, 16, nil}

// setText is like set, for an option whose value is text.
func (o *contextSpec) setText(c *Context, text string) error {
	switch {
	case c == nil || c.core == nil:
		return o.noContext(opSet)
	case len(text) < o.min || len(text) > o.max:
		return o.fail(opSet, syscall.EINVAL, "a text of %d bytes is out of range; allowed are %d to %d bytes", len(text), o.min, o.max)
	case len(text) == 4:
		return o.fail(opSet, syscall.EINVAL, "libzmq takes a text of four bytes for a number; use a shorter or longer text")
	case strings.IndexByte(text, 0) >= 0:
		return o.fail(opSet, syscall.EINVAL, "the text contains a NUL byte, where libzmq would cut it off")
	case !libzmq.Has(needsDraft):
		return noDraft(opSet, o.name+" as text")
	case c.core.Started():
		return o.fail(opSet, syscall.EINVAL, tooLate)
	}
	if err := c.core.SetText(o.number, text); err != nil {
		return o.refused(opSet, err)
	}
	return nil
}

func (o *contextSpec) getText(c *Context) (string, error) {
	switch {
	case c == nil || c.core == nil:
		return "", o.noContext(opGet)
	case !libzmq.Has(needsDraft):
		return "", noDraft(opGet, o.name+" as text")
	}
	text, err := c.core.GetText(o.number)
	if err != nil {
		return "", o.refused(opGet, err)
	}
	return text, nil
}
