package libzmq

// #include "shim.h"
import "C"

import "encoding/binary"

// MonitorEvent is an event that libzmq reported.
type MonitorEvent struct {
	Event    uint64
	Value    int32
	Endpoint string
}

// MonitorStart makes libzmq report events of the socket's connections to sink, a ROUTER
// socket. Each report begins with id. The endpoint must be an unused inproc name. The
// caller holds the mutexes of both sockets. MonitorStart returns 0 or -errno. If it
// fails, the socket is no longer monitored, and the sink stays connected to the name.
//
// Implements: zmq_socket_monitor
func MonitorStart(s, sink Socket, endpoint string, id []byte, events int) int {
	return int(C.gz_monitor_start(s, sink, cText(endpoint),
		bytesPointer(id), C.int(len(id)), C.int(events)))
}

// MonitorStop stops the reports. It returns 0 or -errno.
//
// Implements: zmq_socket_monitor
func MonitorStop(s Socket) int { return int(C.gz_monitor_stop(s)) }

// ParseMonitorEvent parses the parts of a report, without its id. ok is false if they are
// not the parts of a report.
func ParseMonitorEvent(parts []Msg) (e MonitorEvent, ok bool) {
	if len(parts) < 2 {
		return e, false
	}
	// If there are more than two parts, the end of an event got lost when a signal
	// interrupted libzmq. The event after it is complete.
	parts = parts[len(parts)-2:]
	first := parts[0].Bytes()
	if len(first) != 6 {
		return e, false
	}
	e.Event = uint64(binary.NativeEndian.Uint16(first))
	e.Value = int32(binary.NativeEndian.Uint32(first[2:]))
	e.Endpoint = string(parts[1].Bytes())
	return e, true
}
