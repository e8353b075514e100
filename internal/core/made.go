package core

import "syscall"

// NewError makes an error of package zmq's type, which only that package can fill.
// Package zmq sets it, for the packages beside it. cause is what errors.Is finds
// besides the number; it may be nil.
var NewError func(op string, errno syscall.Errno, detail string, cause error) error
