package core

import (
	"context"
	"slices"
	"strconv"
	"syscall"
)

// MonitorQueue is the number of events that a monitor keeps for its reader.
const MonitorQueue = 4096

func newMonitor(t *track, mask uint64) *Monitor {
	return &Monitor{track: t, mask: mask, queue: make(chan *Event, MonitorQueue)}
}

// trackNow starts to track the socket's connections, if it is not tracked yet.
func (s *held) trackNow(k *sink) error {
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
	h := s.lock.Lock()
	defer s.lock.Unlock()
	if h.state != stateOpen {
		return nil, h.state.err()
	}
	if err := h.trackNow(k); err != nil {
		return nil, err
	}
	// Events reported earlier go only to the monitors that existed then.
	k.drain()
	m := newMonitor(h.track, mask)
	k.mu.Lock()
	defer k.mu.Unlock()
	h.track.monitors = append(h.track.monitors, m)
	return m, nil
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
