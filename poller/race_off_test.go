//go:build !race && !asan

package poller_test

const raceEnabled = false
