package libzmq

// #include "shim.h"
import "C"

// MonitorStart makes libzmq report events of the socket's connections to sink, a ROUTER
// socket. Each report begins with id. The endpoint must be an unused inproc name. The
// caller holds the mutexes of both sockets. MonitorStart returns 0 or -errno. If it
// fails, the socket is no longer monitored, and the sink stays connected to the name.
//
// Implements: zmq_socket_monitor
func MonitorStart(s, sink Socket, endpoint string, id []byte, events uint64) int {
	return int(C.gz_monitor_start(s, sink, cText(endpoint),
		bytesPointer(id), C.int(len(id)), C.uint64_t(events)))
}

// MonitorStop stops the reports. It returns 0 or -errno.
//
// Implements: zmq_socket_monitor
func MonitorStop(s Socket) int { return int(C.gz_monitor_stop(s)) }

// MonitorPipes requests a report of the queues of each connection. It returns 0 or
// -errno, -ENOTSUP if libzmq lacks the draft API.
//
// Implements: zmq_socket_monitor_pipes_stats
func MonitorPipes(s Socket) int { return int(C.gz_monitor_pipes(s)) }

// MonitorVersioned reports whether libzmq sends version 2 of its reports.
func MonitorVersioned() bool { return C.gz_monitor_versioned() != 0 }
