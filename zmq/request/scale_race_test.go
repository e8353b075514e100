//go:build race

package request_test

// slowness is by how much fewer requests the tests make.
const slowness = 10
