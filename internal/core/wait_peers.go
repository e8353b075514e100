package core

import (
	"context"
	"strings"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// reported reports whether libzmq's monitor reports connections at an endpoint.
func reported(endpoint string) bool {
	transport, _, _ := strings.Cut(endpoint, "://")
	switch transport {
	case "inproc", "udp", "pgm", "epgm", "norm":
		return false
	}
	return true
}

// sinkFor returns the sink if the socket must be tracked before it is attached to an
// endpoint, otherwise nil. No mutex is held.
func (s *Socket) sinkFor(endpoint string) *sink {
	if !reported(endpoint) {
		return nil
	}
	if s.ctx.blind.Load() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.track == nil {
			s.links.miss(errBlind)
		}
		return nil
	}
	k, err := s.ctx.openSink()
	if err != nil {
		s.links.miss(err)
		return nil
	}
	return k
}

// beginTracking starts to track the socket's connections. If that fails, the socket is
// attached without tracking. s.mu is held.
func (s *Socket) beginTracking(k *sink) {
	if k == nil {
		return
	}
	if err := s.trackNow(k); err != nil {
		s.links.miss(err)
	}
}

// endedPeer counts a connection that a STREAM has closed. s.mu is held.
func (s *Socket) endedPeer() {
	if s.track != nil {
		s.track.sink.drain() // the reports about this connection
		s.links.close()
	}
}

// endedPeers counts sent messages that close a connection of a STREAM. s.mu is held.
func (s *Socket) endedPeers(messages int64) {
	if s.typ == libzmq.Stream {
		for range messages {
			s.endedPeer()
		}
	}
}

// WaitPeers waits until the socket is connected to at least the given number of peers,
// and libzmq has processed the connections on the socket's side.
func (s *Socket) WaitPeers(ctx context.Context, peers int) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.drainSink()
	for {
		n, changed, missed := s.links.look()
		if err := s.Err(); err != nil {
			return err
		}
		if n >= peers {
			// The connections themselves wait in the socket's mailbox.
			_, err := s.configure(func(h libzmq.Socket) int {
				libzmq.Events(h)
				return 0
			})
			return err
		}
		if missed != nil {
			return missed
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// drainSink updates the count.
func (s *Socket) drainSink() {
	s.mu.Lock()
	t := s.track
	s.mu.Unlock()
	if t != nil {
		t.sink.drain()
	}
}
