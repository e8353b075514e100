//go:build race

package zmq_test

const raceEnabled = true
