package readiness

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// WSAPoll reports errors unasked. It fails with WSAEINVAL, except in Wine, if it is asked
// for them, also after a change.
func TestErrorsAreNotAskedFor(t *testing.T) {
	s, err := Open(func() {})
	require.NoError(t, err)
	defer s.Close()
	fd, rc := libzmq.OpenWaker()
	require.Zero(t, rc)
	defer fd.Close()
	require.NoError(t, s.Add(int(fd), 1, In|Err))
	require.Equal(t, int16(libzmq.PollIn), s.items[1].Events)
	require.NoError(t, s.Change(int(fd), 2, In|Err))
	require.Equal(t, int16(libzmq.PollIn), s.items[1].Events)
	fd.Wake()
	ready, err := s.Ready(nil)
	require.NoError(t, err)
	require.Equal(t, []Ready{{Key: 2, What: In}}, ready)
}
