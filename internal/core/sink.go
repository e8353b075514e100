package core

import (
	"context"
	"sync"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/peertable"
	"github.com/go-zmq/go-zmq/internal/rules"
)

// sink receives libzmq's reports about the connections of all sockets of a context, on
// one ROUTER socket. libzmq has one monitor per socket, a PAIR that is bound to an inproc
// name. The sink connects to each and distinguishes them by the routing ids that it gives
// them. So a monitored socket costs one more socket, with one descriptor. A context costs
// one goroutine, however many monitors a user has.
//
// libzmq's I/O threads send their reports with a blocking send, so they would stall if no
// goroutine received them. The sink's pipes have no high-water mark. A goroutine that
// drains the sink puts the events into bounded queues and never waits.
//
// Order of locks: a socket's mutex, sink.mu, the mutex of the sink's socket, and last
// those of the queues and counts.
type sink struct {
	sock *Socket

	mu      sync.Mutex
	nextID  uint64
	tracks  map[string]*track // by routing id
	dropped peertable.Change  // a track was dropped
	msgs    []libzmq.Msg      // reused
	reports []report          // reused
}

// report is an event that libzmq reported.
type report struct {
	libzmq.MonitorEvent
	track *track
	who   libzmq.Identity // of a new connection
}

// track holds the state of a socket that is known from its monitor.
type track struct {
	sink  *sink
	peers *peertable.Table

	// Guarded by sink.mu.
	id       string
	monitors []*Monitor
	open     map[int32]string // endpoints of the listeners, by descriptor
	ending   bool             // the track outlives its socket: see ending.go
}

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
	k.sock.watchNow()
	c.sink = k
	go k.run()
	return k, nil
}

// watchNow starts the watcher, if there is a descriptor for it.
func (s *Socket) watchNow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.watch()
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
	k.reports = k.reports[:0]
	for k.sock.RecvMsgs(context.Background(), &k.msgs, true) == nil {
		k.read(k.msgs)
	}
	k.doubtReused()
	for i := range k.reports {
		k.dispatch(&k.reports[i])
	}
}

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
// descriptor, so the report of an end before the look has been read since. drain reads until
// there are no more reports.
func (k *sink) doubtReused() {
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
	s.mu.Lock()
	t := s.track
	s.mu.Unlock()
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

// reportBindFailed tells the monitors of a failed bind. s.mu is held.
func (s *Socket) reportBindFailed(endpoint string, errno int) {
	if s.track == nil {
		return
	}
	k := s.track.sink
	k.drain()
	k.mu.Lock()
	defer k.mu.Unlock()
	s.track.handOut(&libzmq.MonitorEvent{Event: libzmq.MonitorBindFailed, Value: int32(errno), Endpoint: endpoint}, libzmq.Identity{})
}

// connect makes libzmq report the events of a socket to the sink. s.mu and k.mu are held.
func (k *sink) connect(s *Socket, id string) error {
	return k.sock.startMonitor(s, id)
}

// startMonitor makes libzmq report the events of another socket to this one, which is the sink's.
func (sink *Socket) startMonitor(s *Socket, id string) error {
	sink.mu.Lock()
	defer sink.mu.Unlock()
	if sink.state != stateOpen {
		return sink.state.err()
	}
	name := "go-zmq-monitor-" + id
	rc := libzmq.MonitorStart(s.handle, sink.handle, "inproc://"+name, []byte(id), sinkEvents)
	if rc < 0 {
		// The sink is connected to a name that no socket will bind.
		s.ctx.inproc.mu.Lock()
		s.ctx.inproc.abandon(s.ctx.reserve, sink.handle, name)
		s.ctx.inproc.mu.Unlock()
	}
	if sink.waiting() > 0 { // R5
		sink.notify(libzmq.Events(sink.handle))
	}
	if rc >= 0 {
		return nil
	}
	if rc == -int(syscall.EMFILE) {
		return fault.New(syscall.EMFILE, "the context has no room for the socket that libzmq's monitor needs; raise MaxSockets before the first socket is created, or close some sockets")
	}
	return errorOf(rc)
}
