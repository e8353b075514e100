//go:build unix && !linux

package zmq

import "syscall"

const reusePort = syscall.SO_REUSEPORT
