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
	single, several := &held{shared: &shared{typ: libzmq.Dealer}}, &held{shared: &shared{typ: libzmq.Dealer}}
	several.stats.Sent.Messages, several.stats.Sent.Parts = 1, 2
	for _, c := range []struct {
		s            *held
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
		{&held{shared: &shared{typ: libzmq.Req}}, time.Millisecond, 100 * time.Millisecond},
		{&held{shared: &shared{typ: libzmq.Rep}}, 0, 100 * time.Millisecond},
	} {
		require.Equal(t, c.told, c.s.effectiveLinger(c.period), "%d, %s", c.s.typ, c.period)
	}
}

// A message that was lost because its peer left before it was complete is not counted, and
// also needs the longer linger.
func TestSafeLingerOfLostParts(t *testing.T) {
	lost := &held{shared: &shared{typ: libzmq.Push}}
	lost.noteLost(-libzmq.ELOST)
	require.Equal(t, leastLingerParts, lost.effectiveLinger(0))
}

// The notes of sockets that libzmq has freed go, but a close does not look at all of them. No
// other test runs meanwhile: a new eventfd can get the number and the id of the one that went.
func TestLingersForget(t *testing.T) {
	c := newContext(t)
	freed, held := newTestSocket(t, c, libzmq.Dealer, 0), newTestSocket(t, c, libzmq.Pull, 0)
	var l lingers
	const n = 1000
	looks := 0
	add := func(s *Socket) {
		if len(l.list) >= l.purge {
			looks += len(l.list)
		}
		l.add(peek(s), 0, false)
	}
	for range n {
		add(freed)
	}
	require.Less(t, looks, 3*n)
	fd := libzmq.GetInt(peek(freed).handle, libzmq.OptFD)
	id := eventfdID(fd)
	require.NoError(t, freed.Close())
	require.Eventually(t, func() bool { return id == "" || eventfdID(fd) != id }, patience, time.Millisecond)
	for range 2 * n {
		add(held)
	}
	for _, e := range l.list {
		require.Equal(t, "PULL", e.name)
	}
}
