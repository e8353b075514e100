//go:build linux && (race || asan)

package soak_test

// instrumented says that the process has a race detector or a sanitizer in it, whose
// own memory grows with what they have seen.
const instrumented = true
