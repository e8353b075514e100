package libzmq

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// newWake returns a waker, and waits for it.
func newWake(t *testing.T) (fd int, wait func()) {
	waker, rc := OpenWaker()
	require.Zero(t, rc)
	t.Cleanup(waker.Close)
	return int(waker), func() { require.Positive(t, waker.Wait()) }
}
