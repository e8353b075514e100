package load

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/zmq"
)

// forgetful is a server that answers all messages but one, whose number it is; the greeting
// is message 0. lost is called when that one has come.
func forgetful(t *testing.T, number int, lost func()) *Peer {
	t.Helper()
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	s, err := zctx.NewSocket(zmq.Router, zmq.Linger.To(0))
	require.NoError(t, err)
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	endpoint, err := s.LastEndpoint()
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for n := 0; ; n++ {
			m, err := s.RecvMultipart(context.Background())
			if err != nil {
				return
			}
			if n == number {
				lost()
				continue
			}
			if s.SendMultipart(context.Background(), m) != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		assert.NoError(t, zctx.Close())
		<-ended
	})
	return &Peer{Endpoint: endpoint}
}

// A message that is lost fails a run, which says how many there were: at once if one comes
// behind it that has a number, otherwise at the end.
func TestALostMessageFailsARun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		size, lost int
		text       string
	}{
		"another comes":    {64, 5, "message 6 came in the place of message 5: "},
		"the last":         {64, 50, "51 messages were sent and 50 came: "},
		"without a number": {4, 5, "51 messages were sent and 50 came: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cell := openLoop("dealerrouter", "tcp", 2000)
			cell.Size = c.size
			_, err := MeasurePeer(t.Context(), cell, record.Method{Count: 50, Pace: Sleep}, forgetful(t, c.lost, func() {}))
			require.ErrorIs(t, err, errIntegrity)
			require.ErrorContains(t, err, c.text)
		})
	}
}

// Who waits for the reply before it goes on waits until it is given up, and says then what
// has not come.
func TestAReplyThatNeverComes(t *testing.T) {
	t.Parallel()
	overdue := errors.New("overdue")
	ctx, cancel := context.WithCancelCause(t.Context())
	peer := forgetful(t, 5, func() { cancel(overdue) })
	_, err := MeasurePeer(ctx, lat("dealerrouter", "tcp"), record.Method{Count: 50}, peer)
	require.ErrorIs(t, err, overdue)
	var missing *MissingError
	require.ErrorAs(t, err, &missing)
	require.Equal(t, MissingError{overdue, 6, 5}, *missing)
	require.EqualError(t, missing, "overdue; of 6 messages that were sent 1 had not come")
}
