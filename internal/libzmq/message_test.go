package libzmq

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A message may be moved in memory, whether its content lives inside the
// structure or outside.
func TestMsgMoves(t *testing.T) {
	require.NoError(t, Load())
	for _, size := range []int{0, 1, 33, 34, 5000} {
		var m Msg
		require.Zero(t, m.Alloc(size))
		for i := range m.Bytes() {
			m.Bytes()[i] = byte(i)
		}
		var moved Msg
		moved.Take(&m)
		require.False(t, m.Live())
		require.Equal(t, size, moved.Len())
		for i, b := range moved.Bytes() {
			require.Equal(t, byte(i), b)
		}
		var twin Msg
		require.Zero(t, moved.Clone(&twin))
		moved.Close()
		moved.Close()
		require.Zero(t, moved.Len())
		require.Equal(t, size, twin.Len())
		CloseMsgs([]Msg{twin})
	}
}
