//go:build !race

package request_test

const slowness = 1
