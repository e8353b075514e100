package zmq_test

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// What the process does at each signal is what it did before there was a context.
func TestSignalHandlersAreLeftAlone(t *testing.T) {
	before := handlers(t)
	c := newContext(t)
	pull, push := newSocket(t, c, zmq.Pull), newSocket(t, c, zmq.Push)
	connect(t, pull, push, "tcp://127.0.0.1:*")
	require.NoError(t, push.SendString("message"))
	_, err := pull.RecvBytesContext(soon(t))
	require.NoError(t, err)
	require.Equal(t, before, handlers(t))
	require.NoError(t, c.Close())
	require.Equal(t, before, handlers(t))
}

// handlers is the kernel's table of them.
func handlers(t *testing.T) (table [65][64]byte) {
	t.Helper()
	for n := 1; n < len(table); n++ {
		_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(n), 0, uintptr(unsafe.Pointer(&table[n])), 8, 0, 0)
		require.Zero(t, errno, "signal %d", n)
	}
	return table
}

// A signal ends whatever waits with a context of signal.NotifyContext.
func TestSignalEndsWaiters(t *testing.T) {
	const waiters = 100
	ctx, stop := signal.NotifyContext(soon(t), syscall.SIGUSR1)
	defer stop()
	c := newContext(t)
	ended := make(chan error, waiters)
	var sockets []*zmq.Socket
	for range waiters / 2 {
		s := newSocket(t, c, zmq.Dealer)
		require.NoError(t, s.Bind(inprocName()))
		sockets = append(sockets, s)
		go func() { _, err := s.RecvBytesContext(ctx); ended <- err }()
		go func() { ended <- s.SendContext(ctx, nil) }() // nobody is connected
	}
	for _, s := range sockets {
		require.Eventually(t, func() bool { return s.Stats().Waiting == 2 }, patience, time.Millisecond)
	}
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGUSR1))
	for range waiters {
		require.ErrorIs(t, <-ended, context.Canceled)
	}
	require.False(t, errors.Is(context.Cause(ctx), context.DeadlineExceeded))
}
