//go:build unix

package poller_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// The Poller forgets a descriptor that was closed without a Remove. Another one may get
// its number.
func TestClosedDescriptor(t *testing.T) {
	for _, interest := range []poller.Events{in, in | out} {
		t.Run(interest.String(), func(t *testing.T) {
			p := newPoller(t)
			old, end := pipe(t)
			old = withOwnNumber(t, old)
			require.NoError(t, p.AddFD(uintptr(old), interest))
			writeFD(t, end, "x")
			requireFD(t, p, old, in, "written")
			closeFD(t, old)
			requireFD(t, p, old, 0, "closed")
			require.ErrorIs(t, p.UpdateFD(uintptr(old), in), syscall.EBADF)

			// The same, with another pipe that has the number.
			old, _ = pipe(t)
			require.NoError(t, p.AddFD(uintptr(old), interest))
			r, w := pipe(t)
			require.NoError(t, testutil.Dup2(r, old)) // which closes it
			writeFD(t, w, "x")
			requireFD(t, p, old, 0, "nobody asked for this one")
			require.NoError(t, p.AddFD(uintptr(old), interest), "the one that was here is closed")
			requireFD(t, p, old, in, "the new one")
			require.NoError(t, p.RemoveFD(uintptr(old)))
			requireFD(t, p, old, 0, "removed")
			require.Zero(t, p.Len())
		})
	}
}

// A socket's descriptor can get the number of one that was closed without a Remove. RemoveFD of
// that number leaves the socket alone.
func TestSocketWithTheNumberOfAClosedDescriptor(t *testing.T) {
	p := newPoller(t)
	var fds []int
	for range 20 {
		r, w := pipe(t)
		require.NoError(t, p.AddFD(uintptr(r), in))
		require.NoError(t, p.AddFD(uintptr(w), poller.Err))
		fds = append(fds, r, w)
	}
	for _, fd := range fds {
		closeFD(t, fd)
	}
	ctx := newContext(t)
	var sockets [8]*zmq.Socket
	for i := range sockets { // libzmq opens the lowest numbers that are free
		sockets[i] = newSocket(t, ctx, zmq.Pull)
		require.NoError(t, p.Add(sockets[i], in))
	}
	dropped := 0
	for _, fd := range fds {
		if p.RemoveFD(uintptr(fd)) != nil {
			dropped++
		}
	}
	require.Positive(t, dropped, "no socket got the number of a closed descriptor")
	for _, s := range sockets {
		require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
		peer := newSocket(t, ctx, zmq.Push)
		require.NoError(t, peer.Connect(zmqtest.Get(t, zmq.LastEndpoint, s)))
		requireSoon(t, p, s, 0, "nothing was sent")
		require.NoError(t, peer.SendString(within(t), "x"))
		requireSoon(t, p, s, in, "a message")
	}
}
