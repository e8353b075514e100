//go:build race

package poller_test

const raceEnabled = true
