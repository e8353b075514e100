//go:build !race

package zmq_test

const slowness = 1
