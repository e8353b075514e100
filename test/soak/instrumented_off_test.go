//go:build linux && !race && !asan

package soak_test

const instrumented = false
