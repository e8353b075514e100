//go:build !linux

package zmq

import "syscall"

const reusePort = syscall.SO_REUSEPORT
