package core

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Once the room for what a sender took out was given up, only the room differs, for every kind
// of receive.
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
				if peek(s).in.Held() == 0 {
					peek(s).in.Enlarged()
					peek(s).classify()
				}
				got, err := c.receive(s)
				require.NoError(t, err)
				require.Equal(t, parts, got, i)
			}
		})
	}
}
