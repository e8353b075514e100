package core

import (
	"context"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/peertable"
)

// MonitorQueue is the number of events that a monitor keeps for its reader.
const MonitorQueue = 4096

// Events of this package, beside libzmq's.
const (
	EventPeerJoined = 1 << 16
	EventPeerLeft   = 1 << 17
)

// Event is an event of a monitor.
type Event struct {
	libzmq.MonitorEvent
	Peer  peertable.Peer  // the connection that it is about; its ID is 0 if that is not known
	Cause peertable.Cause // of EventPeerLeft
}

// Monitor is the queue of a socket's events for one reader. libzmq never waits for it:
// when the queue is full, the oldest event is dropped.
type Monitor struct {
	track   *track
	mask    uint64
	queue   chan *Event // closed after the last event
	dropped atomic.Uint64
}

func newMonitor(t *track, mask uint64) *Monitor {
	return &Monitor{track: t, mask: mask, queue: make(chan *Event, MonitorQueue)}
}

// trackNow starts to track the socket's connections, if it is not tracked yet. s.mu is
// held.
func (s *Socket) trackNow(k *sink) error {
	if s.track != nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.nextID++
	t := &track{sink: k, peers: &s.peers, id: strconv.FormatUint(k.nextID, 10), open: map[int32]string{}}
	if err := k.connect(s, t.id); err != nil {
		return err
	}
	s.peers.ListenForNews()
	k.tracks[t.id], s.track = t, t
	return nil
}

// Monitor creates a monitor of the events in mask.
func (s *Socket) Monitor(mask uint64) (*Monitor, error) {
	if err := checkFDs(headRoom); err != nil {
		return nil, err
	}
	k, err := s.ctx.openSink()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != stateOpen {
		return nil, s.state.err()
	}
	if err := s.trackNow(k); err != nil {
		return nil, err
	}
	// Events reported earlier go only to the monitors that existed then.
	k.drain()
	m := newMonitor(s.track, mask)
	k.mu.Lock()
	defer k.mu.Unlock()
	s.track.monitors = append(s.track.monitors, m)
	return m, nil
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

// Next waits for the next event. With dontWait it returns EAGAIN if there is none. After
// the last event it returns ErrClosed.
func (m *Monitor) Next(ctx context.Context, dontWait bool) (Event, error) {
	if ctx.Err() != nil {
		return Event{}, ctx.Err()
	}
	if dontWait {
		m.track.sink.drain() // libzmq may have reported events that were not handed out yet
		select {
		case e := <-m.queue:
			return orClosed(e)
		default:
			return Event{}, syscall.EAGAIN
		}
	}
	select {
	case e := <-m.queue:
		return orClosed(e)
	case <-ctx.Done():
		return Event{}, ctx.Err()
	}
}

// orClosed returns an event from a queue, or ErrClosed for nil, which comes after the
// last event.
func orClosed(e *Event) (Event, error) {
	if e == nil {
		return Event{}, ErrClosed
	}
	return *e, nil
}

// Dropped returns the number of events that were dropped because the queue was full.
func (m *Monitor) Dropped() uint64 { return m.dropped.Load() }

// Close ends the monitor. Events in its queue can still be received.
func (m *Monitor) Close() {
	k := m.track.sink
	k.drain() // reported events must come before the last one
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.Index(m.track.monitors, m)
	if i < 0 {
		return
	}
	m.track.monitors = slices.Delete(m.track.monitors, i, i+1)
	m.finish()
}
