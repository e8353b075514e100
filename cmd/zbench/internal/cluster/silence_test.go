package cluster

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// stranger is a peer that says what it is told to, and nothing else.
func (s *scene) stranger(t *testing.T, messages ...string) *zmq.Socket {
	t.Helper()
	endpoint, err := s.Endpoint()
	require.NoError(t, err)
	c, err := zmq.NewContext()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	socket, err := c.NewSocket(zmq.Dealer, zmq.Linger.To(0))
	require.NoError(t, err)
	require.NoError(t, socket.Connect(endpoint))
	for _, m := range messages {
		require.NoError(t, socket.SendString(m))
	}
	return socket
}

// until steps until something holds.
func (s *scene) until(t *testing.T, holds func() bool) {
	t.Helper()
	for !holds() { // on this goroutine, which is the coordinator's
		_, _, err := s.step(t.Context())
		require.NoError(t, err)
	}
}

// An agent that is there and says nothing is lost after a while: its machine hangs, or
// the network has a hole.
func TestSilentAgent(t *testing.T) {
	t.Parallel()
	s := newScene(t, Config{Expect: 1, LostAfter: time.Second})
	s.stranger(t, `{"Kind":"hello","Name":"mute","Host":"h","Versions":{"Protocol":1,"Zbench":"v1.2.3","Binding":"v1.2.3"},"Env":{"id":"x"}}`)
	err := s.Join(t.Context()) // the clock is asked for, and there is no reply
	var lost *LostError
	require.ErrorAs(t, err, &lost)
	require.Equal(t, "mute", lost.Agent)
	require.ErrorContains(t, err, "mute was lost: nothing was heard of it for ")
}

// Noise is passed over.
func TestStrangers(t *testing.T) {
	t.Parallel()
	s := newScene(t, Config{Expect: 1})
	s.stranger(t, "", "{", "[]", "{}", `{"Kind":"done"}`, `{"Kind":"hello"}`, `{"Kind":"bye"}`)
	s.until(t, func() bool { return strings.Contains(s.heard(), "was refused: its hello is incomplete") })
	s.agent("a")
	require.NoError(t, s.Join(t.Context()))
	_, _, err := s.Measure(t.Context(), lat("reqrep", 1), short)
	require.ErrorContains(t, err, "1 receiving and as many sending need 2 agents, there are 1")
}

// A coordinator that is gone without a word ends its agents.
func TestSilentCoordinator(t *testing.T) {
	t.Parallel()
	s := newScene(t, Config{Expect: 1, LostAfter: time.Second})
	s.agent("a")
	require.NoError(t, s.Join(t.Context()))
	select { // nobody steps
	case err := <-s.ended["a"]:
		require.ErrorContains(t, err, "nothing was heard of the coordinator tcp://127.0.0.1:")
	case <-time.After(time.Minute):
		t.Fatal("the agent goes on")
	}
}

// An address that only its own machine can use is refused when others are elsewhere.
func TestLoopbackElsewhere(t *testing.T) {
	t.Parallel()
	s := newScene(t, Config{Expect: 2})
	s.agent("a")
	s.until(t, func() bool { return len(s.live()) == 1 })
	s.Coordinator.agents[0].boot = "another machine"
	s.agent("b")
	err := s.Join(t.Context())
	var unreachable *UnreachableError
	require.ErrorAs(t, err, &unreachable)
	require.ErrorContains(t, err, "would be reached by a loopback address, and others are on other machines: give it an address with --advertise")
}
