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

// check refuses values that the table does not allow.
func (o *optionSpec) check(s *Socket, v optionValue) error {
	if err := o.checkCapability(opSet); err != nil {
		return err
	}
	if !o.types.has(s.Type()) {
		return o.wrongType(opSet, s.Type())
	}
	if o.frozen && s.attach.used {
		return o.fail(opSet, syscall.EINVAL, "it cannot be changed after the first Bind or Connect, because libzmq could crash; pass %s to NewSocket or set it earlier", o.goName)
	}
	return o.checkRange(v)
}

func (o *optionSpec) checkCapability(op string) error {
	switch o.needs {
	case "curve", "gssapi", "vmci":
		if !libzmq.Has(o.needs) {
			return o.fail(op, syscall.ENOTSUP, "the libzmq in use was built without %s; %s", o.needs, needText(o.needs))
		}
	}
	return nil
}

// needText says which libzmq has a capability that the libzmq in use lacks.
func needText(capability string) string {
	switch capability {
	case "curve":
		return "use a libzmq built with libsodium"
	case "gssapi":
		return "use a libzmq built with Kerberos (--with-libgssapi_krb5)"
	case "pgm":
		return "use a libzmq built with OpenPGM (--with-pgm)"
	case "norm":
		return "use a libzmq built with NORM (--with-norm)"
	case "vmci":
		return "use a libzmq built with VMCI (--with-vmci)"
	case "tipc", "ipc":
		return "use a libzmq built for a system with " + capability
	case "WS":
		return "use libzmq 4.3.3 or newer, built with WebSockets"
	case "WSS":
		return "use libzmq 4.3.3 or newer, built with WebSockets and GnuTLS"
	}
	return "use libzmq " + capability + " or newer"
}

func (o *optionSpec) wrongType(op string, t SocketType) error {
	errno := syscall.EINVAL
	if o.number == numReadAhead {
		errno = syscall.ENOTSUP
	}
	return o.fail(op, errno, "a %s socket does not have this option; %s", t, typesText(o.types))
}

// typesText lists the types of a set: "only PUB and XPUB sockets do". For a large set it
// lists the missing types instead.
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
		return "all types except " + strings.Join(out, ", ") + " do"
	}
	if n := len(in); n > 1 {
		return "only " + strings.Join(in[:n-1], ", ") + " and " + in[n-1] + " sockets do"
	}
	return "only " + in[0] + " sockets do"
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

// applyRule passes a checked value to libzmq, after the rules that are not in the table.
func (o *optionSpec) applyRule(s *Socket, v optionValue) error {
	switch o.number {
	case numSubscribe, numUnsubscribe:
		return setTopic(s, o, v)
	case numRecvTimeout, numSendTimeout:
		return setTimeout(s, o, v)
	case numTrackSubscriptions:
		return o.fail(opSet, syscall.EINVAL, "it decides which socket libzmq creates; pass it to NewSocket or SocketDefaults")
	case numReadAhead:
		return setReadAhead(s, o, v)
	case numSpinTime:
		s.core().SetSpinTime(o.kind.toDuration(v.n))
		return s.core().Err()
	case numWhenFull:
		return wrapError(opSet, "", o.name, s.core().SetWhenFull(core.FullPolicy(v.n)))
	case numConflate:
		return setConflate(s, o, v)
	case numSendHWM:
		if v.n != 0 && onlySubscribes.has(s.Type()) {
			return o.fail(opSet, syscall.EINVAL, "a %s socket sends only subscriptions, and libzmq drops subscriptions that exceed a limit without an error; leave it at 0, and use RecvHWM to limit messages", s.Type())
		}
	case numKeepaliveCount, numKeepaliveIdle, numKeepaliveIvl:
		if v.n == 0 {
			// The kernel refuses 0, and libzmq leaks the descriptor of each accepted
			// connection for that.
			return o.fail(opSet, syscall.EINVAL, "the kernel refuses 0; use a negative value for the system's setting")
		}
	case numRoutingID:
		if madeUp(v.b) {
			return o.fail(opSet, syscall.EINVAL, "an ID of five bytes must not begin with a zero byte, because ROUTER sockets generate such IDs and libzmq aborts if two are equal; choose another ID")
		}
	case numRouterRaw:
		return setRouterRaw(s, o, v)
	case numProbeRouter:
		return setProbeRouter(s, o, v)
	case numHelloMsg:
		return setHello(s, o, v)
	case numXPubManual, numXPubManualLast:
		if v.n == 0 && s.attach.used && s.attach.manual {
			return o.fail(opSet, syscall.EINVAL, "it cannot be turned off after the first Bind or Connect, because long topics that subscribers requested in the meantime would overflow the stack of libzmq when the socket closes; use a new socket")
		}
		err := o.store(s, v)
		if err == nil {
			s.attach.manual = s.attach.manual || v.n != 0
		}
		return err
	case numHeartbeatIvl:
		if v.n != 0 && s.attach.openWS {
			return o.fail(opSet, syscall.EINVAL, "the socket uses WebSockets without a security mechanism, where heartbeats make libzmq abort; use tcp, or PLAIN or CURVE with heartbeats set before Bind or Connect")
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

// onlySubscribes contains the types that send only subscriptions. Their SendHWM is 0.
const onlySubscribes = typeSet(1<<Sub | 1<<Dish)

// setTimeout sets the timeout of core, which does the waiting, and of libzmq, so that
// reading the option returns it.
func setTimeout(s *Socket, o *optionSpec, v optionValue) error {
	if err := o.store(s, v); err != nil {
		return err
	}
	dir := core.Recv
	if o.number == numSendTimeout {
		dir = core.Send
	}
	s.core().SetTimeout(dir, o.kind.toDuration(v.n))
	return nil
}

// setReadAhead and setConflate refuse to combine the two options, because Conflate would
// have to replace a message that was already read ahead.
func setReadAhead(s *Socket, o *optionSpec, v optionValue) error {
	if v.n > 0 && s.attach.conflates {
		return o.fail(opSet, syscall.ENOTSUP, "the socket has Conflate, which keeps only the latest message; use one of the two")
	}
	return wrapError(opSet, "", o.name, s.core().SetReadAhead(int(v.n)))
}

func setConflate(s *Socket, o *optionSpec, v optionValue) error {
	if v.n != 0 && s.core().TracksSubscriptions() {
		return o.fail(opSet, syscall.EINVAL, "the socket has TrackSubscriptions, which makes it an XPUB inside libzmq, and XPUB has no Conflate; use one of the two")
	}
	if ahead, err := s.core().ReadAhead(); err == nil && ahead > 0 && v.n != 0 {
		return o.fail(opSet, syscall.ENOTSUP, "the socket has ReadAhead, which keeps older messages; use one of the two")
	}
	if v.n != 0 && len(s.attach.topics) > 1 {
		return o.fail(opSet, syscall.EINVAL, oneConflated)
	}
	if err := o.store(s, v); err != nil {
		return err
	}
	s.attach.conflates = v.n != 0
	return nil
}

// setRouterRaw refuses to turn RouterRaw off again: libzmq would keep talking raw TCP to its
// peers, but treat their data as messages.
func setRouterRaw(s *Socket, o *optionSpec, v optionValue) error {
	if v.n == 0 && s.attach.raw {
		return o.fail(opSet, syscall.EINVAL, "libzmq cannot turn it off again; use a new socket")
	}
	if v.n != 0 && s.attach.probes {
		return o.fail(opSet, syscall.EINVAL, "it cannot be combined with ProbeRouter, because libzmq aborts at an empty message on a raw connection; use one of the two")
	}
	err := o.store(s, v)
	if err == nil && v.n != 0 {
		s.attach.raw = true
	}
	return err
}

// madeUp reports whether an ID has the form of a generated one: a zero byte and a number of
// four bytes. A ROUTER generates IDs for peers that have none.
func madeUp(id []byte) bool { return len(id) == 5 && id[0] == 0 }

// setHello and setProbeRouter refuse to combine the two options. Together they overfill a
// queue of one message, and libzmq crashes.
func setHello(s *Socket, o *optionSpec, v optionValue) error {
	if len(v.b) > 0 && s.attach.probes {
		return o.fail(opSet, syscall.EINVAL, "it cannot be combined with ProbeRouter, because libzmq crashes if the queue of a connection has no room for both; use one of the two")
	}
	err := o.store(s, v)
	if err == nil {
		s.attach.greets = len(v.b) > 0
	}
	return err
}

func setProbeRouter(s *Socket, o *optionSpec, v optionValue) error {
	if v.n != 0 && s.attach.greets {
		return o.fail(opSet, syscall.EINVAL, "it cannot be combined with HelloMessage, because libzmq crashes if the queue of a connection has no room for both; use one of the two")
	}
	if v.n != 0 && s.attach.raw {
		return o.fail(opSet, syscall.EINVAL, "it cannot be combined with RouterRaw, because libzmq aborts at an empty message on a raw connection; use one of the two")
	}
	err := o.store(s, v)
	if err == nil {
		s.attach.probes = v.n != 0
	}
	return err
}

// checkTopic refuses topics that libzmq cannot handle.
func checkTopic(s *Socket, topic string) error {
	o := specOf(numSubscribe)
	if len(topic) > maxTopic {
		return o.outOfRange(fmt.Sprintf("a topic of %d bytes", len(topic)))
	}
	if len(topic) >= 246 && len(topic) <= 255 && libzmqOlderThan(4, 3, 5) {
		return o.fail(opSet, syscall.ENOTSUP, "the topic has %d bytes, and before libzmq 4.3.5 topics of 246 to 255 bytes are sent wrongly and never match; use a shorter prefix or a newer libzmq", len(topic))
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

// checkMetadata checks for the form "X-name:value". libzmq takes a value of four bytes for
// a number.
func checkMetadata(o *optionSpec, text string) error {
	name, value, ok := strings.Cut(text, ":")
	switch {
	case !ok || value == "" || !strings.HasPrefix(name, "X-") || len(name) > 255:
		return o.fail(opSet, syscall.EINVAL, `the value must have the form "X-name:value", with a name of at most 255 bytes and a value that is not empty`)
	case len(text) == 4:
		return o.fail(opSet, syscall.EINVAL, "libzmq takes a text of four bytes for a number; use a longer name or value")
	}
	return nil
}
