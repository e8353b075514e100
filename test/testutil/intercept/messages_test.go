package intercept_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/intercept"
)

func TestMain(m *testing.M) { testutil.Main(m, intercept.CheckMessages) }

func requireHeld(t *testing.T, contents int, says ...string) {
	t.Helper()
	n, description := intercept.HeldMessages()
	require.Equal(t, contents, n, description)
	for _, text := range says {
		require.Contains(t, description, text)
	}
}

func TestHeldMessages(t *testing.T) {
	require.NoError(t, libzmq.Load())
	requireHeld(t, 0)
	var m, twin, short libzmq.Msg
	require.Zero(t, short.Alloc(33)) // lies in the structure
	requireHeld(t, 0)
	require.Zero(t, m.Alloc(34))
	copy(m.Bytes(), "a forgotten content")
	requireHeld(t, 1, "34 bytes, held 1 times", "a forgotten content")
	require.Zero(t, m.Clone(&twin))
	requireHeld(t, 1, "held 2 times")
	m.Close()
	requireHeld(t, 1, "held 1 times")
	require.Zero(t, twin.Alloc(100))
	requireHeld(t, 1, "100 bytes")
	libzmq.CloseMsgs([]libzmq.Msg{twin, short})
	requireHeld(t, 0)
}

// libzmq holds a message from the send to the receive. A message that could not be sent is still held.
func TestSendAndRecvChangeHolder(t *testing.T) {
	require.NoError(t, libzmq.Load())
	c, rc := libzmq.OpenContext()
	require.Zero(t, rc)
	a, rc := libzmq.OpenSocket(c, libzmq.Pair)
	require.Zero(t, rc)
	b, rc := libzmq.OpenSocket(c, libzmq.Pair)
	require.Zero(t, rc)
	msgs := make([]libzmq.Msg, 2)
	require.Zero(t, msgs[0].Alloc(1000))
	rc, _ = libzmq.SendMsgs(a, msgs, 0)
	require.Negative(t, rc, "there is no peer")
	requireHeld(t, 1)
	require.Zero(t, libzmq.Bind(b, "inproc://watched"))
	require.Zero(t, libzmq.Connect(a, "inproc://watched"))
	rc, _ = libzmq.SendMsgs(a, msgs, 0)
	require.Zero(t, rc)
	requireHeld(t, 0)
	rc, _ = libzmq.Recv(b, &msgs[0], msgs[1:], 0, 0)
	require.Equal(t, 2, rc)
	requireHeld(t, 1, "1000 bytes")
	rc, _ = libzmq.Recv(b, &msgs[0], msgs[1:], 1, 0)
	require.Negative(t, rc, "nothing is left")
	requireHeld(t, 0)
	require.Zero(t, libzmq.CloseSocket(a, 0, false))
	require.Zero(t, libzmq.CloseSocket(b, 0, false))
	require.Zero(t, libzmq.Term(c))
}
