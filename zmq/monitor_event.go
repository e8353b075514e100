package zmq

import (
	"fmt"
	"log/slog"
	"strings"
	"syscall"
	"time"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// MonitorEvents is one event of a socket's connections, or a set of events.
type MonitorEvents uint32

// The events that libzmq reports, and two of go-zmq. Each comment names the fields of [MonitorEvent] that
// the event sets besides Event, Value and Endpoint.
const (
	// EventConnected: an outgoing connection was established. The handshake follows. Sets
	// FD.
	EventConnected MonitorEvents = 1 << iota
	// EventConnectDelayed: an outgoing connection is being established.
	EventConnectDelayed
	// EventConnectRetried: the socket will try to connect again. Sets RetryInterval.
	EventConnectRetried
	// EventListening: the socket was bound. Sets FD.
	EventListening
	// EventBindFailed: the socket could not be bound. Sets Err.
	EventBindFailed
	// EventAccepted: an incoming connection was accepted. The handshake follows. Sets FD.
	EventAccepted
	// EventAcceptFailed: an incoming connection could not be accepted. Sets Err.
	EventAcceptFailed
	// EventClosed: a listener was closed, or a connection was closed before it was
	// established. The endpoint of a closed listener can be bound again. Sets FD.
	EventClosed
	// EventCloseFailed: a descriptor could not be closed. Sets Err.
	EventCloseFailed
	// EventDisconnected: a connection ended, but not by Close, Unbind or Disconnect of
	// this socket. Sets FD.
	EventDisconnected
	// EventMonitorStopped: the monitor has ended, and no event follows. It has no
	// endpoint.
	EventMonitorStopped
	// EventHandshakeFailedNoDetail: the connection ended before the handshake was
	// complete, the handshake took too long (ETIMEDOUT), or there is no ZAP handler
	// (EFAULT). Sets Err.
	EventHandshakeFailedNoDetail
	// EventHandshakeSucceeded: the handshake is complete, and messages can flow.
	EventHandshakeSucceeded
	// EventHandshakeFailedProtocol: the peer or the ZAP handler violated the protocol.
	// Sets Protocol and Err.
	EventHandshakeFailedProtocol
	// EventHandshakeFailedAuth: the ZAP handler refused the peer. Sets ZAPStatus and Err.
	// The peer's monitor reports this event as well, except for status 300, which libzmq
	// does not send to the peer.
	EventHandshakeFailedAuth
	_
	// EventPeerJoined: a peer is connected and its handshake is complete. It follows
	// EventHandshakeSucceeded as soon as it is certain which connection that was about (see
	// Socket.Peers). It also reports peers over inproc. libzmq has no such event.
	EventPeerJoined
	// EventPeerLeft: a peer that had joined is connected no more. Sets Err, which is the
	// cause: ECONNRESET if the peer or the network ended the connection, or heartbeats were
	// not answered, between which libzmq does not distinguish, EPROTO if the peer violated
	// the protocol and libzmq reports that, ECONNABORTED if this socket ended it (Disconnect, Unbind, Close, an empty part to a
	// peer of a STREAM), and EACCES if the authenticator no longer admits it. With
	// TrackPeers, Peer has the RoutingID and the UserID if they were known. libzmq has no
	// such event.
	EventPeerLeft

	// EventAll is every event of libzmq. Add EventPeerJoined and EventPeerLeft for those of
	// go-zmq.
	EventAll MonitorEvents = 1<<16 - 1

	everyEvent = EventAll | EventPeerJoined | EventPeerLeft
)

var eventNames = [...]string{
	"CONNECTED", "CONNECT_DELAYED", "CONNECT_RETRIED", "LISTENING", "BIND_FAILED", "ACCEPTED", "ACCEPT_FAILED",
	"CLOSED", "CLOSE_FAILED", "DISCONNECTED", "MONITOR_STOPPED", "HANDSHAKE_FAILED_NO_DETAIL", "HANDSHAKE_SUCCEEDED",
	"HANDSHAKE_FAILED_PROTOCOL", "HANDSHAKE_FAILED_AUTH", "", "PEER_JOINED", "PEER_LEFT",
}

// String returns libzmq's name for an event, such as "CONNECTED". The names of a set are
// separated by |. It returns "ALL" for EventAll and "NONE" for the empty set.
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

// MonitorEvent is one event.
type MonitorEvent struct {
	Event MonitorEvents // one of the constants
	Value int32         // libzmq's value, which the fields below interpret

	// Endpoint is the bound endpoint for incoming connections, and the connected endpoint
	// for outgoing ones.
	Endpoint string

	// Peer is the connection that the event is about, with the same ID in all events of
	// that connection. Its ID is 0 if the event is not about a connection, or if libzmq
	// does not say on which of several connections a handshake succeeded or failed.
	Peer PeerInfo

	Err           error         // an *Error if the event is a failure, otherwise nil
	FD            int           // identifies the connection, or -1; libzmq owns the descriptor, so do not use it
	RetryInterval time.Duration // the time until the next attempt
	Protocol      ProtocolError // the reason why the handshake failed
	ZAPStatus     int           // the status that the ZAP handler returned: 300, 400 or 500
}

// monitorEvent converts an event of package libzmq.
func monitorEvent(c *core.Event) MonitorEvent {
	e := MonitorEvent{Event: MonitorEvents(c.Event), Value: c.Value, Endpoint: c.Endpoint, Peer: peerOf(&c.Peer), FD: -1}
	switch e.Event {
	case EventConnected, EventListening, EventAccepted, EventClosed, EventDisconnected:
		e.FD = int(e.Value)
	case EventPeerLeft:
		e.Err = leaving(e.Endpoint, c.Cause)
	case EventConnectRetried:
		e.RetryInterval = time.Duration(e.Value) * time.Millisecond
	case EventBindFailed, EventAcceptFailed, EventCloseFailed:
		op := map[MonitorEvents]string{EventBindFailed: verbBind, EventAcceptFailed: "accept", EventCloseFailed: "close"}[e.Event]
		e.Err = &Error{Op: op, Endpoint: e.Endpoint, Errno: libzmq.Errno(int(e.Value))}
	case EventHandshakeFailedNoDetail:
		e.Err = unfinished(e.Endpoint, libzmq.Errno(int(e.Value)))
	case EventHandshakeFailedProtocol:
		e.Protocol = ProtocolError(e.Value)
		e.Err = &Error{Op: opHandshake, Endpoint: e.Endpoint, Errno: syscall.EPROTO, Detail: "protocol error " + e.Protocol.String()}
	case EventHandshakeFailedAuth:
		e.ZAPStatus = int(e.Value)
		e.Err = &Error{Op: opHandshake, Endpoint: e.Endpoint, Errno: syscall.EACCES, Detail: fmt.Sprintf("the ZAP handler refused the peer with status %d", e.Value)}
	}
	return e
}

const opHandshake = "handshake"

// unfinished returns the reason why a handshake was not completed. libzmq has no error
// number for a handshake that took too long. It then reports the last one that its thread
// saw: that of a read that would block, of an interrupted wait, or earlierErrno.
func unfinished(endpoint string, errno syscall.Errno) *Error {
	e := &Error{Op: opHandshake, Endpoint: endpoint, Errno: errno}
	switch errno {
	case 0:
		e.Errno, e.Detail = syscall.EPROTO, "the connection ended before the handshake was complete"
	case syscall.EAGAIN, syscall.EINTR, earlierErrno:
		e.Errno, e.Detail = syscall.ETIMEDOUT, "the handshake was not complete within HandshakeInterval; the peer or the ZAP handler does not answer"
	case syscall.EFAULT:
		e.Detail = "the context has no ZAP handler, without which the socket refuses all peers; start one with zap.Start"
	}
	return e
}

// LogValue returns the fields that the event sets, for package log/slog.
func (e MonitorEvent) LogValue() slog.Value { return slog.GroupValue(e.attrs()...) }

func (e MonitorEvent) attrs() []slog.Attr {
	attrs := make([]slog.Attr, 0, 8)
	attrs = append(attrs, slog.String("event", e.Event.String()))
	if e.Endpoint != "" {
		attrs = append(attrs, slog.String("endpoint", e.Endpoint))
	}
	if e.Event == EventConnectRetried {
		attrs = append(attrs, slog.Duration("retry_interval", e.RetryInterval))
	}
	if e.FD >= 0 {
		attrs = append(attrs, slog.Int("fd", e.FD))
	}
	if e.Peer.ID != 0 {
		attrs = append(attrs, slog.Uint64("peer", e.Peer.ID))
	}
	if e.Peer.Address.IsValid() {
		attrs = append(attrs, slog.String("address", e.Peer.Address.String()))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("error", e.Err.Error()))
	}
	return attrs
}

// level returns the level at which the event is logged.
func (e MonitorEvent) level() slog.Level {
	switch {
	case e.Event == EventPeerLeft:
		return slog.LevelInfo
	case e.Err != nil:
		return slog.LevelWarn
	case e.Event&(EventConnectDelayed|EventConnectRetried|EventClosed) != 0:
		return slog.LevelDebug
	}
	return slog.LevelInfo
}
