package core

import (
	"context"
	"strings"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// SetBlind says that the connections of sockets are not to be tracked from their
// first bind or connect on.
func (c *Context) SetBlind(blind bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == stateClosed {
		return ErrClosed
	}
	c.blind.Store(blind)
	return nil
}

// Blind returns what SetBlind set.
func (c *Context) Blind() (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == stateClosed {
		return false, ErrClosed
	}
	return c.blind.Load(), nil
}

// reported says whether libzmq's monitor tells of connections at an endpoint.
func reported(endpoint string) bool {
	transport, _, _ := strings.Cut(endpoint, "://")
	switch transport {
	case "inproc", "udp", "pgm", "epgm", "norm":
		return false
	}
	return true
}

// sinkFor returns the sink if the socket is to be tracked before it is attached to
// an endpoint; nil if not. No mutex is held.
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

// beginTracking tracks the socket's connections from now on. That it cannot is no
// reason not to attach it. s.mu is held.
func (s *Socket) beginTracking(k *sink) {
	if k == nil || s.track != nil {
		return
	}
	if err := s.trackNow(k, 0); err != nil {
		s.links.miss(err)
	}
}

// detached forgets the connections of an endpoint that was given up.
func (s *Socket) detached(endpoint string, unbound bool) {
	s.mu.Lock()
	t := s.track
	s.mu.Unlock()
	if t != nil {
		t.sink.drain() // what was reported of them
		if unbound {
			t.sink.mu.Lock()
			t.sides.forget(endpoint)
			t.sink.mu.Unlock()
		}
		s.links.detach(endpoint)
	}
}

// endedPeer counts a connection that a STREAM has closed. s.mu is held.
func (s *Socket) endedPeer() {
	if s.track != nil {
		s.track.sink.drain() // what was reported of it
		s.links.close()
	}
}

// endedPeers counts what libzmq was given that closes a connection of a STREAM. s.mu is held.
func (s *Socket) endedPeers(messages int64) {
	if s.typ == libzmq.Stream {
		for range messages {
			s.endedPeer()
		}
	}
}

// WaitPeers waits until the socket is connected to as many peers, and libzmq has
// noticed that on the socket's side.
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

// Connections returns to how many peers the socket is connected.
func (s *Socket) Connections() int {
	s.drainSink()
	n, _, _ := s.links.look()
	return n
}

// Handshakes returns how many connections have become ready since the socket was made.
func (s *Socket) Handshakes() uint64 {
	s.drainSink()
	s.links.mu.Lock()
	defer s.links.mu.Unlock()
	return s.links.ever
}

// drainSink brings the count up to date.
func (s *Socket) drainSink() {
	s.mu.Lock()
	t := s.track
	s.mu.Unlock()
	if t != nil {
		t.sink.drain()
	}
}
