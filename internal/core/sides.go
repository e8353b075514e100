package core

import "github.com/go-zmq/go-zmq/internal/libzmq"

// sides knows which connections a socket has accepted. The second version of libzmq's
// reports names both ends of a connection and not which of them is the socket's own
// endpoint; and an accepted connection is reported by the listener's I/O thread, its
// handshake by another one, possibly before.
type sides struct {
	listening map[string]struct{}
	accepted  map[[2]string]int            // by both ends; several over ipc have the same
	waiting   map[[2]string][]MonitorEvent // of connections whose EventAccepted has not come
}

func ends(e *MonitorEvent) [2]string { return [2]string{e.Local, e.Remote} }

// early keeps an event of a connection that the socket has accepted until that is
// reported, and says that it has.
func (d *sides) early(e *MonitorEvent) bool {
	switch e.Event {
	case libzmq.MonitorSucceeded, libzmq.MonitorNoDetail, libzmq.MonitorProtocol, libzmq.MonitorAuth, libzmq.MonitorDisconnected:
	default:
		return false
	}
	// libzmq reports a listener before it listens, and of each connection there that it
	// was accepted: what is waited for comes.
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

// waited returns the events that have waited for this one.
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

// name sets the endpoint of an event of version two as it is in version one: the
// bound one, or the one that was connected to.
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

// forget is told that the socket does not listen any more.
func (d *sides) forget(endpoint string) {
	delete(d.listening, endpoint)
	for pair := range d.waiting {
		if servedBy(pair[0], endpoint) {
			delete(d.waiting, pair)
		}
	}
}
