package park

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWaitersAreWokenInOrder(t *testing.T) {
	var l List
	ws := []*Waiter{Get(), Get(), Get()}
	for _, w := range ws {
		l.Push(w)
	}
	l.WakeFirst()
	require.Equal(t, Woken, ws[0].Sleep(nil, -1))
	require.Equal(t, []int{2, 1}, []int{l.Len(), l.Woken()})
	require.True(t, l.Leave(ws[0], Woken))
	l.WakeAll()
	for _, w := range ws[1:] {
		require.True(t, l.Leave(w, w.Sleep(nil, time.Hour)))
		w.Put()
	}
	l.WakeFirst()
	require.Equal(t, []int{0, 0}, []int{l.Len(), l.Woken()})
}

// A waiter that was woken while it left for another reason takes its token along. Its next wait
// would end at once otherwise.
func TestLeaveTakesTheToken(t *testing.T) {
	var l List
	w := Get()
	done := make(chan struct{})
	close(done)
	l.Push(w)
	require.Equal(t, Cancelled, w.Sleep(done, -1))
	l.WakeFirst()
	require.True(t, l.Leave(w, Cancelled))
	l.Push(w)
	require.Equal(t, Expired, w.Sleep(nil, 0))
	require.False(t, l.Leave(w, Expired))
}
