package testutil

import "testing"

// Scaled returns how many of n messages, requests or rounds a test can afford: fewer in a short run and
// under the race detector.
func Scaled(n int) int {
	switch {
	case testing.Short():
		return n / 50
	case Race:
		return n / 10
	}
	return n
}
