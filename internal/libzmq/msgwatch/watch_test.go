package msgwatch_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/libzmq/msgwatch"
)

func TestMain(m *testing.M) {
	msgwatch.Begin()
	msgwatch.Begin() // once is enough
	os.Exit(m.Run())
}

func requireHeld(t *testing.T, contents int, says ...string) {
	t.Helper()
	n, description := msgwatch.Held()
	require.Equal(t, contents, n, description)
	for _, text := range says {
		require.Contains(t, description, text)
	}
}

func TestHolders(t *testing.T) {
	require.NoError(t, libzmq.Load())
	requireHeld(t, 0)
	var m, twin, short libzmq.Msg
	require.Zero(t, short.Alloc(33)) // lies in the structure
	requireHeld(t, 0)
	require.Zero(t, m.Alloc(34))
	copy(m.Bytes(), "who has forgotten me?")
	requireHeld(t, 1, "34 bytes, held 1 times", "who has forgotten me?")
	require.Zero(t, m.Clone(&twin))
	requireHeld(t, 1, "held 2 times")
	m.Close()
	requireHeld(t, 1, "held 1 times")
	require.Zero(t, twin.Alloc(100))
	requireHeld(t, 1, "100 bytes")
	libzmq.CloseMsgs([]libzmq.Msg{twin, short})
	requireHeld(t, 0)
}

// What is sent is held by nobody until it is received, what could not be sent still is.
func TestSentAndReceived(t *testing.T) {
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
	require.Negative(t, rc, "nobody is there")
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
	require.Zero(t, libzmq.CloseSocket(a, 0, true))
	require.Zero(t, libzmq.CloseSocket(b, 0, true))
	require.Zero(t, libzmq.Term(c))
}
