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

// noteListener records which listeners of the socket are open. sink.mu is held.
func (t *track) noteListener(e *MonitorEvent) {
	switch {
	case e.Event == libzmq.MonitorListening:
		if t.open == nil {
			t.open = map[int32]string{}
		}
		t.open[e.Value] = e.Endpoint
	case e.Event == libzmq.MonitorCloseFailed: // the value is an errno
		maps.DeleteFunc(t.open, func(_ int32, endpoint string) bool { return endpoint == e.Endpoint })
		t.noteClosed()
	case e.Event == libzmq.MonitorClosed:
		delete(t.open, e.Value)
		t.noteClosed()
	}
}

// noteClosed ends a track that has outlived its socket and its listeners. sink.mu is
// held.
func (t *track) noteClosed() {
	if t.ending && len(t.open) == 0 {
		t.drop()
	}
}

// outlives reports whether the track must outlive its socket, which is about to be
// closed. The socket's mutex is held.
func (t *track) outlives() bool {
	t.sink.mu.Lock()
	defer t.sink.mu.Unlock()
	t.sink.drainLocked()
	told := slices.ContainsFunc(t.monitors, func(m *Monitor) bool { return m.mask&closedEvents != 0 })
	if t.ended || len(t.open) == 0 || !told {
		return false
	}
	t.ending = true
	t.sink.ending++
	return true
}

// endOne records the end of a track that has outlived its socket. k.mu is held.
func (k *sink) endOne() {
	if k.ending--; k.ending == 0 && k.over != nil {
		close(k.over)
		k.over = nil
	}
}

// settle waits until no track outlives its socket.
func (k *sink) settle() {
	k.mu.Lock()
	over := make(chan struct{})
	if k.ending > 0 {
		k.over = over
	} else {
		close(over)
	}
	k.mu.Unlock()
	select {
	case <-over:
	case <-time.After(endingLimit):
	}
	k.endAll()
}

// endAll ends the tracks that have outlived their sockets.
func (k *sink) endAll() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, t := range slices.Collect(maps.Values(k.tracks)) {
		if t.ending && !t.ended {
			t.drop()
		}
	}
}
