package core

import (
	"syscall"

	"github.com/go-zmq/go-zmq/internal/fault"
)

// The errors of operations, see package fault.
var (
	ErrClosed     = fault.ErrClosed
	ErrTerminated = fault.ErrTerminated
	ErrTimeout    = fault.ErrTimeout
	ErrLost       = fault.ErrLost
	ErrPending    = fault.ErrPending
	ErrFinishing  = fault.ErrFinishing
)

var errBlind = fault.New(syscall.ENOTSUP, "the socket's connections are not counted, because TrackConnections is off; leave it on, or create a Monitor before the first Bind or Connect")

const again = fault.Again

func errorOf(rc int) error { return fault.Of(rc) }
