package zmq_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// How many topics a publisher has subscribers for, and a subscriber asks for; a libzmq
// before 4.3.5 does not say.
func TestTopicsCount(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		pub, sub := pair(t, zmq.XPub, zmq.Sub, endpoint, zmq.TrackSubscriptions.To(true))
		counts := func(s *zmq.Socket) int {
			t.Helper()
			n, err := zmq.TopicsCount.Get(s)
			require.NoError(t, err)
			return n
		}
		if major, minor, patch := zmq.Version(); major == 4 && minor == 3 && patch < 5 {
			_, err := zmq.TopicsCount.Get(pub)
			require.ErrorIs(t, err, zmq.ErrNotSupported)
			require.ErrorContains(t, err, "4.3.5")
			return
		}
		require.Zero(t, counts(pub)+counts(sub))
		for i, want := range []int{1, 2, 2, 3} {
			require.NoError(t, sub.Subscribe([]string{"a", "b", "b", ""}[i]))
			require.Equal(t, want, counts(sub), "%d", i)
		}
		require.NoError(t, pub.WaitSubscribers(soon(t), 3))
		require.Equal(t, 3, counts(pub))
		require.NoError(t, sub.Unsubscribe("a"))
		require.Equal(t, 2, counts(sub))
		for range 4 { // three that came and one that went
			_, err := pub.RecvBytes(soon(t))
			require.NoError(t, err)
		}
		require.Equal(t, 2, counts(pub))
	})
}
