package core

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// An option that changes which subscriptions libzmq reports ends the tracking, unless
// libzmq refuses it.
func TestOptionsEndTracking(t *testing.T) {
	t.Parallel()
	c := newContext(t)
	for _, number := range []int{libzmq.OptXPubManual, libzmq.OptXPubVerbose, libzmq.OptXPubVerboser} {
		s := newTestSocket(t, c, libzmq.XPub, 0)
		require.ErrorIs(t, s.SetOption(number, intValue(-1)), syscall.EINVAL)
		require.True(t, s.TracksSubscriptions())
		setInt(t, s, number, 1)
		require.False(t, s.TracksSubscriptions())
	}
	pub, err := c.NewSocket(libzmq.Pub, true)
	require.NoError(t, err)
	require.NoError(t, pub.SetOption(libzmq.OptXPubVerboser, intValue(1)))
	require.True(t, pub.TracksSubscriptions())
}
