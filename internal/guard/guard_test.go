package guard

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLockHandsOutOneState(t *testing.T) {
	var l Lock[int]
	var group sync.WaitGroup
	const goroutines, times = 8, 1000
	for range goroutines {
		group.Go(func() {
			for range times {
				*l.Lock()++
				l.Unlock()
			}
		})
	}
	group.Wait()
	n := l.TryLock()
	require.NotNil(t, n)
	require.Equal(t, goroutines*times, *n)
	require.Nil(t, l.TryLock(), "it is taken")
	l.Unlock()
	require.NotNil(t, l.TryLock())
}
