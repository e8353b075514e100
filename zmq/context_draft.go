package zmq

import (
	"strings"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// ThreadNamePrefixText is what is put before the names of the context's threads, as
// ThreadNamePrefix, but text: 1 to 16 bytes, of which the system shows the first few,
// not exactly four, which libzmq takes for a number. Default "0". Before the first socket. It
// needs a libzmq with the draft API, otherwise it is ErrNotSupported.
//
// libzmq: ZMQ_THREAD_NAME_PREFIX, with zmq_ctx_set_ext and zmq_ctx_get_ext of the draft
// API.
var ThreadNamePrefixText = ContextOption[string]{spec: &threadNameText}

var threadNameText = contextSpec{9, "THREAD_NAME_PREFIX", setGet, "", true, 1, 16}

// setText is set for an option that is text.
func (o *contextSpec) setText(c *Context, text string) error {
	switch {
	case c == nil || c.core == nil:
		return o.noContext(opSet)
	case len(text) < o.min || len(text) > o.max:
		return o.fail(opSet, syscall.EINVAL, "a text of %d bytes is out of range; allowed are %d to %d", len(text), o.min, o.max)
	case len(text) == 4:
		return o.fail(opSet, syscall.EINVAL, "libzmq takes four bytes for a number; use a shorter or longer text")
	case strings.IndexByte(text, 0) >= 0:
		return o.fail(opSet, syscall.EINVAL, "the text contains a NUL byte, at which libzmq would cut it off")
	case !libzmq.Has(needsDraft):
		return noDraft(opSet, o.name+" as text")
	case c.core.Started():
		return o.fail(opSet, syscall.EINVAL, "libzmq reads it only when the first socket is made, and that has happened; give it to NewContext")
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
