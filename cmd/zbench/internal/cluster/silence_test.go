package cluster

import (
	"context"
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
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, zctx.Close()) })
	socket, err := zctx.NewSocket(zmq.Dealer, zmq.Linger.To(0))
	require.NoError(t, err)
	require.NoError(t, socket.Connect(endpoint))
	for _, m := range messages {
		require.NoError(t, socket.SendString(context.Background(), m))
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

const redSays = `{"Kind":"hello","Name":"red","Host":"h","Versions":{"Protocol":1,"Zbench":"v1.2.3","Binding":"v1.2.3"},"Env":{"id":"x"}}`

// An agent that is there and says nothing is lost after a while: its machine hangs, or
// the network has a hole. Before anything has begun, another may come.
func TestSilentAgent(t *testing.T) {
	t.Parallel()
	s := newScene(t, Config{Expect: 1, LostAfter: time.Second})
	s.stranger(t, redSays)
	came := make(chan struct{})
	go func() {
		defer close(came)
		for !strings.Contains(s.heard(), "red was lost: nothing was heard of it for ") && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		s.agent("blue")
	}()
	require.NoError(t, s.Join(t.Context())) // red's clock is asked for, and there is no reply
	<-came
	require.Len(t, s.live(), 1)
	require.Equal(t, "blue", s.live()[0].name)
}

// One that has died may come back at once, under its name.
func TestAgentComesBack(t *testing.T) {
	t.Parallel()
	s := newScene(t, Config{Expect: 2})
	red := s.stranger(t, redSays)
	s.until(t, func() bool { return len(s.live()) == 1 })
	require.NoError(t, red.Close())
	require.Eventually(t, func() bool { return s.socket.Stats().Connections == 0 }, time.Minute, time.Millisecond)
	s.agent("red")
	s.agent("blue")
	require.NoError(t, s.Join(t.Context()))
	require.Len(t, s.live(), 2)
	require.Contains(t, s.heard(), "red was lost: its connection has ended ")
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
