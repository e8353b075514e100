//go:build unix

package aborts

import (
	"syscall"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// rows are the causes of aborts and hangs on every system. linuxRows are those that need Linux.
var rows = []row{
	{"01", "many goroutines in one socket", tryTogether, times(5, want(zmq.ErrClosed, "closed"))},
	{"01", "sockets of a proxy used by all and closed", tryInProxy, times(20, want(zmq.ErrClosed, "proxy", "closed"))},
	{"04", "libzmq's descriptor closed by the program", tryStrayClose, times(2, fine)},
	{"04b", "UseFD with a bad descriptor", tryUseFD, []wanted{
		want(syscall.EBADF, "USE_FD", "9999", "listening"),
		want(syscall.ENOTSOCK, "USE_FD", "listening"),
		want(syscall.EINVAL, "USE_FD", "does not listen"),
		want(syscall.EINVAL, "USE_FD", "does not listen"),
		want(syscall.EINVAL, "bind", "ipc://*", "UseFD", "TCP"),
		fine,
	}},
	{"05", "use after close", tryAfterClose, times(len(zmqtest.SocketCalls), want(zmq.ErrClosed, "closed"))},
	{"05", "use after the context's close", tryAfterContext, append(times(3, want(zmq.ErrClosed, "closed")), times(len(zmqtest.SocketCalls), want(zmq.ErrClosed, "closed"))...)},
	{"05", "use after shutdown", tryAfterShutdown, append(times(len(zmqtest.SocketCalls), want(zmq.ErrTerminated, "shut down")), want(zmq.ErrTerminated, "socket", "shut down"))},
	{"06", "monitors that are not read", tryMonitors, times(4, fine)},
	{"07", "a socket with Conflate", tryConflate, times(3*len(zmqtest.ConflateEndpoints()), fine)},
	{"08", "disconnect in the middle of a message", tryHalfRead, times(4, want(zmq.ErrAgain, "recv"))},
	{"08", "disconnect after a look at the events", tryLook, times(len(receivers)*len(looks), fine)},
	{"08", "disconnect while another waits for the message", tryForgottenWaiter, []wanted{fine}},
	{"09", "a routing id used twice", tryRoutingID, []wanted{
		want(syscall.EINVAL, "CONNECT_ROUTING_ID", `"A"`, "has used the ID"),
		want(syscall.EINVAL, "CONNECT_ROUTING_ID", `"A"`, "has used the ID"),
		want(syscall.EINVAL, "CONNECT_ROUTING_ID", "zero byte"),
		want(syscall.EINVAL, "CONNECT_ROUTING_ID", "peer", "before the first Bind"),
		want(syscall.EINVAL, "CONNECT_ROUTING_ID", "peer", "before the first Bind"),
		want(syscall.EINVAL, "bind", "ConnectRoutingID", "connect first"),
		want(syscall.EINVAL, "connect", "ConnectRoutingID", "Immediate"),
	}},
	{"09", "a routing id like those that libzmq makes up", tryGuessedID, []wanted{want(syscall.EINVAL, "ROUTING_ID", "zero byte")}},
	{"11", "misuse of messages", tryMessages, []wanted{
		want(syscall.EINVAL, "send", "nil", "var m zmq.Message"),
		want(syscall.EINVAL, "recv", "nil", "var m zmq.Message"),
		want(syscall.EINVAL, "clone", "nil"),
		want(syscall.EINVAL, "property", "nil"),
		want(syscall.EINVAL, "property", "Peer-Address"),
		want(syscall.EINVAL, "property", "NUL"),
		want(syscall.EINVAL, "message", "negative"),
		want(syscall.ENOMEM, "message", "not enough memory"),
		want(syscall.ENOMEM, "message", "not enough memory"),
		want(syscall.EINVAL, "send", "at least one part"),
		fine, fine,
	}},
	{"12", "lengths that no memory holds", tryLengths, append(
		times(2, want(syscall.EINVAL, "XPUB_WELCOME_MSG", "65536 bytes")), want(syscall.ENOMEM, "not enough memory"))},
	{"13", "Immediate changed after Connect", tryImmediate, times(2, want(syscall.EINVAL, "IMMEDIATE", "after the first Bind or Connect", "earlier"))},
	{"14", "a PAIR answers for the authenticator", tryZap, []wanted{want(syscall.EINVAL, "bind", "inproc://zeromq.zap.01", "ROUTER or REP")}},
	{"15", "PLAIN server without its domain", tryPlainDomain, []wanted{want(syscall.EINVAL, "bind", "tcp://127.0.0.1:*", "ZapDomain")}},
	{"16", "absurd number of sockets", tryMaxSockets, append(append(
		times(4, want(syscall.EINVAL, "MAX_SOCKETS", "the allowed range is 1 to 65535")),
		times(2, want(syscall.EINVAL, "MAX_SOCKETS", "the allowed range is 1 to 65535"))...),
		want(syscall.EMFILE, "socket", "MaxSockets"),
		want(syscall.EINVAL, "MAX_SOCKETS", "NewContext"))},
	{"16b", "a CPU that does not exist", tryAffinity, append(
		times(3, want(syscall.EINVAL, "THREAD_AFFINITY_CPU_ADD", "the allowed range is 0 to 1023")),
		want(syscall.EINVAL, "THREAD_AFFINITY_CPU_ADD", "CPU 1023"),
		want(syscall.EINVAL, "THREAD_AFFINITY_CPU_REMOVE", "CPU 1023", "added"), fine)},
	{"16b", "a scheduling policy that does not exist", tryPolicy, []wanted{
		want(syscall.EINVAL, "socket", "ThreadSchedPolicy"),
		want(syscall.EINVAL, "THREAD_SCHED_POLICY", "the allowed range is"),
		want(syscall.EINVAL, "THREAD_PRIORITY", "the allowed range is"),
		want(syscall.EINVAL, "socket", "ThreadSchedPolicy", "ThreadPriority"),
	}},
	{"16c", "absurd number of I/O threads", tryIOThreads, append(
		times(3, want(syscall.EINVAL, "IO_THREADS", "the allowed range is 0 to 256")), want(syscall.EINVAL, "IO_THREADS", "NewContext"))},
	{"17", "draft types without the draft API", tryDrafts, append(times(9, draftType), times(2, want(syscall.EINVAL, "socket type"))...)},
	{"18", "no place to settle inproc names", trySettling, append(times(1, want(syscall.EMFILE, "socket", "MaxSockets")), fine, fine, fine)},
	{"18", "sockets of every type, connected to unbound inproc names", tryUnboundNames, times(int(zmq.XSub)+1, fine)},
	{"18", "inproc names connected to during the close", tryLateConnect, times(2, fine)},
	{"19", "RouterMandatory on REP", tryRepMandatory, times(8, want(syscall.EINVAL, "set", "a RE", "only"))},
	{"20", "disconnect from an unbound inproc name", tryPendingInproc, append(
		times(2, want(syscall.EINVAL, "disconnect", "inproc://", "close the")), fine, fine, fine, fine)},
	{"21", "STREAM over inproc", tryStreamInproc, times(2, want(syscall.EPROTONOSUPPORT, "inproc://stream", "STREAM", "tcp"))},
	{"22", "topic of a megabyte", tryLongTopic, times(5, want(syscall.EINVAL, "SUBSCRIBE", "4096 bytes"))},
	{"22", "topic of a megabyte sent by an XSUB", trySentTopic, times(7, want(syscall.EINVAL, "send", "4096"))},
	{"22", "topic of a megabyte from a peer", tryPeersTopic, []wanted{fine}},
	{"22", "a long subscription through a proxy", trySubscription, times(2, fine)},
	{"22b", "topics of 246 to 255 bytes", tryMiddlingTopic, []wanted{fine, shortTopic, shortTopic, fine}},
	{"23", "more sockets in a poller than descriptors", tryManyItems, times(2, fine)},
	{"24", "high-water marks changed on a connected socket", tryLateHWM, []wanted{
		want(syscall.EINVAL, "SNDHWM", "after the first Bind or Connect", "earlier"),
		want(syscall.EINVAL, "RCVHWM", "after the first Bind or Connect", "earlier"),
		want(syscall.EINVAL, "SNDHWM", "after the first Bind or Connect", "earlier"),
		want(syscall.EINVAL, "RCVHWM", "after the first Bind or Connect", "earlier"),
		want(syscall.EINVAL, "CONFLATE", "after the first Bind or Connect", "earlier"),
	}},
	{"25", "nil and empty arguments", tryNil, []wanted{
		want(syscall.EINVAL, "bind", "empty", "tcp://127.0.0.1:5555"),
		want(syscall.EINVAL, "connect", "empty", "tcp://127.0.0.1:5555"),
		want(syscall.EINVAL, "bind", "NUL"),
		want(syscall.EINVAL, "connect", "NUL"),
		want(syscall.EINVAL, "PLAIN_USERNAME", "NUL"),
		want(syscall.EINVAL, "ROUTING_ID", "1 to 255"),
		want(zmq.ErrClosed, "send", "nil", "Context.NewSocket"),
		want(zmq.ErrClosed, "socket", "nil", "NewContext"),
		want(syscall.EINVAL, "set", "To"),
		fine,
	}},
	{"25", "a proxy of nothing", tryNoProxy, []wanted{
		want(zmq.ErrClosed, "proxy", "frontend", "nil"),
		want(zmq.ErrClosed, "proxy", "backend", "nil"),
		want(zmq.ErrClosed, "proxy", "frontend", "closed"),
	}},
	{"26", "udp", tryUDP, append(times(3, draftType), times(2, want(enocompatproto, "udp://127.0.0.1:5555", "DISH"))...)},
	{"28", "a host name too long for a SOCKS proxy", trySocksHost, []wanted{want(syscall.ENAMETOOLONG, "connect", "the limit is 253")}},
	{"29", "peers of older protocols at a bad moment", tryOldPeers, []wanted{fine}},
	{"32", "contexts with CURVE that end beside others", tryCurveContexts, []wanted{curve}},
	{"33", "bad values in a libzmq built with ZMQ_ACT_MILITANT", tryBadValues, []wanted{fine}},
	{"34", "a raw ROUTER that probes its peers", tryRawProbe, []wanted{
		want(syscall.EINVAL, "PROBE_ROUTER", "RouterRaw"), want(syscall.EINVAL, "ROUTER_RAW", "ProbeRouter"),
	}},
	{"36", "thread-safe types over inproc", tryLocks, draftsOr(times(2*len(threadSafe), want(zmq.ErrNotSupported, "inproc", "tcp"))...)},
	{"37", "a DGRAM without a socket", tryUnboundDgram, draftsOr(append(times(3, want(syscall.ENOTCONN, "send", "Bind")),
		want(enocompatproto, "connect", "udp"), want(zmq.ErrNotSupported, "unbind", "close"))...)},
	{"37b", "parts of datagrams", tryDatagramParts, draftsOr(append(times(4, want(syscall.EINVAL, "send", "two parts")), fine)...)},
	{"37c", "a DGRAM over IPv6", tryDgramIPv6, draftsOr(times(2, want(syscall.EPROTONOSUPPORT, "bind", "IPv4"))...)},
	{"38", "datagrams longer than the buffer", tryLongDatagrams, draftsOr(times(6, want(syscall.EMSGSIZE, "send", "8192"))...)},
	{"38b", "datagrams that a proxy sends", tryProxiedDatagrams, draftsOr(times(3, want(zmq.ErrNotSupported, "proxy", "datagrams"))...)},
	{"39", "a socket that asks the authenticator connects", tryAsking, times(4, want(syscall.EINVAL, "connect", "may not connect", "bind this socket"))},
	{"41", "groups of more than 14 bytes", tryLongGroups, draftsOr(times(4, want(syscall.EINVAL, "group", "14"))...)},
	{"42", "a hello to a socket that has left", tryHello, draftOptionOr("HELLO_MSG", times(3, want(syscall.EINVAL, "bind", "HelloMessage"))...)},
	{"43", "messages of extreme draft options", tryDraftOptions, draftsOr(fine)},
	{"44", "a PAIR binds a name that others are connected to", tryPairThatBinds, append(
		times(6, want(syscall.EINVAL, "bind", "inproc://", "PAIR", "DEALER")), fine, fine)},
	{"45", "the id of a connection to an unbound inproc name is handed over", tryHandover, []wanted{
		want(syscall.EINVAL, "connect", "inproc://", "RouterHandover", "bind the name first"),
		want(syscall.EINVAL, "ROUTER_HANDOVER", "bind the name first"), fine, fine,
	}},
	{"46", "Conflate and inproc names", tryConflatedName, []wanted{
		want(syscall.EINVAL, "connect", "inproc://", "bind the name first"), fine, fine,
		want(syscall.EINVAL, "connect", "inproc://", "without Conflate"), want(syscall.EINVAL, "connect", "inproc://", "without Conflate"),
	}},
	{"47", "several parts sent with Conflate", tryConflatedParts, append(times(6, want(syscall.EINVAL, "Conflate", "join the parts")),
		append(times(2, fine), times(2, want(zmq.ErrNotSupported, "proxy", "Conflate"))...)...)},
	{"48", "a welcome to a socket that has left", tryWelcome, append(
		times(3, want(syscall.EINVAL, "bind", "inproc://", "XPubWelcomeMessage")), fine, fine)},
	{"49", "a raw ROUTER over inproc", tryRawInproc, times(2, want(syscall.EPROTONOSUPPORT, "inproc://raw", "RouterRaw", "tcp"))},
	{"50", "a SUB binds a name that a ROUTER or REP is connected to", trySubThatBinds, append(
		times(4, want(syscall.EINVAL, "bind", "inproc://", "subscriptions")), fine)},
	{"51", "a socket disconnects from a name that it bound", tryOwnName, []wanted{
		want(syscall.EINVAL, "disconnect", "inproc://", "call Unbind first"), fine, fine,
		want(syscall.EINVAL, "disconnect", "inproc://", "close the"), fine,
	}},
	{"52", "HelloMessage with ProbeRouter", tryHelloProbe, draftOptionOr("HELLO_MSG",
		want(syscall.EINVAL, "PROBE_ROUTER", "HelloMessage"), want(syscall.EINVAL, "HELLO_MSG", "ProbeRouter"))},
	{"53", "options that WebSockets do not support", tryWS, withWS(
		want(syscall.EPROTONOSUPPORT, "ws://", "plain TCP"), want(syscall.EPROTONOSUPPORT, "ws://", "plain TCP"),
		want(syscall.EINVAL, "ws://", "HeartbeatInterval"), want(syscall.EINVAL, "HEARTBEAT_IVL", "WebSockets"),
		want(syscall.EINVAL, "ws://", "Immediate"), want(syscall.EINVAL, "ws://", "Immediate"), fine)},
	{"54", "UseFD with a socket of packets", tryPackets, times(1, want(syscall.EINVAL, "USE_FD", "not a stream socket"))},
	{"55", "XPubManual turned off", tryManualOff, append(times(1, want(syscall.EINVAL, "XPUB_MANUAL", "turned off")), fine)},
	{"56", "unbind after a look at the events", tryUnbindAfterLook, []wanted{fine}},
	{"trap", "ports that libzmq misreads", tryPorts, append(
		times(2*len(misreadPorts), want(syscall.EINVAL, "tcp://127.0.0.1:", "port")),
		times(2, want(syscall.EINVAL, "connect", "tcp://127.0.0.1:", "for Bind"))...)},
	{"trap", "ipc bind that deletes a file", tryDeletedFile, times(4, want(syscall.EEXIST, "bind", "ipc://", "not a socket", "delete"))},
	{"trap", "MaxMessageSize below zero", tryMaxMessageSize, times(2, want(syscall.EINVAL, "MAXMSGSIZE", "-1 to"))},
	{"trap", "RecvHWM of 1 with authentication", tryTightHWM, times(2, want(syscall.EINVAL, "bind", "tcp://127.0.0.1:*", "RecvHWM"))},
	{"trap", "SendHWM of a SUB", tryLimitedSubscriptions, times(2, want(syscall.EINVAL, "SNDHWM", "subscriptions", "RecvHWM"))},
	{"trap", "keep-alive times that the system refuses", tryKeepalive, []wanted{
		want(syscall.EINVAL, "TCP_KEEPALIVE_IDLE", "negative"),
		want(syscall.EINVAL, "TCP_KEEPALIVE_IDLE", "the allowed range is"),
		want(syscall.EINVAL, "TCP_KEEPALIVE_IDLE", "negative"),
		want(syscall.EINVAL, "TCP_KEEPALIVE_INTVL", "negative"),
		want(syscall.EINVAL, "TCP_KEEPALIVE_CNT", "negative"),
	}},
}

// The results of calls that the loaded libzmq may not support.
var (
	draftType  = either(zmq.Has("draft"), fine, want(zmq.ErrNotSupported, "socket", "draft", "GOZMQ_LIBRARY"))
	curve      = either(zmq.Has("curve"), fine, want(zmq.ErrNotSupported, "curve", "libsodium"))
	shortTopic = either(matchesLongTopics(), fine, want(zmq.ErrNotSupported, "SUBSCRIBE", "4.3.5"))
)

func either(supported bool, then, otherwise wanted) wanted {
	if supported {
		return then
	}
	return otherwise
}

// matchesLongTopics reports whether libzmq matches topics of 246 to 255 bytes.
func matchesLongTopics() bool {
	major, minor, patch := zmq.Version()
	return major > 4 || minor > 3 || minor == 3 && patch >= 5
}

// draftsOr returns what a libzmq with the draft API must report. Without it there is one refusal.
func draftsOr(w ...wanted) []wanted {
	if zmq.Has("draft") {
		return w
	}
	return []wanted{draftType}
}

func draftOptionOr(name string, w ...wanted) []wanted {
	if zmq.Has("draft") {
		return w
	}
	return []wanted{want(zmq.ErrNotSupported, name, "GOZMQ_LIBRARY")}
}

// withWS returns what a libzmq with WebSockets must report. Without them there is one refusal.
func withWS(w ...wanted) []wanted {
	if zmq.Has("WS") {
		return w
	}
	return []wanted{want(zmq.ErrNotSupported, "ws", "has no transport")}
}
