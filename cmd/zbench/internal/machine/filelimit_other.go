//go:build !unix

package machine

// fileLimit returns 0: the system does not say.
func fileLimit() uint64 { return 0 }
