package core

import (
	"context"
	"sync"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/fault"
	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/peercount"
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
	dropped peercount.Change  // a track was dropped
	msgs    []libzmq.Msg      // reused
}

// track holds the state of a socket that is known from its monitor.
type track struct {
	sink  *sink
	peers *peercount.Counter

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
	for k.sock.RecvMsgs(context.Background(), &k.msgs, true) == nil {
		k.dispatch(k.msgs)
	}
}

func (k *sink) dispatch(parts []libzmq.Msg) {
	t := k.tracks[string(parts[0].Bytes())]
	e, ok := libzmq.ParseMonitorEvent(parts[1:])
	switch {
	case t == nil || !ok:
	case e.Event == libzmq.MonitorStopped:
		t.drop()
	default:
		t.handOut(&e)
	}
}

// handOut passes an event to the count and to the monitors. sink.mu is held.
func (t *track) handOut(e *libzmq.MonitorEvent) {
	t.peers.Note(e)
	for _, m := range t.monitors {
		m.push(e)
	}
	t.noteListener(e)
}

// finish ends a socket's track after its last events, unless it outlives the socket.
func (t *track) finish() {
	t.sink.drain()
	t.sink.mu.Lock()
	defer t.sink.mu.Unlock()
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
	s.track.handOut(&libzmq.MonitorEvent{Event: libzmq.MonitorBindFailed, Value: int32(errno), Endpoint: endpoint})
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
