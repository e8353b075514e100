package zmq

import (
	"bytes"
	"cmp"
	"strings"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/core"
)

// clash refuses an option while another one is on.
func (o *optionSpec) clash(s *Socket, v optionValue, other int, name, why string) error {
	if !v.on() || !s.core().On(other) {
		return nil
	}
	return o.fail(opSet, syscall.EINVAL, "it cannot be combined with %s, because %s; use one of the two", name, why)
}

const (
	noRoomForBoth = "libzmq crashes if the queue of a connection has no room for both"
	emptyOnRaw    = "libzmq aborts when it sends an empty message on a raw connection"
)

func checkHello(s *Socket, o *optionSpec, v optionValue) error {
	return o.clash(s, v, numProbeRouter, "ProbeRouter", noRoomForBoth)
}

func checkProbeRouter(s *Socket, o *optionSpec, v optionValue) error {
	return cmp.Or(o.clash(s, v, numHelloMsg, "HelloMessage", noRoomForBoth), o.clash(s, v, numRouterRaw, "RouterRaw", emptyOnRaw))
}

// checkRouterRaw refuses to turn RouterRaw off again: libzmq would keep talking raw TCP to
// its peers, but treat their data as messages.
func checkRouterRaw(s *Socket, o *optionSpec, v optionValue) error {
	if !v.on() && s.core().On(numRouterRaw) {
		return o.fail(opSet, syscall.EINVAL, "libzmq cannot turn it off again; use a new socket")
	}
	return o.clash(s, v, numProbeRouter, "ProbeRouter", emptyOnRaw)
}

// onlySubscribes contains the types that send only subscriptions. Their SendHWM is 0.
const onlySubscribes = typeSet(1<<Sub | 1<<Dish)

func checkSendHWM(s *Socket, o *optionSpec, v optionValue) error {
	if v.on() && onlySubscribes.has(s.Type()) {
		return o.fail(opSet, syscall.EINVAL, "a %s socket sends only subscriptions, and libzmq silently drops subscriptions that exceed a limit; leave it at 0, and use RecvHWM to limit messages", s.Type())
	}
	return nil
}

// checkKeepalive refuses 0, for which libzmq leaks the descriptor of each accepted
// connection.
func checkKeepalive(_ *Socket, o *optionSpec, v optionValue) error {
	if !v.on() {
		return o.fail(opSet, syscall.EINVAL, "the kernel refuses 0; use a negative value for the system's setting")
	}
	return nil
}

func checkRoutingID(_ *Socket, o *optionSpec, v optionValue) error {
	if madeUp(v.b) {
		return o.fail(opSet, syscall.EINVAL, "an ID of five bytes must not begin with a zero byte, because ROUTER sockets generate such IDs and libzmq aborts if two are equal; choose another ID")
	}
	return nil
}

// madeUp reports whether an ID has the form of a generated one: a zero byte and a number of
// four bytes. A ROUTER generates IDs for peers that have none.
func madeUp(id []byte) bool { return len(id) == 5 && id[0] == 0 }

func checkXPubManual(s *Socket, o *optionSpec, v optionValue) error {
	if !v.on() && s.attach.used && (s.core().On(numXPubManual) || s.core().On(numXPubManualLast)) {
		return o.fail(opSet, syscall.EINVAL, "it cannot be turned off after the first Bind or Connect, because long topics that subscribers requested in the meantime would overflow the stack of libzmq when the socket closes; use a new socket")
	}
	return nil
}

func checkHeartbeat(s *Socket, o *optionSpec, v optionValue) error {
	if v.on() && s.attach.openWS {
		return o.fail(opSet, syscall.EINVAL, "the socket uses WebSockets without a security mechanism, where heartbeats make libzmq abort; use tcp, or PLAIN or CURVE with heartbeats set before Bind or Connect")
	}
	return nil
}

// checkMetadata checks for the form "X-name:value".
func checkMetadata(_ *Socket, o *optionSpec, v optionValue) error {
	name, value, _ := strings.Cut(string(v.b), ":")
	if value == "" || !strings.HasPrefix(name, "X-") || len(name) > 255 {
		return o.fail(opSet, syscall.EINVAL, `the value must have the form "X-name:value", with a name of at most 255 bytes and a value that is not empty`)
	}
	return nil
}

// checkReadAhead and checkConflate refuse to combine the two options, because Conflate would
// have to replace a message that was already read ahead.
func checkReadAhead(s *Socket, o *optionSpec, v optionValue) error {
	if v.n > 0 && s.core().On(numConflate) {
		return o.fail(opSet, syscall.ENOTSUP, "the socket has Conflate, which keeps only the latest message; use one of the two")
	}
	return nil
}

func checkConflate(s *Socket, o *optionSpec, v optionValue) error {
	if !v.on() {
		return nil
	}
	if s.core().TracksSubscriptions() {
		return o.fail(opSet, syscall.EINVAL, "the socket has TrackSubscriptions, which makes it an XPUB inside libzmq, and XPUB has no Conflate; use one of the two")
	}
	if ahead, err := s.core().ReadAhead(); err == nil && ahead > 0 {
		return o.fail(opSet, syscall.ENOTSUP, "the socket has ReadAhead, which keeps older messages; use one of the two")
	}
	if len(s.attach.topics) > 1 {
		return o.fail(opSet, syscall.EINVAL, oneConflated)
	}
	return nil
}

// toCore and fromCore return setWith and getWith of an option whose value package core keeps.
func toCore[T ~int | ~int64 | ~uint8](set func(*core.Socket, T) error) func(*Socket, *optionSpec, optionValue) error {
	return func(s *Socket, _ *optionSpec, v optionValue) error { return set(s.core(), T(v.n)) }
}

func fromCore[T ~int | ~int64 | ~uint8](get func(*core.Socket) (T, error)) func(*Socket, *optionSpec) (optionValue, error) {
	return func(s *Socket, _ *optionSpec) (optionValue, error) {
		v, err := get(s.core())
		return optionValue{n: int64(v)}, err
	}
}

func checkTracking(_ *Socket, o *optionSpec, _ optionValue) error {
	return o.fail(opSet, syscall.EINVAL, "it decides which socket libzmq creates; pass it to NewSocket or SocketDefaults")
}

func getTracking(s *Socket, _ *optionSpec) (v optionValue, err error) {
	if s.core().TracksSubscriptions() {
		v.n = 1
	}
	return v, s.core().Err()
}

func setTrackPeers(s *Socket, _ *optionSpec, v optionValue) error {
	return s.core().SetTrackPeers(v.n != 0)
}

func getTrackPeers(s *Socket, _ *optionSpec) (v optionValue, err error) {
	on, err := s.core().TracksPeers()
	if on {
		v.n = 1
	}
	return v, err
}

func getLastEndpoint(s *Socket, o *optionSpec) (optionValue, error) {
	v, err := o.read(s)
	if len(v.b) > 0 && !bytes.Contains(v.b, []byte("://")) {
		v.b = append([]byte("udp://"), v.b...) // libzmq omits the transport
	}
	return v, err
}

// getRecvMore answers for the parts that the Socket holds. It takes whole messages from
// libzmq, so libzmq's own value is of no use.
func getRecvMore(s *Socket, o *optionSpec) (v optionValue, err error) {
	if _, err = o.read(s); err == nil && s.RecvMore() {
		v.n = 1
	}
	return v, err
}
