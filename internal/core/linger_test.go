package core

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// libzmq's timers can end somewhat early, and a bounded closing with them. It must not
// take that for the end of the sending.
func TestGaveUpEarly(t *testing.T) {
	now := time.Now()
	const little = 30 * time.Millisecond
	cut := lingering{cut: true, expiry: now}
	require.True(t, cut.gaveUp(now.Add(-little)))
	require.True(t, cut.gaveUp(now.Add(little)))
	require.False(t, cut.gaveUp(now.Add(-time.Second)))
	asked := lingering{expiry: now}
	require.False(t, asked.gaveUp(now.Add(time.Second)), "somebody had set the period")
}

// No period that libzmq is told is shorter than what a message takes that it has begun.
func TestSafeLinger(t *testing.T) {
	single, several := &Socket{typ: libzmq.Dealer}, &Socket{typ: libzmq.Dealer}
	several.stats.Sent.Messages, several.stats.Sent.Parts = 1, 2
	for _, c := range []struct {
		s            *Socket
		period, told time.Duration
	}{
		{single, 0, time.Millisecond},
		{single, 2 * time.Millisecond, 2 * time.Millisecond},
		{single, -1, -1},
		{several, 0, 100 * time.Millisecond},
		{several, time.Millisecond, 100 * time.Millisecond},
		{several, 99 * time.Millisecond, 100 * time.Millisecond},
		{several, time.Second, time.Second},
		{several, -1, -1},
		{&Socket{typ: libzmq.Req}, time.Millisecond, 100 * time.Millisecond},
		{&Socket{typ: libzmq.Rep}, 0, 100 * time.Millisecond},
	} {
		require.Equal(t, c.told, c.s.effectiveLinger(c.period), "%d, %s", c.s.typ, c.period)
	}
}

// Parts that the count of sent messages does not include also need the longer linger: copies for a
// capture socket, and messages lost because their peer left before they were complete.
func TestSafeLingerOfUncountedParts(t *testing.T) {
	c := newContext(t)
	source, front := connected(t, c, "inproc://front", libzmq.Push, libzmq.Pull, 10)
	back, target := connected(t, c, "inproc://back", libzmq.Push, libzmq.Pull, 10)
	capture, copies := connected(t, c, "inproc://copies", libzmq.Push, libzmq.Pull, 10)
	proxy, err := NewProxy(front, back, capture)
	require.NoError(t, err)
	ran := make(chan error, 1)
	go func() { ran <- proxy.Run(t.Context()) }()
	require.NoError(t, source.SendParts(t.Context(), [][]byte{[]byte("two"), []byte("parts")}, false))
	for _, s := range []*Socket{target, copies} {
		var msgs []libzmq.Msg
		require.NoError(t, s.RecvMsgs(t.Context(), &msgs, false))
		libzmq.CloseMsgs(msgs)
	}
	proxy.Terminate()
	require.NoError(t, <-ran)
	for _, s := range []*Socket{source, back, capture} {
		s.mu.Lock()
		told := s.effectiveLinger(0)
		s.mu.Unlock()
		require.Equal(t, leastLingerParts, told)
	}
	lost := &Socket{typ: libzmq.Push}
	lost.noteLost(-libzmq.ELOST)
	require.Equal(t, leastLingerParts, lost.effectiveLinger(0))
}
