package core

import (
	"maps"
	"slices"
	"time"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// libzmq closes the listeners of a closed socket on its own threads, soon after
// zmq_close, and then reports that their endpoints are free. So if a monitor takes these
// reports, the track of a socket with listeners outlives the socket until the last
// listener is closed. It does not wait for messages that linger.

const closedEvents = libzmq.MonitorClosed | libzmq.MonitorCloseFailed

// endingLimit bounds the time for which Context.Close waits for these reports. libzmq
// sends them within a millisecond, unless a thread is looking up a name.
const endingLimit = 5 * time.Second

// noteListener records which listeners of the socket are open, and ends a track that has
// outlived its socket and its listeners. sink.mu is held.
func (t *track) noteListener(e *libzmq.MonitorEvent) {
	switch e.Event {
	case libzmq.MonitorListening:
		t.open[e.Value] = e.Endpoint
	case libzmq.MonitorCloseFailed: // the value is an errno
		maps.DeleteFunc(t.open, func(_ int32, endpoint string) bool { return endpoint == e.Endpoint })
	case libzmq.MonitorClosed:
		delete(t.open, e.Value)
	}
	if t.ending && len(t.open) == 0 {
		t.leaveAll()
		t.drop()
	}
}

// outlives reports whether the track must outlive its socket, which is about to be
// closed. The socket's mutex is held.
func (t *track) outlives() bool {
	t.sink.drain()
	t.sink.mu.Lock()
	defer t.sink.mu.Unlock()
	told := slices.ContainsFunc(t.monitors, func(m *Monitor) bool { return m.mask&closedEvents != 0 })
	t.ending = told && len(t.open) > 0
	return t.ending
}

// settle waits until no track is left. All sockets are closed.
func (k *sink) settle() {
	limit := time.After(endingLimit)
	for {
		k.mu.Lock()
		left, changed := len(k.tracks), k.dropped.Next()
		k.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-changed:
		case <-limit:
			k.dropAll()
			return
		}
	}
}

// dropAll ends all tracks.
func (k *sink) dropAll() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, t := range k.tracks {
		t.drop()
	}
}
