package zmq

import (
	"fmt"
	"log/slog"
	"strings"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/core"
)

// MonitorEvents is one event of a socket's connections, or a set of them.
type MonitorEvents uint32

// The events that libzmq reports. What a [MonitorEvent] holds besides the endpoint is
// said of each.
const (
	// EventConnected: a connection that the socket began is there; the handshake
	// follows. FD.
	EventConnected MonitorEvents = 1 << iota
	// EventConnectDelayed: a connection was begun and is under way.
	EventConnectDelayed
	// EventConnectRetried: a connection is to be begun again. RetryInterval.
	EventConnectRetried
	// EventListening: the socket was bound. FD.
	EventListening
	// EventBindFailed: it could not be bound. Err.
	EventBindFailed
	// EventAccepted: a peer's connection was accepted; the handshake follows. FD.
	EventAccepted
	// EventAcceptFailed: a peer's connection could not be accepted. Err.
	EventAcceptFailed
	// EventClosed: a listener, or a connection that did not come about, was closed. FD.
	EventClosed
	// EventCloseFailed: a descriptor could not be closed. Err.
	EventCloseFailed
	// EventDisconnected: a connection ended, and not through this socket's Close,
	// Unbind or Disconnect. FD.
	EventDisconnected
	// EventMonitorStopped: nothing follows. The only one without an endpoint.
	EventMonitorStopped
	// EventHandshakeFailedNoDetail: a connection ended before its handshake did, or that
	// took too long (ETIMEDOUT), or there is no ZAP handler to ask (EFAULT). Err.
	EventHandshakeFailedNoDetail
	// EventHandshakeSucceeded: messages can flow.
	EventHandshakeSucceeded
	// EventHandshakeFailedProtocol: what the peer, or the ZAP handler, said does not
	// make sense. Protocol, Err.
	EventHandshakeFailedProtocol
	// EventHandshakeFailedAuth: the peer was refused by the ZAP handler. ZAPStatus, Err.
	// The peer has the event too, unless the status is 300: of that it is not told.
	EventHandshakeFailedAuth
	eventReserved
	// EventPipesStats answers Monitor.RequestPipesStats, for each connection one
	// event. Outbound, Inbound. Only with libzmq's draft API.
	EventPipesStats

	// EventAll is every event but EventPipesStats.
	EventAll = EventPipesStats - 1
)

var eventNames = [...]string{
	"CONNECTED", "CONNECT_DELAYED", "CONNECT_RETRIED", "LISTENING", "BIND_FAILED", "ACCEPTED", "ACCEPT_FAILED",
	"CLOSED", "CLOSE_FAILED", "DISCONNECTED", "MONITOR_STOPPED", "HANDSHAKE_FAILED_NO_DETAIL", "HANDSHAKE_SUCCEEDED",
	"HANDSHAKE_FAILED_PROTOCOL", "HANDSHAKE_FAILED_AUTH", "", "PIPES_STATS",
}

// String returns libzmq's name of the event, such as "CONNECTED"; the names of a set
// with | between them; "ALL" for EventAll and "NONE" for the empty set.
func (e MonitorEvents) String() string {
	switch e {
	case 0:
		return "NONE"
	case EventAll:
		return "ALL"
	}
	var names []string
	for i, name := range eventNames {
		if bit := MonitorEvents(1) << i; e&bit != 0 && name != "" {
			names = append(names, name)
			e &^= bit
		}
	}
	if e != 0 {
		names = append(names, fmt.Sprintf("%#x", uint32(e)))
	}
	return strings.Join(names, "|")
}

// ProtocolError is libzmq's reason for EventHandshakeFailedProtocol.
type ProtocolError int32

var protocolErrors = map[ProtocolError]string{
	0x10000000: "ZMTP_UNSPECIFIED",
	0x10000001: "ZMTP_UNEXPECTED_COMMAND",
	0x10000002: "ZMTP_INVALID_SEQUENCE",
	0x10000003: "ZMTP_KEY_EXCHANGE",
	0x10000011: "ZMTP_MALFORMED_COMMAND_UNSPECIFIED",
	0x10000012: "ZMTP_MALFORMED_COMMAND_MESSAGE",
	0x10000013: "ZMTP_MALFORMED_COMMAND_HELLO",
	0x10000014: "ZMTP_MALFORMED_COMMAND_INITIATE",
	0x10000015: "ZMTP_MALFORMED_COMMAND_ERROR",
	0x10000016: "ZMTP_MALFORMED_COMMAND_READY",
	0x10000017: "ZMTP_MALFORMED_COMMAND_WELCOME",
	0x10000018: "ZMTP_INVALID_METADATA",
	0x11000001: "ZMTP_CRYPTOGRAPHIC",
	0x11000002: "ZMTP_MECHANISM_MISMATCH",
	0x20000000: "ZAP_UNSPECIFIED",
	0x20000001: "ZAP_MALFORMED_REPLY",
	0x20000002: "ZAP_BAD_REQUEST_ID",
	0x20000003: "ZAP_BAD_VERSION",
	0x20000004: "ZAP_INVALID_STATUS_CODE",
	0x20000005: "ZAP_INVALID_METADATA",
	0x30000000: "WS_UNSPECIFIED",
}

// String returns libzmq's name without its prefix, such as
// "ZMTP_MECHANISM_MISMATCH", and "NONE" for 0.
func (p ProtocolError) String() string {
	if name := protocolErrors[p]; name != "" {
		return name
	}
	if p == 0 {
		return "NONE"
	}
	return fmt.Sprintf("%#x", int32(p))
}

// MonitorEvent is one event. It is a plain value, which nobody changes any more.
type MonitorEvent struct {
	Event MonitorEvents // one of the constants
	Value int32         // as libzmq reports it; the fields below say what it means

	// Endpoint is what was bound for connections that the socket accepted, and what
	// was connected to for those that it began; of an EventBindFailed it is only the
	// address, without a transport.
	Endpoint string

	Err           error         // an *Error if something failed, else nil
	FD            int           // libzmq's descriptor, to tell connections apart, not to be used; -1: none
	RetryInterval time.Duration // until the next attempt
	Protocol      ProtocolError // what was wrong
	ZAPStatus     int           // 300, 400 or 500

	// Only where libzmq has its draft API, else empty: both ends of the connection.
	Local, Remote string
	// How many messages are queued in either direction.
	Outbound, Inbound uint64
}

// monitorEvent decodes what core has received.
func monitorEvent(c *core.MonitorEvent) MonitorEvent {
	e := MonitorEvent{
		Event: MonitorEvents(c.Event), Value: c.Value, Endpoint: c.Endpoint, FD: -1,
		Local: c.Local, Remote: c.Remote,
	}
	switch e.Event {
	case EventConnected, EventListening, EventAccepted, EventClosed, EventDisconnected:
		e.FD = int(e.Value)
	case EventConnectRetried:
		e.RetryInterval = time.Duration(e.Value) * time.Millisecond
	case EventBindFailed:
		e.Err = &Error{Op: "bind", Endpoint: e.Endpoint, Errno: syscall.Errno(e.Value)}
	case EventAcceptFailed:
		e.Err = &Error{Op: "accept", Endpoint: e.Endpoint, Errno: syscall.Errno(e.Value)}
	case EventCloseFailed:
		e.Err = &Error{Op: "close", Endpoint: e.Endpoint, Errno: syscall.Errno(e.Value)}
	case EventHandshakeFailedNoDetail:
		e.Err = unfinished(e.Endpoint, syscall.Errno(e.Value))
	case EventHandshakeFailedProtocol:
		e.Protocol = ProtocolError(e.Value)
		e.Err = &Error{Op: opHandshake, Endpoint: e.Endpoint, Errno: syscall.EPROTO, Detail: "protocol error " + e.Protocol.String()}
	case EventHandshakeFailedAuth:
		e.ZAPStatus = int(e.Value)
		e.Err = &Error{Op: opHandshake, Endpoint: e.Endpoint, Errno: syscall.EACCES, Detail: fmt.Sprintf("the peer was refused with ZAP status %d", e.Value)}
	case EventPipesStats:
		if len(c.Values) > 1 {
			e.Outbound, e.Inbound = c.Values[0], c.Values[1]
		}
	}
	return e
}

const opHandshake = "handshake"

// unfinished says why a handshake did not come to its end, where libzmq's number alone
// does not: it has none for the time running out, and then reports the last that its
// thread saw, of a read that would have had to wait or of an interrupted wait.
func unfinished(endpoint string, errno syscall.Errno) *Error {
	e := &Error{Op: opHandshake, Endpoint: endpoint, Errno: errno}
	switch errno {
	case 0:
		e.Errno, e.Detail = syscall.EPROTO, "the connection ended before the handshake did"
	case syscall.EAGAIN, syscall.EINTR:
		e.Errno, e.Detail = syscall.ETIMEDOUT, "the handshake was not over in time (HandshakeInterval); the peer, or the ZAP handler, does not answer"
	case syscall.EFAULT:
		e.Detail = "there is no ZAP handler, and the socket lets nobody in without one; start it with zap.Start"
	}
	return e
}

// LogValue returns the fields that the event has, for package log/slog.
func (e MonitorEvent) LogValue() slog.Value { return slog.GroupValue(e.attrs()...) }

func (e MonitorEvent) attrs() []slog.Attr {
	attrs := make([]slog.Attr, 0, 6)
	attrs = append(attrs, slog.String("event", e.Event.String()))
	if e.Endpoint != "" {
		attrs = append(attrs, slog.String("endpoint", e.Endpoint))
	}
	if e.Remote != "" && e.Remote != e.Endpoint {
		attrs = append(attrs, slog.String("remote", e.Remote))
	}
	switch e.Event {
	case EventConnectRetried:
		attrs = append(attrs, slog.Duration("retry_interval", e.RetryInterval))
	case EventPipesStats:
		attrs = append(attrs, slog.Uint64("outbound", e.Outbound), slog.Uint64("inbound", e.Inbound))
	}
	if e.FD >= 0 {
		attrs = append(attrs, slog.Int("fd", e.FD))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("error", e.Err.Error()))
	}
	return attrs
}

// level is how much an event matters to whoever reads a log.
func (e MonitorEvent) level() slog.Level {
	switch {
	case e.Err != nil:
		return slog.LevelWarn
	case e.Event&(EventConnectDelayed|EventConnectRetried|EventClosed|EventPipesStats) != 0:
		return slog.LevelDebug
	}
	return slog.LevelInfo
}
