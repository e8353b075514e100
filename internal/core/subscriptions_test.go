package core

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// An option that libzmq refuses does not change how subscriptions are counted.
func TestRefusedOptionChangesNoCounting(t *testing.T) {
	t.Parallel()
	s := newTestSocket(t, newContext(t), libzmq.XPub, 0)
	refused := func(number int) {
		require.ErrorIs(t, s.SetOption(number, intValue(-1)), syscall.EINVAL)
	}
	for _, number := range []int{libzmq.OptXPubManual, libzmq.OptXPubVerboser} {
		refused(number)
		require.False(t, s.subs.manual)
		require.False(t, s.subs.verboser)
	}
	setInt(t, s, libzmq.OptXPubManual, 1)
	require.True(t, s.subs.manual)
	setInt(t, s, libzmq.OptXPubVerboser, 1)
	refused(libzmq.OptXPubVerbose)
	require.True(t, s.subs.verboser)
	require.True(t, s.subs.manual)
	setInt(t, s, libzmq.OptXPubVerbose, 1)
	require.False(t, s.subs.verboser)
}
