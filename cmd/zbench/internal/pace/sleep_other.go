//go:build !linux

package pace

import "time"

// Sleep pauses the goroutine for d.
func Sleep(d time.Duration) { time.Sleep(d) }
