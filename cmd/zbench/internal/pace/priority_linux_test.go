package pace_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// priority returns the thread's nice value.
func priority(t *testing.T) int {
	t.Helper()
	p, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	require.NoError(t, err)
	return 20 - p
}
