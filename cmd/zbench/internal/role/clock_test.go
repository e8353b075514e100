//go:build linux

package role

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// The clock goes on between processes, and has one name in all of them.
func TestClock(t *testing.T) {
	t.Parallel()
	before := monotonic()
	require.NoError(t, exec.Command("true").Run())
	require.Greater(t, monotonic(), before)
	require.NotZero(t, clockID())
	require.Equal(t, clockID(), clockID())
}
