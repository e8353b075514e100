//go:build !linux

package machine

// Missing returns what this process lacks for a transport. What other systems allow
// is for libzmq to find out.
func Missing(string, int) string { return "" }
