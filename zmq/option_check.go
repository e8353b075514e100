package zmq

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

func (o *optionSpec) fail(op string, errno syscall.Errno, format string, args ...any) error {
	return &Error{Op: op, Option: o.name, Errno: errno, Detail: fmt.Sprintf(format, args...)}
}

func isErrno(err error, errno syscall.Errno) bool {
	var e syscall.Errno
	return errors.As(err, &e) && e == errno
}

// check refuses what the table does not allow.
func (o *optionSpec) check(s *Socket, v optionValue) error {
	if err := o.checkCapability(opSet); err != nil {
		return err
	}
	if !o.types.has(s.Type()) {
		return o.wrongType(opSet, s.Type())
	}
	if o.frozen && s.attach.used {
		return o.fail(opSet, syscall.EINVAL, "it may not change after the first Bind or Connect, libzmq could crash; give %s to NewSocket, or set it before", o.goName)
	}
	return o.checkRange(v)
}

func (o *optionSpec) checkCapability(op string) error {
	switch o.needs {
	case "curve", "gssapi", "vmci":
		if !libzmq.Has(o.needs) {
			return o.fail(op, syscall.ENOTSUP, "this libzmq was built without %s; %s", o.needs, needText(o.needs))
		}
	}
	return nil
}

// needText says what brings a capability that the libzmq at hand lacks.
func needText(capability string) string {
	switch capability {
	case "curve":
		return "a libzmq built with libsodium has it"
	case "gssapi":
		return "a libzmq built with Kerberos (--with-libgssapi_krb5) has it"
	case "pgm":
		return "a libzmq built with OpenPGM (--with-pgm) has it"
	case "norm":
		return "a libzmq built with NORM (--with-norm) has it"
	case "vmci":
		return "a libzmq built with VMCI (--with-vmci) has it"
	case "tipc", "ipc":
		return "a libzmq built for a system with " + capability + " has it"
	case "WS":
		return "libzmq 4.3.3 or newer, built with WebSockets, has it"
	case "WSS":
		return "libzmq 4.3.3 or newer, built with WebSockets and GnuTLS, has it"
	}
	return "libzmq " + capability + " or newer has it"
}

func (o *optionSpec) wrongType(op string, t SocketType) error {
	errno := syscall.EINVAL
	if o.number == numReadAhead {
		errno = syscall.ENOTSUP
	}
	return o.fail(op, errno, "a %s socket does not have it; %s", t, typesText(o.types))
}

// typesText lists the types of a set: "only PUB and XPUB sockets do", or for the
// long lists those that are missing.
func typesText(set typeSet) string {
	var in, out []string
	for t := Pair; t <= Channel; t++ {
		if set.has(t) {
			in = append(in, t.String())
		} else {
			out = append(out, t.String())
		}
	}
	if len(in) > len(out) {
		return "all but " + strings.Join(out, ", ") + " do"
	}
	if n := len(in); n > 1 {
		return "only " + strings.Join(in[:n-1], ", ") + " and " + in[n-1] + " sockets do"
	}
	return "only " + in[0] + " sockets do"
}

func (o *optionSpec) checkRange(v optionValue) error {
	switch o.kind {
	case kindUint64:
		return nil // every bit pattern is a value
	case kindKey:
		return o.checkKey(v.b)
	case kindString, kindTopic, kindBytes:
		if n := int64(len(v.b)); n < o.min || n > o.max {
			return o.outOfRange(fmt.Sprintf("a value of %d bytes", n))
		}
		if o.kind == kindString && bytes.IndexByte(v.b, 0) >= 0 {
			return o.fail(opSet, syscall.EINVAL, "the string contains a NUL byte, at which libzmq would cut it off")
		}
		return nil
	}
	if v.n < o.min || v.n > o.max {
		return o.outOfRange(o.show(v.n))
	}
	return nil
}

func (o *optionSpec) outOfRange(value string) error {
	low, high := o.show(o.min), o.show(o.max)
	unit := o.unit
	hint := ""
	switch {
	case !o.kind.numeric():
		low, high = fmt.Sprint(o.min), fmt.Sprint(o.max)
	case o.kind.duration() && o.min < 0:
		hint = ", or any negative duration"
	}
	if unit != "" {
		unit = " " + unit
	}
	return o.fail(opSet, syscall.EINVAL, "%s is out of range; allowed are %s to %s%s%s", value, low, high, unit, hint)
}

// show formats a number of libzmq's as the user of the typed option writes it.
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

// applyRule hands a checked value to libzmq, by way of what the table cannot say.
func (o *optionSpec) applyRule(s *Socket, v optionValue) error {
	switch o.number {
	case numSubscribe, numUnsubscribe:
		return setTopic(s, o, v)
	case numRecvTimeout, numSendTimeout:
		return setTimeout(s, o, v)
	case numReadAhead:
		return setReadAhead(s, o, v)
	case numWhenFull:
		return wrapError(opSet, "", o.name, s.core.SetWhenFull(core.FullPolicy(v.n)))
	case numConflate:
		return setConflate(s, o, v)
	case numKeepaliveCount, numKeepaliveIdle, numKeepaliveIvl:
		if v.n == 0 {
			// The kernel refuses 0, and libzmq then leaks the descriptor of each
			// accepted connection.
			return o.fail(opSet, syscall.EINVAL, "0 is not possible; use a negative value for the system's default")
		}
	case numRoutingID:
		if madeUp(v.b) {
			return o.fail(opSet, syscall.EINVAL, "an id of five bytes may not begin with a zero byte; ROUTER sockets make up such ids themselves, and libzmq aborts when two are the same")
		}
	case numRouterRaw:
		return setRouterRaw(s, o, v)
	case numProbeRouter:
		return setProbeRouter(s, o, v)
	case numHelloMsg:
		return setHello(s, o, v)
	case numXPubManual, numXPubManualLast:
		if v.n == 0 && s.attach.used && s.attach.manual {
			return o.fail(opSet, syscall.EINVAL, "it may not be turned off after the first Bind or Connect: libzmq keeps what subscribers asked for meanwhile, and long topics among it overflow the stack when the socket closes; use a new socket")
		}
		err := o.store(s, v)
		if err == nil {
			s.attach.manual = s.attach.manual || v.n != 0
		}
		return err
	case numHeartbeatIvl:
		if v.n != 0 && s.attach.openWS {
			return o.fail(opSet, syscall.EINVAL, "the socket uses WebSockets without a mechanism, over which libzmq aborts at heartbeats; use PLAIN or CURVE and set it before Bind or Connect, or use tcp")
		}
	case numConnectRoutingID:
		return setConnectRoutingID(s, o, v)
	case numPlainServer, numCurveServer, numGSSAPIServer:
		return setServer(s, o, v)
	case numPlainUsername, numPlainPassword:
		return setPlain(s, o, v)
	case numMetadata:
		if err := checkMetadata(o, string(v.b)); err != nil {
			return err
		}
	case numUseFD:
		return setUseFD(s, o, v)
	case numDisconnectMsg, numPriority, numBusyPoll, numWSSKey, numWSSCert:
		return setDraft(s, o, v)
	}
	return o.store(s, v)
}

// setTimeout tells core, which does the waiting; libzmq is told so that it
// reports the value.
func setTimeout(s *Socket, o *optionSpec, v optionValue) error {
	if err := o.store(s, v); err != nil {
		return err
	}
	dir := core.Recv
	if o.number == numSendTimeout {
		dir = core.Send
	}
	s.core.SetTimeout(dir, o.kind.toDuration(v.n))
	return nil
}

// setReadAhead and setConflate keep apart two options that contradict each other:
// the message that conflating would replace is the one that was read ahead.
func setReadAhead(s *Socket, o *optionSpec, v optionValue) error {
	if v.n > 0 && s.attach.conflates {
		return o.fail(opSet, syscall.ENOTSUP, "the socket has Conflate, which keeps the newest message only; use one of the two")
	}
	return wrapError(opSet, "", o.name, s.core.SetReadAhead(int(v.n)))
}

func setConflate(s *Socket, o *optionSpec, v optionValue) error {
	if ahead, err := s.core.ReadAhead(); err == nil && ahead > 0 && v.n != 0 {
		return o.fail(opSet, syscall.ENOTSUP, "the socket has ReadAhead, which keeps older messages; use one of the two")
	}
	if err := o.store(s, v); err != nil {
		return err
	}
	s.attach.conflates = v.n != 0
	return nil
}

// setRouterRaw keeps a socket raw: after a change back libzmq would still talk
// raw TCP to its peers but treat what they say as messages.
func setRouterRaw(s *Socket, o *optionSpec, v optionValue) error {
	if v.n == 0 && s.attach.raw {
		return o.fail(opSet, syscall.EINVAL, "libzmq cannot turn it off again; use a new socket")
	}
	if v.n != 0 && s.attach.probes {
		return o.fail(opSet, syscall.EINVAL, "it cannot be combined with ProbeRouter: libzmq aborts when it is to send an empty message on a raw connection")
	}
	err := o.store(s, v)
	if err == nil && v.n != 0 {
		s.attach.raw = true
	}
	return err
}

// madeUp reports whether an id looks like those that a ROUTER gives to peers that
// bring none: a zero byte and a number of four.
func madeUp(id []byte) bool { return len(id) == 5 && id[0] == 0 }

// setHello and setProbeRouter keep apart what fills a queue of one message together, at
// which libzmq crashes.
func setHello(s *Socket, o *optionSpec, v optionValue) error {
	if len(v.b) > 0 && s.attach.probes {
		return o.fail(opSet, syscall.EINVAL, "it cannot be combined with ProbeRouter: libzmq crashes when the queue of a connection has no room for both; use one of them")
	}
	err := o.store(s, v)
	if err == nil {
		s.attach.greets = len(v.b) > 0
	}
	return err
}

func setProbeRouter(s *Socket, o *optionSpec, v optionValue) error {
	if v.n != 0 && s.attach.greets {
		return o.fail(opSet, syscall.EINVAL, "it cannot be combined with HelloMessage: libzmq crashes when the queue of a connection has no room for both; use one of them")
	}
	if v.n != 0 && s.attach.raw {
		return o.fail(opSet, syscall.EINVAL, "it cannot be combined with RouterRaw: libzmq aborts when it is to send an empty message on a raw connection")
	}
	err := o.store(s, v)
	if err == nil {
		s.attach.probes = v.n != 0
	}
	return err
}

// checkTopic refuses topics that libzmq cannot bear.
func checkTopic(s *Socket, topic string) error {
	o := specOf(numSubscribe)
	if len(topic) > maxTopic {
		return o.outOfRange(fmt.Sprintf("a topic of %d bytes", len(topic)))
	}
	if len(topic) >= 246 && len(topic) <= 255 && libzmqOlderThan(4, 3, 5) {
		return o.fail(opSet, syscall.ENOTSUP, "before libzmq 4.3.5, topics of 246 to 255 bytes (this one has %d) are sent wrongly and never match; use a shorter prefix or a newer libzmq", len(topic))
	}
	return nil
}

func libzmqOlderThan(major, minor, patch int) bool {
	a, b, c := libzmq.Version()
	if a != major {
		return a < major
	}
	if b != minor {
		return b < minor
	}
	return c < patch
}

// checkMetadata: libzmq takes "X-name:value", and mistakes four bytes in all for
// a number.
func checkMetadata(o *optionSpec, text string) error {
	name, value, ok := strings.Cut(text, ":")
	switch {
	case !ok || value == "" || !strings.HasPrefix(name, "X-") || len(name) > 255:
		return o.fail(opSet, syscall.EINVAL, `it takes "X-name:value", the name at most 255 bytes, the value not empty`)
	case len(text) == 4:
		return o.fail(opSet, syscall.EINVAL, "libzmq cannot take four bytes in all; use a longer name or value")
	}
	return nil
}
