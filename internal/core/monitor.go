package core

import (
	"context"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// MonitorQueue is the number of events that a monitor keeps for its reader.
const MonitorQueue = 4096

// Monitor is the queue of a socket's events for one reader. libzmq never waits for it:
// when the queue is full, the oldest event is dropped.
type Monitor struct {
	track   *track
	mask    uint64
	queue   chan *libzmq.MonitorEvent // closed after the last event
	dropped atomic.Uint64
}

func newMonitor(t *track, mask uint64) *Monitor {
	return &Monitor{track: t, mask: mask, queue: make(chan *libzmq.MonitorEvent, MonitorQueue)}
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
func (m *Monitor) push(e *libzmq.MonitorEvent) {
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
	m.push(&libzmq.MonitorEvent{Event: libzmq.MonitorStopped})
	close(m.queue)
}

// Next waits for the next event. With dontWait it returns EAGAIN if there is none. After
// the last event it returns ErrClosed.
func (m *Monitor) Next(ctx context.Context, dontWait bool) (libzmq.MonitorEvent, error) {
	if ctx.Err() != nil {
		return libzmq.MonitorEvent{}, ctx.Err()
	}
	if dontWait {
		m.track.sink.drain() // libzmq may have reported events that were not handed out yet
		select {
		case e := <-m.queue:
			return orClosed(e)
		default:
			return libzmq.MonitorEvent{}, syscall.EAGAIN
		}
	}
	select {
	case e := <-m.queue:
		return orClosed(e)
	case <-ctx.Done():
		return libzmq.MonitorEvent{}, ctx.Err()
	}
}

// orClosed returns an event from a queue, or ErrClosed for nil, which comes after the
// last event.
func orClosed(e *libzmq.MonitorEvent) (libzmq.MonitorEvent, error) {
	if e == nil {
		return libzmq.MonitorEvent{}, ErrClosed
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
