//go:build unix && !linux

package zmq_test

var hangUpDeaths []death
