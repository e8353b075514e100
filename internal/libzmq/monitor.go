package libzmq

// #include "shim.h"
import "C"

// MonitorStart makes libzmq report what happens to the socket's connections to
// sink, a ROUTER socket, in messages that begin with id. The endpoint is an inproc
// name that nobody else uses. 0 or -errno; on failure the socket is not monitored
// any more, and the sink stays connected to the name. The caller holds the mutexes
// of both sockets. zmq_socket_monitor.
func MonitorStart(s, sink Socket, endpoint string, id []byte, events uint64) int {
	return int(C.gz_monitor_start(s, sink, cText(endpoint),
		bytesPointer(id), C.int(len(id)), C.uint64_t(events)))
}

// MonitorStop ends the reports: zmq_socket_monitor without an endpoint.
func MonitorStop(s Socket) int { return int(C.gz_monitor_stop(s)) }

// MonitorPipes asks for a report of the queues of each connection, which only
// libzmq's draft API has; -ENOTSUP without it. zmq_socket_monitor_pipes_stats.
func MonitorPipes(s Socket) int { return int(C.gz_monitor_pipes(s)) }

// MonitorVersioned reports whether libzmq sends the second version of its reports.
func MonitorVersioned() bool { return C.gz_monitor_versioned() != 0 }
