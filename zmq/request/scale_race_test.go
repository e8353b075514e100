//go:build race

package request_test

// slowness divides the number of requests that the tests make.
const slowness = 10
