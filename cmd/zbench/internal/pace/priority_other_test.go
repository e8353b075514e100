//go:build !linux

package pace_test

import "testing"

// priority returns 0: threads have none of their own.
func priority(*testing.T) int { return 0 }
