package core

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// MonitorEvent is an event reported by libzmq.
type MonitorEvent struct {
	Event    uint64
	Value    int32
	Endpoint string
}

// MonitorQueue is the number of events that a monitor keeps for its reader.
const MonitorQueue = 4096

// Monitor is the queue of a socket's events for one reader. libzmq never waits for it:
// when the queue is full, the oldest event is dropped.
type Monitor struct {
	track *track
	mask  uint64

	mu      sync.Mutex
	queue   []MonitorEvent
	dropped uint64
	ended   bool
	changed change
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
	t := &track{sink: k, links: &s.links, id: k.nextID | 1<<56} // ROUTER uses ids that begin with a zero byte
	if err := k.connect(s, fmt.Sprintf("%s%d", k.prefix, k.nextID), t.id); err != nil {
		return err
	}
	k.tracks[t.id], s.track = t, t
	return nil
}

// Monitor creates a monitor of the events in mask.
func (s *Socket) Monitor(mask uint64) (*Monitor, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	if err := checkRoom(); err != nil {
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
	m := &Monitor{track: s.track, mask: mask}
	k.mu.Lock()
	defer k.mu.Unlock()
	if s.track.ended {
		return nil, ErrClosed
	}
	s.track.monitors = append(s.track.monitors, m)
	return m, nil
}

func (m *Monitor) push(e *MonitorEvent) {
	if e.Event&m.mask == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.queue) == MonitorQueue {
		m.queue = m.queue[1:]
		m.dropped++
	}
	m.queue = append(m.queue, *e)
	m.changed.wake()
}

// finish appends the last event.
func (m *Monitor) finish() {
	m.push(&MonitorEvent{Event: libzmq.MonitorStopped})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
	m.changed.wake()
}

// Next waits for the next event. With dontWait it returns EAGAIN if there is none. After
// the last event it returns ErrClosed.
func (m *Monitor) Next(ctx context.Context, dontWait bool) (MonitorEvent, error) {
	for drained := false; ; {
		if ctx.Err() != nil {
			return MonitorEvent{}, ctx.Err()
		}
		e, changed, err := m.take()
		switch {
		case changed == nil:
			return e, err
		case dontWait && drained:
			return MonitorEvent{}, syscall.EAGAIN
		case dontWait: // libzmq may have reported events that were not handed out yet
			m.track.sink.drain()
			drained = true
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// take returns the next event, or ErrClosed after the last one, or a channel that is
// closed when there may be an event.
func (m *Monitor) take() (e MonitorEvent, changed <-chan struct{}, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case len(m.queue) > 0:
		e, m.queue[0] = m.queue[0], MonitorEvent{}
		m.queue = m.queue[1:]
		return e, nil, nil
	case m.ended:
		return e, nil, ErrClosed
	}
	return e, m.changed.next(), nil
}

// Dropped returns the number of events that were dropped because the queue was full.
func (m *Monitor) Dropped() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dropped
}

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
