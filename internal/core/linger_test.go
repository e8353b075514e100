package core

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
