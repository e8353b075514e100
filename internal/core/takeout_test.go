package core

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// The room for what a sender took out is given up once that was received.
func TestRoomForWhatWasTakenOut(t *testing.T) {
	t.Parallel()
	s := newTestSocket(t, newContext(t), libzmq.Router, 1000)
	s.mu.Lock()
	for range 100 {
		s.in.add(make([]libzmq.Msg, 2), false)
	}
	s.in.oversized = true
	s.classify()
	s.mu.Unlock()
	for range 200 {
		require.NotEmpty(t, s.in.msgs)
		_, err := s.RecvBytes(t.Context(), true)
		require.NoError(t, err)
	}
	_, err := s.RecvBytes(t.Context(), true)
	require.ErrorIs(t, err, syscall.EAGAIN)
	require.Len(t, s.in.msgs, leastRoom)
}

// Afterwards only the room differs, for every kind of receive.
func TestReceivingAfterRoomWasGivenUp(t *testing.T) {
	t.Parallel()
	parts := [][]byte{[]byte("a"), make([]byte, 100), []byte("c")}
	for name, c := range map[string]struct {
		ahead   int
		receive func(s *Socket) ([][]byte, error)
	}{
		"parts": {0, func(s *Socket) (got [][]byte, err error) {
			for more := true; more && err == nil; more = s.More() {
				var part []byte
				part, err = s.RecvBytes(t.Context(), false)
				got = append(got, part)
			}
			return got, err
		}},
		"whole": {0, func(s *Socket) ([][]byte, error) { return s.RecvMultipart(t.Context(), false) }},
		"ahead": {100, func(s *Socket) ([][]byte, error) { return s.RecvMultipart(t.Context(), false) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := newContext(t)
			s, peer := newTestSocket(t, ctx, libzmq.Pair, 1000), newTestSocket(t, ctx, libzmq.Pair, 1000)
			require.NoError(t, s.Bind("inproc://after-"+name))
			require.NoError(t, peer.Connect("inproc://after-"+name))
			if c.ahead > 0 {
				require.NoError(t, s.SetReadAhead(c.ahead))
			}
			for range 100 {
				require.NoError(t, peer.SendParts(t.Context(), parts, false))
			}
			for i := range 100 {
				if s.in.pending() == 0 {
					s.in.oversized = true
					s.classify()
				}
				got, err := c.receive(s)
				require.NoError(t, err)
				require.Equal(t, parts, got, i)
			}
		})
	}
}
