package park

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// woken takes a waiter that was woken off its list, and reports whether it was.
func woken(g *Groups, w *Waiter) bool {
	if len(w.ready) == 0 {
		return false
	}
	return g.Leave(w, w.Sleep(nil, -1))
}

func crowdOf(g *Groups, keys ...string) []*Waiter {
	ws := make([]*Waiter, len(keys))
	for i, key := range keys {
		ws[i] = Get()
		g.Push(ws[i], []byte(key))
	}
	return ws
}

func TestOneOfAGroupTries(t *testing.T) {
	var g Groups
	ws := crowdOf(&g, "a", "a", "b", "", "")
	require.Zero(t, g.Wake(time.Now()), "they have just tried")
	require.Zero(t, g.Wakes())
	g.Announce()
	require.Zero(t, g.Wake(time.Now()))
	require.EqualValues(t, 4, g.Wakes(), "one with the key a, that with b, and those without a key")
	g.Announce()
	require.Zero(t, g.Wake(time.Now()))
	require.EqualValues(t, 4, g.Wakes(), "those that were woken have not tried yet")
	require.True(t, woken(&g, ws[0]))
	require.False(t, woken(&g, ws[1]))
	ws[0].Failed(0)
	g.Push(ws[0], []byte("a"))
	g.Announce()
	require.Zero(t, g.Wake(time.Now()))
	require.True(t, woken(&g, ws[0]), "it has kept its place")
	ws[0].Next()
	require.True(t, woken(&g, ws[1]), "it has sent, and there may be more room")
	g.WakeAll()
	for _, w := range ws[2:] {
		require.True(t, woken(&g, w))
	}
	require.True(t, g.Empty())
}

// A batch that has sent its message for one peer, and waits for the next, wakes who waits for the
// first.
func TestWaiterForAnotherPeer(t *testing.T) {
	var g Groups
	ws := crowdOf(&g, "a", "a")
	g.Announce()
	g.Wake(time.Now())
	require.True(t, woken(&g, ws[0]))
	g.Push(ws[0], []byte("b"))
	require.True(t, woken(&g, ws[1]))
}

// However many peers there are, only so many attempts fail in a millisecond, and each peer has
// its turn.
func TestAttemptsInVainAreBounded(t *testing.T) {
	const peers = 500
	var g Groups
	keys := make([]string, peers)
	for i := range keys {
		keys[i] = fmt.Sprint(i)
	}
	ws := crowdOf(&g, keys...)
	turns := map[*Waiter]int{}
	now := time.Now()
	const periods = 10 * peers / budgetAttempts
	for range periods {
		for range 20 { // edges
			g.Announce()
			g.Wake(now)
			for i, w := range ws {
				if woken(&g, w) {
					turns[w]++
					w.Failed(0)
					g.Push(w, []byte(keys[i]))
				}
			}
		}
		now = now.Add(budgetTime)
	}
	require.LessOrEqual(t, g.Wakes(), uint64(periods*budgetAttempts))
	for _, w := range ws {
		require.InDelta(t, 10, turns[w], 1)
	}
}

// Attempts that succeed cost nothing, however many there are in a millisecond.
func TestAttemptsThatSucceedAreFree(t *testing.T) {
	var g Groups
	now := time.Now()
	for range 10 * budgetAttempts {
		w := crowdOf(&g, "a")[0]
		g.Announce()
		require.Zero(t, g.Wake(now))
		require.True(t, woken(&g, w))
		w.Next()
		w.Put()
	}
}

// Whatever happens, a waiter that can continue has been woken, or is behind one that was, or its
// group is yet to be tried.
func TestNoGroupIsForgotten(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var g Groups
		now := time.Now()
		room := map[string]int{} // of each peer
		waiting := map[*Waiter]string{}
		try := func(w *Waiter, key string) bool {
			if room[key] == 0 {
				return false
			}
			room[key]--
			return true
		}
		leave := func(w *Waiter) {
			delete(waiting, w)
			w.Put()
		}
		for range 300 {
			key := fmt.Sprint(r.IntN(5))
			switch r.IntN(4) {
			case 0:
				if w := Get(); !try(w, key) {
					waiting[w] = key
					g.Push(w, []byte(key))
				}
			case 1:
				room[key] += r.IntN(3)
				g.Announce()
				g.Wake(now)
			case 2:
				for w := range waiting { // one leaves because its context has ended
					g.Leave(w, w.Sleep(nil, 0))
					w.Next()
					leave(w)
					break
				}
			case 3:
				for w, key := range waiting {
					if !woken(&g, w) {
						continue
					}
					if try(w, key) {
						w.Next()
						leave(w)
						g.Wake(now)
					} else {
						w.Failed(0)
						g.Push(w, []byte(key))
					}
					break
				}
			}
			now = now.Add(time.Duration(r.IntN(100)) * time.Microsecond)
			for w, key := range waiting {
				q := w.group
				require.True(t, room[key] == 0 || len(w.ready) > 0 || q.waiters.Woken() > 0 || q.tried != g.announced, "seed %d", seed)
			}
		}
		g.WakeAll()
		for w := range waiting {
			require.True(t, woken(&g, w))
		}
		require.True(t, g.Empty())
		require.Nil(t, g.first)
		require.Empty(t, g.keyed)
	}
}
