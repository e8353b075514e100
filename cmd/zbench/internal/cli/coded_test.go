package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The worst decides: what failed, what is not what was asked for, what is missed.
func TestOutcomeOrder(t *testing.T) {
	t.Parallel()
	o := outcome{failed: []string{"a run"}, saturated: []string{"a cell"}, noisy: []string{"a doubt"}, missed: []string{"an objective"}}
	require.Equal(t, exitFailed, exitCode(o.err()))
	o.failed = nil
	require.Equal(t, exitUnfit, exitCode(o.err()))
	require.ErrorContains(t, o.err(), "saturated")
	o.saturated = nil
	require.Equal(t, exitUnfit, exitCode(o.err()))
	require.ErrorContains(t, o.err(), "--strict: the numbers are not to be relied on")
	o.noisy = nil
	require.Equal(t, exitMissed, exitCode(o.err()))
	o.missed = nil
	require.Equal(t, exitOK, exitCode(o.err()))
}
