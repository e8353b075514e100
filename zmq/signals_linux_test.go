package zmq_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

var handlersAtStart, errHandlersAtStart = handlers() // before libzmq is loaded

// What the process does at each signal is what it did before there was libzmq.
func TestSignalHandlersAreLeftAlone(t *testing.T) {
	require.NoError(t, errHandlersAtStart)
	requireNoNewHandlers := func() {
		require.Equal(t, handlersAtStart, noErr(handlers())(t))
	}
	pull, push := pair(t, zmq.Pull, zmq.Push, "tcp://127.0.0.1:*")
	zctx := pull.Context()
	require.NoError(t, push.SendString(context.Background(), "message"))
	recvBytes(t, pull)
	requireNoNewHandlers()
	require.NoError(t, zctx.Close())
	requireNoNewHandlers()
}

// handlers is the kernel's table of them.
func handlers() (table [65][64]byte, err error) {
	for n := 1; n < len(table); n++ {
		_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(n), 0, uintptr(unsafe.Pointer(&table[n])), 8, 0, 0)
		if errno != 0 {
			return table, fmt.Errorf("signal %d: %w", n, errno)
		}
	}
	return table, nil
}
