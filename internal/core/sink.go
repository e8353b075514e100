package core

import (
	"context"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/rules"
)

// openSink returns the context's sink and creates it if there is none.
func (c *Context) openSink() (*sink, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sink != nil {
		return c.sink, nil
	}
	if c.state != stateOpen {
		return nil, c.state.err()
	}
	handle, rc := libzmq.OpenSocket(c.handle, libzmq.Router)
	if rc < 0 {
		return nil, errorOf(rc)
	}
	k := &sink{sock: newSocket(c, handle, libzmq.Router, false), tracks: map[string]*track{}}
	_ = k.sock.SetSpinTime(0) // a successful spin could end the watching
	libzmq.SetOption(handle, libzmq.OptRecvHWM, rules.Int(0))
	libzmq.SetOption(handle, libzmq.OptLinger, rules.Int(0))
	// Start the watcher now, while there is a descriptor for it. Otherwise run polls.
	_ = k.sock.lock.Lock().watch()
	k.sock.lock.Unlock()
	c.sink = k
	go k.run()
	return k, nil
}

// run drains the sink until its socket is closed or the context is shut down.
func (k *sink) run() {
	for k.sock.Wait(context.Background(), Recv) == nil {
		k.drain()
	}
}

// drain hands out the available events. When it returns, all events that libzmq had
// reported before the call have been handed out.
func (k *sink) drain() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for more := true; more; {
		k.reports = k.reports[:0]
		for len(k.reports) < mostReports {
			if more = k.sock.RecvMsgs(context.Background(), &k.msgs, true) == nil; !more {
				break
			}
			k.read(k.msgs)
		}
		k.doubtReused(more)
		for i := range k.reports {
			k.dispatch(&k.reports[i])
		}
	}
}

// mostReports is how many reports are read before they are handed out. A listener that
// cannot accept reports faster than they are read.
const mostReports = 4096

const connectionBegins = libzmq.MonitorAccepted | libzmq.MonitorConnected

// read reads a report, and looks at the connection if it is new.
func (k *sink) read(parts []libzmq.Msg) {
	e, ok := libzmq.ParseMonitorEvent(parts[1:])
	t := k.tracks[string(parts[0].Bytes())]
	if t == nil || !ok {
		return
	}
	r := report{MonitorEvent: e, track: t}
	if e.Event&connectionBegins != 0 {
		r.who = libzmq.Identify(int(e.Value))
	}
	k.reports = append(k.reports, r)
}

// doubtReused forgets what read saw of connections that may have ended before it looked. Their
// descriptors may have been those of others then. libzmq reports an end before it closes the
// descriptor, so the report of an end before the look has been read since, unless there are
// more reports to read: then all of it is forgotten.
func (k *sink) doubtReused(more bool) {
	if more {
		for i := range k.reports {
			k.reports[i].who = libzmq.Identity{}
		}
		return
	}
	var ended map[int32]bool // descriptors that are reported again later
	for i := len(k.reports) - 1; i >= 0; i-- {
		r := &k.reports[i]
		if r.Event&(connectionBegins|libzmq.MonitorDisconnected) == 0 {
			continue
		}
		if ended[r.Value] {
			r.who = libzmq.Identity{}
		} else if i > 0 {
			if ended == nil {
				ended = map[int32]bool{}
			}
			ended[r.Value] = true
		}
	}
}

func (k *sink) dispatch(r *report) {
	switch t := r.track; {
	case k.tracks[t.id] != t: // dropped by an earlier report
	case r.Event == libzmq.MonitorStopped: // the socket is being closed
		t.leaveAll()
		t.drop()
	default:
		t.handOut(&r.MonitorEvent, r.who)
	}
}

// handOut passes an event to the table of peers and to the monitors, followed by what the
// table makes of it. sink.mu is held.
func (t *track) handOut(e *libzmq.MonitorEvent, who libzmq.Identity) {
	of := t.peers.Note(e, who)
	t.push(&Event{MonitorEvent: *e, Peer: of})
	t.pushNews()
	t.noteListener(e)
}

func (t *track) push(e *Event) {
	for _, m := range t.monitors {
		m.push(e)
	}
}

// pushNews passes arrivals and departures of peers to the monitors. sink.mu is held.
func (t *track) pushNews() {
	for _, n := range t.peers.Take() {
		e := &Event{Peer: n.Peer, Cause: n.Cause}
		e.Event, e.Endpoint = EventPeerJoined, n.Peer.Endpoint
		if n.Left {
			e.Event = EventPeerLeft
		}
		t.push(e)
	}
}

// leaveAll tells the monitors that the peers have left, because the socket is closed. sink.mu
// is held.
func (t *track) leaveAll() {
	t.peers.DetachAll()
	t.pushNews()
}

// announce passes the news of the table to the socket's monitors. No mutex is held.
func (s *Socket) announce() {
	h := s.lock.Lock()
	t := h.track
	s.lock.Unlock()
	if t == nil {
		return
	}
	t.sink.mu.Lock()
	defer t.sink.mu.Unlock()
	t.pushNews()
}

// finish ends a socket's track after its last events, unless it outlives the socket.
func (t *track) finish() {
	t.sink.drain()
	t.sink.mu.Lock()
	defer t.sink.mu.Unlock()
	t.leaveAll()
	if !t.ending {
		t.drop()
	}
}

// drop ends the track and its monitors. Later reports of libzmq about the socket are
// ignored. sink.mu is held.
func (t *track) drop() {
	delete(t.sink.tracks, t.id)
	for _, m := range t.monitors {
		m.finish()
	}
	t.monitors = nil
	t.sink.dropped.Wake()
}

// sinkEvents are the events that libzmq reports: all, since a monitor that reports fewer
// would have to be replaced when a user asks for more. The exception is a failed bind.
// libzmq reports it on the caller's thread and can lose the error number of zmq_bind then.
const sinkEvents = libzmq.MonitorAll &^ libzmq.MonitorBindFailed

// reportBindFailed tells the monitors of a failed bind.
func (s *held) reportBindFailed(endpoint string, errno int) {
	if s.track == nil {
		return
	}
	k := s.track.sink
	k.drain()
	k.mu.Lock()
	defer k.mu.Unlock()
	s.track.handOut(&libzmq.MonitorEvent{Event: libzmq.MonitorBindFailed, Value: int32(errno), Endpoint: endpoint}, libzmq.Identity{})
}

// connect makes libzmq report the events of a socket to the sink. k.mu is held.
func (k *sink) connect(s *held, id string) error {
	return k.sock.startMonitor(s, id)
}

// startMonitor makes libzmq report the events of another socket to this one, which is the sink's.
func (s *Socket) startMonitor(of *held, id string) error {
	h := s.lock.Lock()
	defer s.lock.Unlock()
	if h.state != stateOpen {
		return h.state.err()
	}
	name := "go-zmq-monitor-" + id
	rc := libzmq.MonitorStart(of.handle, h.handle, "inproc://"+name, []byte(id), sinkEvents)
	if rc < 0 {
		// The sink is connected to a name that no socket will bind.
		of.ctx.inproc.mu.Lock()
		of.ctx.inproc.abandon(of.ctx.reserve, h.handle, name)
		of.ctx.inproc.mu.Unlock()
	}
	if h.waiting() > 0 { // R5
		h.notify(libzmq.Events(h.handle))
	}
	if rc >= 0 {
		return nil
	}
	if rc == -int(syscall.EMFILE) {
		return fault.New(syscall.EMFILE, "the context has no room for the socket that libzmq's monitor needs; raise MaxSockets before the first socket is created, or close some sockets")
	}
	return errorOf(rc)
}

// push appends an event that the monitor wants. sink.mu is held.
func (m *Monitor) push(e *Event) {
	if e.Event&m.mask == 0 {
		return
	}
	for {
		select {
		case m.queue <- e:
			return
		default:
		}
		select {
		case <-m.queue:
			m.dropped.Add(1)
		default: // a reader has made room
		}
	}
}

// finish appends the last event. sink.mu is held.
func (m *Monitor) finish() {
	m.push(&Event{MonitorEvent: libzmq.MonitorEvent{Event: libzmq.MonitorStopped}})
	close(m.queue)
}
