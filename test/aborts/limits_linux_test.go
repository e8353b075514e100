//go:build linux

package aborts

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// tryDescriptors makes contexts and sockets with any small number of free descriptors. How many are
// missing differs between the first socket and the others.
func tryDescriptors(t *testing.T) {
	testutil.StartThreads()
	told := map[string]bool{}
	note := func(err error, op string) {
		refused(t, err, syscall.EMFILE, op, "file descriptors left", "ulimit -n")
		told[err.Error()] = true
	}
	for free := range 20 {
		give := testutil.LeaveDescriptors(t, free)
		zctx, err := zmq.NewContext()
		give()
		if err != nil {
			note(err, "context")
			continue
		}
		give = testutil.LeaveDescriptors(t, free)
		s, err := zctx.NewSocket(zmq.Pull)
		give()
		if err != nil {
			note(err, "socket")
			// Usable again once there is room.
			s, err = zctx.NewSocket(zmq.Pull)
			require.NoError(t, err)
		}
		push := zmqtest.NewSocket(t, zctx, zmq.Push)
		zmqtest.Connect(t, s, push, "tcp://127.0.0.1:*")
		zmqtest.RequireWorks(t, push, s)
		require.NoError(t, zctx.Close())
	}
	require.Len(t, told, 3)
}

// tryWaiting waits while no descriptor is left for that: for the first time, after
// a reply, and with a proxy in between.
func tryWaiting(t *testing.T) {
	testutil.StartThreads()
	zctx, ctx := zmqtest.NewContext(t), zmqtest.Within(t)
	front, back := zmqtest.NewSocket(t, zctx, zmq.Router), zmqtest.NewSocket(t, zctx, zmq.Dealer)
	client, server := zmqtest.NewSocket(t, zctx, zmq.Req), zmqtest.NewSocket(t, zctx, zmq.Rep)
	zmqtest.Connect(t, front, client, zmqtest.InprocName())
	zmqtest.Connect(t, back, server, zmqtest.InprocName())
	proxied, served := make(chan error, 1), make(chan error, 1)

	give := testutil.LeaveDescriptors(t, 0)
	go func() { proxied <- zmq.Proxy(ctx, front, back, nil) }()
	go func() {
		for {
			text, err := server.RecvString(context.Background())
			if err == nil {
				err = server.SendString(context.Background(), text)
			}
			if err != nil {
				served <- err
				return
			}
		}
	}()
	waits := uint64(0)
	trips := func() {
		for range 5 {
			for waits++; server.Stats().RecvWaits < waits; { // each time it waits anew
				require.NoError(t, ctx.Err())
				runtime.Gosched()
			}
			require.NoError(t, client.SendString(ctx, "request"))
			text, err := client.RecvString(ctx)
			require.NoError(t, err)
			require.Equal(t, "request", text)
		}
	}
	trips()
	give()
	trips()
	for _, s := range []*zmq.Socket{server, front} {
		require.NoError(t, s.Close())
	}
	require.ErrorIs(t, <-served, zmq.ErrClosed)
	require.ErrorIs(t, <-proxied, zmq.ErrClosed)
}

// tryNoSpare does with sockets what takes a descriptor while none is left.
func tryNoSpare(t *testing.T) {
	testutil.StartThreads()
	zctx := zmqtest.NewContext(t)
	pull, push := zmqtest.NewSocket(t, zctx, zmq.Pull), zmqtest.NewSocket(t, zctx, zmq.Push)
	name, path := zmqtest.InprocName(), filepath.Join(t.TempDir(), "socket")

	give := testutil.LeaveDescriptors(t, 0)
	refused(t, pull.Bind("tcp://127.0.0.1:*"), syscall.EMFILE, "bind", "tcp://127.0.0.1:*", "ulimit -n")
	refused(t, pull.Bind("ipc://"+path), syscall.EMFILE, "bind", "ipc://", "ulimit -n")
	refused(t, push.Connect("ipc://"+path), syscall.EMFILE, "connect", "ipc://", "ulimit -n")
	require.NoError(t, pull.Bind(name)) // takes none
	require.NoError(t, push.Connect(name))
	give()

	require.NoError(t, pull.Bind("ipc://"+path))
	require.NoError(t, push.Connect("ipc://"+path))
	for range 2 { // to each connection in turn
		zmqtest.RequireWorks(t, push, pull)
	}
}

// dialer returns a socket that takes no further descriptor to connect.
func dialer(t *testing.T, family int) int {
	t.Helper()
	fd, err := syscall.Socket(family, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	return fd
}

// tryIPCAccept lets a peer connect when no descriptor is left for it.
func tryIPCAccept(t *testing.T) {
	testutil.StartThreads()
	zctx := zmqtest.NewContext(t)
	s, push := zmqtest.NewSocket(t, zctx, zmq.Pull), zmqtest.NewSocket(t, zctx, zmq.Push)
	path := filepath.Join(t.TempDir(), "socket")
	require.NoError(t, s.Bind("ipc://"+path))
	peer := dialer(t, syscall.AF_UNIX)
	give := testutil.LeaveDescriptors(t, 0)
	require.NoError(t, syscall.Connect(peer, &syscall.SockaddrUnix{Name: path}))
	awaitBusyThread(t)
	give()
	require.NoError(t, syscall.Close(peer))
	require.NoError(t, push.Connect("ipc://"+path))
	zmqtest.RequireWorks(t, push, s)
}

// tryHeadRoom makes sockets until there are none to be had, and lets peers
// connect then.
func tryHeadRoom(t *testing.T) {
	testutil.StartThreads()
	zctx := zmqtest.NewContext(t)
	s := zmqtest.NewSocket(t, zctx, zmq.Pull)
	path := filepath.Join(t.TempDir(), "socket")
	require.NoError(t, s.Bind("ipc://"+path))
	peers := []int{dialer(t, syscall.AF_UNIX), dialer(t, syscall.AF_UNIX), dialer(t, syscall.AF_UNIX), dialer(t, syscall.AF_UNIX)}
	give := testutil.LeaveDescriptors(t, 20)
	var err error
	for err == nil {
		_, err = zctx.NewSocket(zmq.Pair)
	}
	refused(t, err, syscall.EMFILE, "socket", "file descriptors left", "ulimit -n")
	for _, peer := range peers {
		require.NoError(t, syscall.Connect(peer, &syscall.SockaddrUnix{Name: path}))
		// libzmq's greeting says that it has accepted.
		_, err := syscall.Read(peer, make([]byte, 1))
		require.NoError(t, err)
	}
	give()
	for _, peer := range peers {
		require.NoError(t, syscall.Close(peer))
	}
}

// tryTCPAccept lets a peer connect when no descriptor is left for it. A monitor reports it, and the
// peer is served later.
func tryTCPAccept(t *testing.T) {
	testutil.StartThreads()
	zctx := zmqtest.NewContext(t)
	s, push := zmqtest.NewSocket(t, zctx, zmq.Pull), zmqtest.NewSocket(t, zctx, zmq.Push)
	m := zmqtest.Monitor(t, s, zmq.EventAll)
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	zmqtest.Until(t, m, zmq.EventListening)
	endpoint := zmqtest.LastEndpoint(t, s)
	address := netip.MustParseAddrPort(strings.TrimPrefix(endpoint, "tcp://"))
	peer := dialer(t, syscall.AF_INET)
	give := testutil.LeaveDescriptors(t, 0)
	require.NoError(t, syscall.Connect(peer, &syscall.SockaddrInet4{Addr: address.Addr().As4(), Port: int(address.Port())}))
	awaitBusyThread(t)
	e := zmqtest.Until(t, m, zmq.EventAccepted|zmq.EventAcceptFailed)
	give()
	require.Equal(t, zmq.EventAcceptFailed, e.Event)
	// There are kernels that confuse the two.
	require.True(t, errors.Is(e.Err, syscall.EMFILE) || errors.Is(e.Err, syscall.ENFILE), "%v", e.Err)
	require.ErrorContains(t, e.Err, "accept")
	require.Equal(t, endpoint, e.Endpoint)
	require.Equal(t, -1, e.FD)
	zmqtest.Until(t, m, zmq.EventAccepted)
	_, err := syscall.Read(peer, make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, syscall.Close(peer))
	require.NoError(t, push.Connect(endpoint))
	zmqtest.RequireWorks(t, push, s)
}

// awaitBusyThread waits until libzmq's thread has tried to accept, many times: it
// is woken for the same peer again and again, which shows in the time it uses.
func awaitBusyThread(t *testing.T) {
	t.Helper()
	var before, now syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &before))
	require.Eventually(t, func() bool {
		require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &now))
		return now.Stime.Nano()+now.Utime.Nano() > before.Stime.Nano()+before.Utime.Nano()+int64(50*time.Millisecond)
	}, 30*time.Second, 10*time.Millisecond)
}

// unprivileged makes the process one without the rights of root.
func unprivileged(t *testing.T) {
	t.Helper()
	if os.Getuid() == 0 {
		require.NoError(t, syscall.Setuid(65534))
	}
}

const (
	limitProcesses = 6 // RLIMIT_NPROC, on most processors
	limitNice      = 13
	limitRealtime  = 14
)

// tryThreads lets the process start no threads. Root is not bound by that limit.
func tryThreads(t *testing.T) {
	testutil.StartThreads()
	unprivileged(t)
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	many, err := zmq.NewContext(zmq.IOThreads.To(8))
	require.NoError(t, err)
	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(limitProcesses, &before))
	require.NoError(t, syscall.Setrlimit(limitProcesses, &syscall.Rlimit{Cur: 1, Max: before.Max}))
	// Go's runtime ends the process when it needs a thread itself: nothing else happens
	// in between.
	_, one := zctx.NewSocket(zmq.Pair)
	_, more := many.NewSocket(zmq.Pair)
	require.NoError(t, syscall.Setrlimit(limitProcesses, &before))
	refused(t, one, syscall.EAGAIN, "socket", "threads", "ulimit -u", "IOThreads")
	refused(t, more, syscall.EAGAIN, "socket", "threads", "ulimit -u", "IOThreads")
	_, err = zctx.NewSocket(zmq.Pair)
	require.NoError(t, err)
	require.NoError(t, zctx.Close())
	require.NoError(t, many.Close())
}

// tryMemory lets the process have little more memory than it has.
func tryMemory(t *testing.T) {
	testutil.StartThreads()
	a, b := zmqtest.Pair(t, zmq.Pair, zmq.Pair, zmqtest.InprocName())
	const big = 1 << 30
	part := make([]byte, big) // untouched, so it costs nothing
	give := testutil.LeaveAddressSpace(t, big/4)
	_, err := zmq.NewMessage(big)
	refused(t, err, syscall.ENOMEM, "message", "not enough memory")
	refused(t, a.Send(context.Background(), part), syscall.ENOMEM, "send")
	refused(t, a.SendMultipart(context.Background(), [][]byte{{1}, part, {3}}), syscall.ENOMEM, "send")
	require.NoError(t, a.Send(context.Background(), []byte("small")))
	give()
	require.Equal(t, "small", zmqtest.RecvString(t, b))
	require.False(t, b.RecvMore())
	runtime.KeepAlive(part)
}

func tryScheduling(t *testing.T) {
	testutil.StartThreads()
	unprivileged(t)
	for _, limit := range []int{limitNice, limitRealtime} {
		require.NoError(t, syscall.Setrlimit(limit, &syscall.Rlimit{}))
	}
	for _, settings := range [][]zmq.ContextSetting{
		{zmq.ThreadSchedPolicy.To(1), zmq.ThreadPriority.To(50)},
		{zmq.ThreadPriority.To(50)},
	} {
		_, err := zmqtest.NewContext(t, settings...).NewSocket(zmq.Pair)
		refused(t, err, syscall.EPERM, "socket", "ThreadSchedPolicy", "CAP_SYS_NICE")
	}
}

func tryThreadDescriptors(t *testing.T) {
	testutil.StartThreads()
	zctx := zmqtest.NewContext(t, zmq.IOThreads.To(40))
	give := testutil.LeaveDescriptors(t, 60)
	_, err := zctx.NewSocket(zmq.Pair)
	give()
	refused(t, err, syscall.EMFILE, "socket", "file descriptors left", "ulimit -n")
	_, err = zctx.NewSocket(zmq.Pair)
	require.NoError(t, err)
}

// trySettlingWithout closes contexts with connections to unbound inproc names, while no descriptor
// is left.
func trySettlingWithout(t *testing.T) {
	testutil.StartThreads()
	for _, shutdown := range []bool{false, true} {
		zctx, err := zmq.NewContext()
		require.NoError(t, err)
		for range 3 {
			s, err := zctx.NewSocket(zmq.Dealer)
			require.NoError(t, err)
			require.NoError(t, s.Connect(zmqtest.InprocName()))
			require.NoError(t, s.Send(context.Background(), []byte("for nobody")))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		give := testutil.LeaveDescriptors(t, 0)
		if shutdown {
			require.NoError(t, zctx.Shutdown())
		}
		err = zctx.CloseContext(ctx)
		give()
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			t.Fatal("the context does not close")
		}
		require.NoError(t, err)
	}
}
