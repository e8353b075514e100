//go:build unix && (!linux || zmq_static)

package zmq_test

var hangUpDeaths []death
