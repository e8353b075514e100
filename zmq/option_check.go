package zmq

import (
	"bytes"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

func (o *optionSpec) fail(op string, errno syscall.Errno, format string, args ...any) error {
	return &Error{Op: op, Option: o.name, Errno: errno, Detail: fmt.Sprintf(format, args...)}
}

// check refuses values that the table does not allow.
func (o *optionSpec) check(s *Socket, v optionValue) error {
	if !o.types.has(s.Type()) {
		return o.wrongType(opSet, s.Type())
	}
	if o.frozen && s.attach.used {
		return o.fail(opSet, syscall.EINVAL, "it cannot be changed after the first Bind or Connect, because libzmq could crash; pass %s to NewSocket or set it earlier", o.goName)
	}
	if err := o.checkRange(v); err != nil || o.alsoCheck == nil {
		return err
	}
	return o.alsoCheck(s, o, v)
}

// neededBuild says how a libzmq with a capability was built.
var neededBuild = map[string]string{
	"curve":       "built with libsodium",
	"gssapi":      "built with Kerberos (--with-libgssapi_krb5)",
	"vmci":        "built with VMCI (--with-vmci)",
	needsDraft:    "built with its draft API (--enable-drafts)",
	needsDraft435: "4.3.5 or newer, built with its draft API",
	needsWSS:      "built with its draft API, WebSockets and GnuTLS",
	needsNorm:     "4.3.5 or newer, built with its draft API and NORM",
}

// needText says which libzmq has a capability that the libzmq in use lacks.
func needText(needs string) string {
	if build := neededBuild[needs]; build != "" {
		return "set GOZMQ_LIBRARY to a libzmq " + build
	}
	return "use libzmq " + needs + " or newer"
}

// needs returns an error unless libzmq can be loaded and has a capability. what needs it.
func needs(op, capability, what string) error {
	if err := libzmq.Load(); err != nil {
		return notLoaded(op, err)
	}
	if libzmq.Has(capability) {
		return nil
	}
	return &Error{Op: op, Errno: syscall.ENOTSUP, Detail: fmt.Sprintf("the libzmq in use does not support %s; %s", what, needText(capability))}
}

func notLoaded(op string, err error) error {
	return &Error{Op: op, Errno: syscall.ENOENT, Detail: err.Error(), cause: cause{err}}
}

func (o *optionSpec) wrongType(op string, t SocketType) error {
	errno := syscall.EINVAL
	if o.number == numReadAhead {
		errno = syscall.ENOTSUP
	}
	return o.fail(op, errno, "a %s socket does not have this option; %s", t, typesText(o.types))
}

// typesText lists the types of a set: "only PUB and XPUB sockets do".
func typesText(set typeSet) string {
	var in []string
	for t := Pair; t <= Channel; t++ {
		if set.has(t) {
			in = append(in, t.String())
		}
	}
	last := len(in) - 1
	text := in[last]
	if last > 0 {
		text = strings.Join(in[:last], ", ") + " and " + text
	}
	return "only " + text + " sockets do"
}

func (o *optionSpec) checkRange(v optionValue) error {
	switch o.kind {
	case kindUint64:
		return nil // every bit pattern is valid
	case kindKey:
		return o.checkKey(v.b)
	case kindString, kindTopic, kindBytes:
		if n := int64(len(v.b)); n < o.min || n > o.max {
			return o.outOfRange(fmt.Sprintf("a value of %d bytes", n))
		}
		if o.kind == kindString && bytes.IndexByte(v.b, 0) >= 0 {
			return o.fail(opSet, syscall.EINVAL, "the string contains a NUL byte, where libzmq would cut it off")
		}
		return nil
	}
	if v.n < o.min || v.n > o.max {
		return o.outOfRange(o.show(v.n))
	}
	return nil
}

func (o *optionSpec) outOfRange(value string) error {
	most := strings.TrimSpace(o.show(o.max) + " " + o.unit)
	return o.fail(opSet, syscall.EINVAL, "%s is out of range; the allowed range is %s to %s", value, o.show(o.min), most)
}

// show formats libzmq's number like the user of the typed option writes it.
func (o *optionSpec) show(n int64) string {
	switch {
	case o.kind.duration() && n < 0:
		return "a negative duration"
	case o.kind.duration() && n > int64(1<<63-1)/int64(time.Second):
		return fmt.Sprintf("%d times %v", n, o.kind.unitOf())
	case o.kind.duration():
		return (time.Duration(n) * o.kind.unitOf()).String()
	}
	return fmt.Sprint(n)
}
