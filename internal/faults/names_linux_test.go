//go:build linux && !asan

package faults_test

import (
	"context"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// A name server that does not answer delays only the sockets that share an I/O thread with
// the connection that needs it.
func TestSlowNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	shared, err := openControl(filepath.Join(dir, "control"))
	require.NoError(t, err)
	defer shared.close()
	shared.function = int64(slices.Index(functions, "getaddrinfo"))
	shared.first, shared.last, shared.errno, shared.hold = 1, 1<<40, int64(syscall.EAGAIN), 1
	said, hanging, err := run(command(preload(t), dir, "TestSlowNamesChild", point{Scenario: "names", Function: "getaddrinfo"}))
	require.False(t, hanging, "%s", cut(said))
	require.NoError(t, err, "%s", cut(said))
}

// TestSlowNamesChild is what the child runs; by itself it does nothing.
func TestSlowNamesChild(t *testing.T) {
	_, shared := childPoint(t)
	if shared == nil {
		return
	}
	ctx, cancel := patience(childTicks)
	defer cancel()
	bystanders := newPair(t)
	bystanders.work(t, ctx)

	zctx, err := zmq.NewContext(zmq.IOThreads.To(2))
	require.NoError(t, err)
	socket := func(typ zmq.SocketType, threads uint64) *zmq.Socket {
		s, err := zctx.NewSocket(typ, zmq.Linger.To(0), zmq.Affinity.To(threads))
		require.NoError(t, err)
		return s
	}
	s := socket(zmq.Push, 1)
	// libzmq resolves the name on the I/O thread of the socket's connections.
	shared.set(modeArmed)
	require.NoError(t, s.Connect("tcp://slow.example.:5555"))
	for !shared.struck() {
		require.NoError(t, ctx.Err(), "libzmq does not look the name up")
		time.Sleep(time.Millisecond)
	}
	bystanders.work(t, ctx)
	for thread, endpoint := range map[uint64]string{1: "inproc://beside", 2: "tcp://127.0.0.1:*"} {
		push, pull := socket(zmq.Push, thread), socket(zmq.Pull, thread)
		require.NoError(t, pull.Bind(endpoint))
		actual := zmqtest.LastEndpoint(t, pull)
		require.NoError(t, push.Connect(actual))
		pair{push, pull}.work(t, ctx)
	}

	// What waits for that thread can be given up.
	require.NoError(t, s.Close())
	brief := zmqtest.Timeout(t, 20*time.Millisecond)
	err = zctx.CloseContext(brief)
	requireTyped(t, err)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	shared.set(modeOff)
	require.NoError(t, zctx.CloseContext(ctx))
	bystanders.work(t, ctx)
}
