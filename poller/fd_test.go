//go:build unix

package poller_test

import (
	"context"
	"fmt"
	"math"
	"net"
	"os"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// requireFD requires that two polls report exactly these events of a descriptor.
func requireFD(t testing.TB, p *poller.Poller, fd int, want poller.Events, why string) {
	t.Helper()
	for i := range 2 {
		require.Equal(t, want, ofFD(t, poll(t, p, 0), uintptr(fd)), "%s, look %d", why, i)
	}
}

func TestPipe(t *testing.T) {
	t.Parallel()
	p := newPoller(t)
	r, w := pipe(t)
	require.NoError(t, p.AddFD(uintptr(r), in))
	require.NoError(t, p.AddFD(uintptr(w), out))
	require.Equal(t, 2, p.Len())
	requireFD(t, p, r, 0, "nothing written")
	requireFD(t, p, w, out, "room")
	writeFD(t, w, "abc")
	requireFD(t, p, r, in, "written")
	require.NoError(t, p.UpdateFD(uintptr(r), out))
	requireFD(t, p, r, 0, "not asked")
	require.NoError(t, p.UpdateFD(uintptr(r), in|out))
	requireFD(t, p, r, in, "asked again")
	require.Equal(t, "abc", readFD(t, r))
	requireFD(t, p, r, 0, "read")

	full := make([]byte, 1<<16)
	for err := error(nil); err == nil; {
		_, err = syscall.Write(w, full)
	}
	requireFD(t, p, w, 0, "full")
	readFD(t, r)
	for range 100 {
		readFD(t, r)
		if ofFD(t, poll(t, p, 0), uintptr(w)) != 0 {
			break
		}
	}
	requireFD(t, p, w, out, "room again")

	closeFD(t, r)
	require.NotZero(t, ofFD(t, poll(t, p, -1), uintptr(w))&poller.Err, "the reader is gone")
	require.NoError(t, p.UpdateFD(uintptr(w), in))
	require.Equal(t, poller.Err, ofFD(t, poll(t, p, -1), uintptr(w)), "an error is reported, asked for or not")
	require.NoError(t, p.UpdateFD(uintptr(w), poller.Err))
	requireFD(t, p, w, poller.Err, "and asked for alone")
	require.NoError(t, p.RemoveFD(uintptr(w)))
	requireFD(t, p, w, 0, "removed")
}

// A connection of package net, with urgent data.
func TestConnection(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	ours, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer ours.Close()
	theirs, err := l.Accept()
	require.NoError(t, err)
	defer theirs.Close()
	conn, err := ours.(*net.TCPConn).SyscallConn()
	require.NoError(t, err)
	peer, err := theirs.(*net.TCPConn).SyscallConn()
	require.NoError(t, err)

	p := newPoller(t)
	var fd int
	require.NoError(t, conn.Control(func(n uintptr) { fd = int(n) }))
	require.NoError(t, p.AddFD(uintptr(fd), in))
	requireFD(t, p, fd, 0, "nothing was sent")
	_, err = theirs.Write([]byte("x"))
	require.NoError(t, err)
	require.Equal(t, in, ofFD(t, poll(t, p, patience), uintptr(fd)))
	require.NoError(t, p.UpdateFD(uintptr(fd), in|out))
	requireFD(t, p, fd, in|out, "and it can be written")
	_, err = ours.Read(make([]byte, 10))
	require.NoError(t, err)
	requireFD(t, p, fd, out, "read")

	if runtime.GOOS == "linux" { // kqueue knows no urgent data
		require.NoError(t, p.UpdateFD(uintptr(fd), poller.Pri))
		requireFD(t, p, fd, 0, "no urgent data")
		require.NoError(t, peer.Control(func(n uintptr) {
			err = syscall.Sendto(int(n), []byte("!"), syscall.MSG_OOB, nil)
		}))
		require.NoError(t, err)
		require.Equal(t, poller.Pri, ofFD(t, poll(t, p, patience), uintptr(fd)))
		requireFD(t, p, fd, poller.Pri, "it is still there")
		require.NoError(t, p.UpdateFD(uintptr(fd), out))
		requireFD(t, p, fd, out, "not asked for")
	}
	require.NoError(t, p.UpdateFD(uintptr(fd), in))
	require.NoError(t, theirs.Close())
	require.NotZero(t, ofFD(t, poll(t, p, patience), uintptr(fd))&in, "the end can be read")
	require.NoError(t, p.RemoveFD(uintptr(fd)))
}

// The descriptor that a socket hands out becomes readable when a message arrives, and is
// no longer readable after a look at Events.
func TestDescriptorOfASocket(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		pull, push := connected(t, zmq.Pull, zmq.Push, endpoint)
		number := zmqtest.Get(t, zmq.FD, pull)
		fd := uintptr(number)
		p := newPoller(t)
		require.NoError(t, p.AddFD(fd, in))
		defer func() { require.NoError(t, p.RemoveFD(fd)) }()
		// settle looks at the socket until the descriptor is not readable, as with
		// ZMQ_FD.
		settle := func() int {
			t.Helper()
			for {
				events := zmqtest.Get(t, zmq.Events, pull)
				if ofFD(t, poll(t, p, 0), fd) == 0 {
					return events
				}
			}
		}
		require.NoError(t, pull.WaitConnected(t.Context(), 1))
		for range 20 {
			require.Zero(t, settle())
			require.NoError(t, push.SendString(context.Background(), "x"))
			for events := 0; events&1 == 0; events = settle() {
				require.Equal(t, in, ofFD(t, poll(t, p, patience), fd), "a message arrived")
			}
			here(t, recv(pull))
		}
	})
}

// Descriptors that cannot be polled.
func TestDescriptorsThatAreNone(t *testing.T) {
	t.Parallel()
	p := newPoller(t)
	file, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer file.Close()
	dir, err := os.Open(t.TempDir())
	require.NoError(t, err)
	defer dir.Close()
	for _, fd := range []uintptr{math.MaxUint64, math.MaxUint64 - 1, 1 << 63, 1 << 32, 1<<32 + 1, 1 << 31, math.MaxInt32, 1_000_000} {
		err := p.AddFD(fd, in)
		require.ErrorIs(t, err, syscall.EBADF, "%d", fd)
		require.ErrorContains(t, err, "not open")
		require.ErrorContains(t, err, fmt.Sprint(int(fd)))
		require.ErrorIs(t, p.RemoveFD(fd), syscall.EINVAL)
	}
	for _, fd := range []uintptr{file.Fd(), dir.Fd()} {
		err := p.AddFD(fd, in)
		require.ErrorIs(t, err, syscall.EPERM)
		require.ErrorContains(t, err, "file or directory")
	}
	require.Zero(t, p.Len())
	require.Empty(t, poll(t, p, 0))
}

// A paused descriptor reports nothing, not even an error, and does not end a wait.
func TestPausedDescriptor(t *testing.T) {
	t.Parallel()
	p := newPoller(t)
	a, b := socketpair(t)
	require.NoError(t, p.AddFD(uintptr(a), 0))
	require.Equal(t, 1, p.Len())
	requirePaused(t, p, "added paused")
	writeFD(t, b, "x")
	requirePaused(t, p, "written")
	require.NoError(t, p.UpdateFD(uintptr(a), in))
	requireFD(t, p, a, in, "updated")
	require.NoError(t, p.UpdateFD(uintptr(a), 0))
	requirePaused(t, p, "paused again")
	closeFD(t, b)
	requirePaused(t, p, "the peer is gone")
	require.ErrorIs(t, p.AddFD(uintptr(a), in), syscall.EINVAL, "it is still there")
	requirePaused(t, p, "refused")
	require.NoError(t, p.UpdateFD(uintptr(a), in))
	requireFD(t, p, a, in|poller.Err, "updated again")
	require.NoError(t, p.RemoveFD(uintptr(a)))
	requirePaused(t, p, "removed")
	require.NoError(t, p.AddFD(uintptr(a), 0))
	requirePaused(t, p, "added anew")
	require.NoError(t, p.RemoveFD(uintptr(a)))
	require.Zero(t, p.Len())
}
