package core

import "github.com/go-zmq/go-zmq/internal/libzmq"

// sides knows which connections a socket has accepted. The second version of libzmq's
// reports names both ends of a connection, but not which of them is the socket's own
// endpoint. The I/O thread of the listener reports an accepted connection. Another thread
// reports its handshake, possibly earlier.
type sides struct {
	listening map[string]struct{}
	accepted  map[[2]string]int            // by both ends; not unique over ipc
	waiting   map[[2]string][]MonitorEvent // until EventAccepted of their connection
}

func ends(e *MonitorEvent) [2]string { return [2]string{e.Local, e.Remote} }

// early keeps an event of an accepted connection until libzmq reports the connection
// itself. It reports whether it has kept the event.
func (d *sides) early(e *MonitorEvent) bool {
	switch e.Event {
	case libzmq.MonitorSucceeded, libzmq.MonitorNoDetail, libzmq.MonitorProtocol, libzmq.MonitorAuth, libzmq.MonitorDisconnected:
	default:
		return false
	}
	// libzmq reports a listener before it listens, and reports each connection that it
	// accepts there. So the missing event comes.
	pair := ends(e)
	if e.Values == nil || e.Remote == "" || d.accepted[pair] > 0 || !d.listens(e.Local) {
		return false
	}
	if d.waiting == nil {
		d.waiting = map[[2]string][]MonitorEvent{}
	}
	d.waiting[pair] = append(d.waiting[pair], *e)
	return true
}

// waited returns the events that have waited for e.
func (d *sides) waited(e *MonitorEvent) []MonitorEvent {
	if e.Event != libzmq.MonitorAccepted || len(d.waiting) == 0 {
		return nil
	}
	pair := ends(e)
	list := d.waiting[pair]
	delete(d.waiting, pair)
	return list
}

func (d *sides) listens(local string) bool {
	if _, ok := d.listening[local]; ok {
		return true
	}
	for endpoint := range d.listening {
		if servedBy(local, endpoint) {
			return true
		}
	}
	return false
}

// name sets the endpoint of a version two event to that of version one: the endpoint that
// was bound, or the one that was connected to.
func (d *sides) name(e *MonitorEvent) {
	if e.Values == nil {
		return
	}
	pair := ends(e)
	own := d.accepted[pair] > 0
	switch e.Event {
	case libzmq.MonitorListening:
		if d.listening == nil {
			d.listening = map[string]struct{}{}
		}
		d.listening[e.Local] = struct{}{}
	case libzmq.MonitorAccepted:
		if d.accepted == nil {
			d.accepted = map[[2]string]int{}
		}
		d.accepted[pair]++
		own = true
	case libzmq.MonitorDisconnected:
		if d.accepted[pair] > 1 {
			d.accepted[pair]--
		} else {
			delete(d.accepted, pair)
		}
	}
	if e.Endpoint = e.Remote; e.Remote == "" || own {
		e.Endpoint = e.Local
	}
}

// forget removes an endpoint on which the socket does not listen any more.
func (d *sides) forget(endpoint string) {
	delete(d.listening, endpoint)
	for pair := range d.waiting {
		if servedBy(pair[0], endpoint) {
			delete(d.waiting, pair)
		}
	}
}
