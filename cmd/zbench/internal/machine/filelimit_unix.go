//go:build unix

package machine

import "syscall"

// fileLimit returns how many file descriptors the process may have open.
func fileLimit() uint64 {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 0
	}
	return uint64(l.Cur)
}
