//go:build race

package zmq_test

// slowness is by how much fewer things the channels' tests do.
const slowness = 10
