package core

import (
	"context"
	"strings"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// sinkFor returns the sink if the socket must be tracked before it is attached to an
// endpoint, or the reason why it cannot be. No mutex is held.
func (s *Socket) sinkFor(endpoint string) (k *sink, missed error) {
	switch transport, _, _ := strings.Cut(endpoint, "://"); transport {
	case "inproc", "udp", "pgm", "epgm", "norm": // the monitor does not report these
		return nil, nil
	}
	if s.ctx.blind.Load() {
		return nil, errBlind
	}
	return s.ctx.openSink()
}

// beginTracking starts to track the socket's connections, given the results of sinkFor. If
// that fails, the socket is attached without tracking.
func (s *held) beginTracking(k *sink, missed error) {
	if k != nil {
		missed = s.trackNow(k)
	}
	if missed != nil && s.track == nil {
		s.peers.Miss(missed)
	}
}

// endedPeers counts messages that closed a connection of a STREAM.
func (s *held) endedPeers(messages int64) {
	if s.typ == libzmq.Stream && s.track != nil && messages > 0 {
		s.track.sink.drain() // the reports about these connections
		s.peers.Closed(int(messages))
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
		n, changed, missed := s.peers.Look()
		if err := s.Err(); err != nil {
			return err
		}
		if n >= peers {
			// The connections themselves wait in the socket's mailbox.
			_, err := s.Configure(func(h libzmq.Socket) int {
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
		case <-s.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// drainSink updates the count.
func (s *Socket) drainSink() {
	h := s.lock.Lock()
	t := h.track
	s.lock.Unlock()
	if t != nil {
		t.sink.drain()
	}
}
