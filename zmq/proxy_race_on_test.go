//go:build race

package zmq_test

// proxyMessages is how many messages go through a proxy in the longest test.
const proxyMessages = 50_000
