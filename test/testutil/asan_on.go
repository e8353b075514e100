//go:build asan

package testutil

// Asan reports whether AddressSanitizer is built in.
const Asan = true
