package libzmq

// #include "shim.h"
import "C"

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
