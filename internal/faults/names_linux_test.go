//go:build linux && !asan

package faults_test

import (
	"context"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A name server that says nothing, to Go or to libzmq, holds up nobody but those who
// have asked it.
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
	silence := silentNameServer(t)
	ctx, cancel := patience(childTicks)
	defer cancel()
	bystanders := newPair(t)
	bystanders.work(t, ctx)

	c, err := zmq.NewContext(zmq.IOThreads.To(2))
	require.NoError(t, err)
	socket := func(typ zmq.SocketType, threads uint64) *zmq.Socket {
		s, err := c.NewSocket(typ, zmq.Linger.To(0), zmq.Affinity.To(threads))
		require.NoError(t, err)
		return s
	}
	// Connect's own look at the name ends with its context.
	s := socket(zmq.Push, 1)
	brief, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	err = s.ConnectContext(brief, "tcp://slow.example.:5555")
	requireTyped(t, err)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	// libzmq's stays where it is: on the I/O thread that the socket's connections are on.
	silence()
	shared.set(modeArmed)
	require.NoError(t, s.ConnectContext(ctx, "tcp://slow.example.:5555"))
	for !shared.struck() {
		require.NoError(t, ctx.Err(), "libzmq does not look the name up")
		time.Sleep(time.Millisecond)
	}
	bystanders.work(t, ctx)
	for thread, endpoint := range map[uint64]string{1: "inproc://beside", 2: "tcp://127.0.0.1:*"} {
		push, pull := socket(zmq.Push, thread), socket(zmq.Pull, thread)
		actual, err := pull.BindAny(endpoint)
		require.NoError(t, err)
		require.NoError(t, push.Connect(actual))
		pair{push, pull}.work(t, ctx)
	}

	// What waits for that thread can be given up.
	require.NoError(t, s.Close())
	brief, stop = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	err = c.CloseContext(brief)
	requireTyped(t, err)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	shared.set(modeOff)
	require.NoError(t, c.CloseContext(ctx))
	bystanders.work(t, ctx)
}

// silentNameServer makes Go ask a name server that does not answer, until silence is
// called: then there is none, and nobody waits for it any more.
func silentNameServer(t *testing.T) (silence func()) {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	var mu sync.Mutex
	var clients []net.Conn
	silent := false
	before := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		if silent {
			return nil, net.ErrClosed
		}
		client, err := new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
		if err == nil {
			clients = append(clients, client)
		}
		return client, err
	}}
	t.Cleanup(func() {
		net.DefaultResolver = before
		_ = server.Close()
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		silent = true
		for _, client := range clients {
			_ = client.Close()
		}
	}
}
