package zmq_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
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

// A signal ends whatever waits with a context of signal.NotifyContext.
func TestSignalEndsWaiters(t *testing.T) {
	const waiters = 100
	ctx, stop := signal.NotifyContext(soon(t), syscall.SIGUSR1)
	defer stop()
	zctx := newContext(t)
	ended := make(chan error, waiters)
	var sockets []*zmq.Socket
	for range waiters / 2 {
		s := newSocket(t, zctx, zmq.Dealer)
		require.NoError(t, s.Bind(inprocName()))
		sockets = append(sockets, s)
		go func() { _, err := s.RecvBytes(ctx); ended <- err }()
		go func() { ended <- s.Send(ctx, nil) }() // no peer is connected
	}
	for _, s := range sockets {
		require.Eventually(t, func() bool { return s.Stats().Waiting == 2 }, patience, time.Millisecond)
	}
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGUSR1))
	for range waiters {
		require.ErrorIs(t, <-ended, context.Canceled)
	}
}
