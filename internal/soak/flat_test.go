//go:build linux

package soak_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What grows slowly is told from what only goes up and down.
func TestQuarters(t *testing.T) {
	t.Parallel()
	var flat, leaking []mark
	for i := range 100 {
		m := mark{at: time.Unix(int64(i), 0), rss: 50<<20 + int64(i%7)<<20, files: 20 + i%5, threads: 9, goroutines: 30 + i%9}
		flat = append(flat, m)
		m.rss += int64(i) << 20
		m.files += 2 * i
		leaking = append(leaking, m)
	}
	early, late := quarters(flat)
	require.Equal(t, early.rss, late.rss)
	require.Equal(t, early.files, late.files)
	early, late = quarters(leaking)
	require.Greater(t, late.rss-early.rss, int64(moreBytes))
	require.Greater(t, late.files-early.files, more)
}
