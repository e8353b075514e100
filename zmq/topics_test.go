package zmq_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// Topics is what the publisher sees: a topic is held until it was given up as often
// as it was asked for.
func TestTopicsHeld(t *testing.T) {
	t.Parallel()
	pub, sub := pair(t, zmq.XPub, zmq.Sub, inprocName(), zmq.RecvTimeout.To(-1))
	require.Empty(t, sub.Topics())
	for _, topic := range []string{"b", "", "a", "b"} {
		require.NoError(t, sub.Subscribe(topic))
	}
	require.NoError(t, sub.Unsubscribe("never"))
	require.Equal(t, []string{"", "a", "b"}, sub.Topics())
	for _, want := range []string{"\x01b", "\x01", "\x01a"} {
		got, err := pub.RecvString()
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	require.NoError(t, sub.Set(zmq.Unsubscribe.To("a"), zmq.Unsubscribe.To("b")))
	got, err := pub.RecvString()
	require.NoError(t, err)
	require.Equal(t, "\x00a", got)
	require.Equal(t, []string{"", "b"}, sub.Topics())
	require.NoError(t, sub.Unsubscribe("b"))
	require.Equal(t, []string{""}, sub.Topics())
	got, err = pub.RecvString()
	require.NoError(t, err)
	require.Equal(t, "\x00b", got)
	require.Empty(t, pub.Topics())
	require.NoError(t, sub.Close())
	require.Error(t, sub.Subscribe("late"))
	require.Equal(t, []string{""}, sub.Topics())
	require.Empty(t, (*zmq.Socket)(nil).Topics())
}
