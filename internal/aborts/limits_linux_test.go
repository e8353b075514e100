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
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// leaveDescriptors takes all file descriptors but n, until give is called.
func leaveDescriptors(t *testing.T, n int) (give func()) {
	t.Helper()
	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 128, Max: before.Max}))
	var taken []int
	for {
		fd, err := syscall.Dup(int(os.Stderr.Fd()))
		if err != nil {
			require.ErrorIs(t, err, syscall.EMFILE)
			break
		}
		taken = append(taken, fd)
	}
	require.GreaterOrEqual(t, len(taken), n)
	for _, fd := range taken[len(taken)-n:] {
		syscall.Close(fd)
	}
	taken = taken[:len(taken)-n]
	return func() {
		for _, fd := range taken {
			syscall.Close(fd)
		}
		taken = nil
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before))
	}
}

// warm makes the runtime open what it keeps, and start threads enough to go on
// where no more are to be had.
func warm(t *testing.T) {
	t.Helper()
	_ = os.Stderr.SetWriteDeadline(time.Time{})
	var all sync.WaitGroup
	all.Add(16)
	release := make(chan struct{})
	for range 16 {
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			all.Done()
			<-release
		}()
	}
	all.Wait()
	close(release)
	require.NotEmpty(t, zmq.Has("ipc"), "libzmq is loaded")
}

// tryDescriptors makes contexts and sockets with any small number of free
// descriptors: each try succeeds, or fails with an error that is reported once.
func tryDescriptors(t *testing.T, report func(error)) {
	warm(t)
	last := ""
	note := func(err error) {
		// How many are missing differs between the first socket and the others.
		text, _, _ := strings.Cut(err.Error(), ":")
		if text += err.Error(); text != last {
			report(err)
			last = text
		}
	}
	for free := range 20 {
		give := leaveDescriptors(t, free)
		zctx, err := zmq.NewContext()
		give()
		if err != nil {
			note(err)
			continue
		}
		give = leaveDescriptors(t, free)
		s, err := zctx.NewSocket(zmq.Pull)
		give()
		if err != nil {
			note(err)
			// Usable again once there is room.
			s, err = zctx.NewSocket(zmq.Pull)
			require.NoError(t, err)
		}
		push := zmqtest.NewSocket(t, zctx, zmq.Push)
		zmqtest.Connect(t, s, push, "tcp://127.0.0.1:*")
		zmqtest.RequireWorks(t, push, s)
		require.NoError(t, zctx.Close())
	}
}

// tryWaiting waits while no descriptor is left for that: for the first time, after
// a reply, and with a proxy in between.
func tryWaiting(t *testing.T, report func(error)) {
	warm(t)
	zctx, ctx := zmqtest.NewContext(t), zmqtest.Within(t)
	front, back := zmqtest.NewSocket(t, zctx, zmq.Router), zmqtest.NewSocket(t, zctx, zmq.Dealer)
	client, server := zmqtest.NewSocket(t, zctx, zmq.Req), zmqtest.NewSocket(t, zctx, zmq.Rep)
	zmqtest.Connect(t, front, client, zmqtest.InprocName())
	zmqtest.Connect(t, back, server, zmqtest.InprocName())
	proxied, served := make(chan error, 1), make(chan error, 1)

	give := leaveDescriptors(t, 0)
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
	report(nil)
	for _, s := range []*zmq.Socket{server, front} {
		require.NoError(t, s.Close())
	}
	require.ErrorIs(t, <-served, zmq.ErrClosed)
	require.ErrorIs(t, <-proxied, zmq.ErrClosed)
}

// tryNoSpare does with sockets what takes a descriptor while none is left.
func tryNoSpare(t *testing.T, report func(error)) {
	warm(t)
	zctx := zmqtest.NewContext(t)
	pull, push := zmqtest.NewSocket(t, zctx, zmq.Pull), zmqtest.NewSocket(t, zctx, zmq.Push)
	name, path := zmqtest.InprocName(), filepath.Join(t.TempDir(), "socket")

	give := leaveDescriptors(t, 0)
	report(pull.Bind("tcp://127.0.0.1:*"))
	report(pull.Bind("ipc://" + path))
	report(push.Connect("ipc://" + path))
	report(pull.Bind(name)) // takes none
	report(push.Connect(name))
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
func tryIPCAccept(t *testing.T, report func(error)) {
	warm(t)
	zctx := zmqtest.NewContext(t)
	s, push := zmqtest.NewSocket(t, zctx, zmq.Pull), zmqtest.NewSocket(t, zctx, zmq.Push)
	path := filepath.Join(t.TempDir(), "socket")
	require.NoError(t, s.Bind("ipc://"+path))
	peer := dialer(t, syscall.AF_UNIX)
	give := leaveDescriptors(t, 0)
	require.NoError(t, syscall.Connect(peer, &syscall.SockaddrUnix{Name: path}))
	awaitBusyThread(t)
	give()
	require.NoError(t, syscall.Close(peer))
	report(push.Connect("ipc://" + path))
	zmqtest.RequireWorks(t, push, s)
}

// tryHeadRoom makes sockets until there are none to be had, and lets peers
// connect then.
func tryHeadRoom(t *testing.T, report func(error)) {
	warm(t)
	zctx := zmqtest.NewContext(t)
	s := zmqtest.NewSocket(t, zctx, zmq.Pull)
	path := filepath.Join(t.TempDir(), "socket")
	require.NoError(t, s.Bind("ipc://"+path))
	peers := []int{dialer(t, syscall.AF_UNIX), dialer(t, syscall.AF_UNIX), dialer(t, syscall.AF_UNIX), dialer(t, syscall.AF_UNIX)}
	give := leaveDescriptors(t, 20)
	var err error
	for err == nil {
		_, err = zctx.NewSocket(zmq.Pair)
	}
	report(err)
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
func tryTCPAccept(t *testing.T, report func(error)) {
	warm(t)
	zctx := zmqtest.NewContext(t)
	s, push := zmqtest.NewSocket(t, zctx, zmq.Pull), zmqtest.NewSocket(t, zctx, zmq.Push)
	m := zmqtest.Monitor(t, s, zmq.EventAll)
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	zmqtest.Until(t, m, zmq.EventListening)
	endpoint := zmqtest.LastEndpoint(t, s)
	address := netip.MustParseAddrPort(strings.TrimPrefix(endpoint, "tcp://"))
	peer := dialer(t, syscall.AF_INET)
	give := leaveDescriptors(t, 0)
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
	report(push.Connect(endpoint))
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
func tryThreads(t *testing.T, report func(error)) {
	warm(t)
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
	report(one)
	report(more)
	_, err = zctx.NewSocket(zmq.Pair)
	report(err)
	require.NoError(t, zctx.Close())
	require.NoError(t, many.Close())
}

// tryMemory lets the process have little more memory than it has.
func tryMemory(t *testing.T, report func(error)) {
	warm(t)
	a, b := zmqtest.Pair(t, zmq.Pair, zmq.Pair, zmqtest.InprocName())
	const big = 1 << 30
	part := make([]byte, big) // untouched, so it costs nothing
	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_AS, &before))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: addressSpace(t) + big/4, Max: before.Max}))
	_, err := zmq.NewMessage(big)
	report(err)
	report(a.Send(context.Background(), part))
	report(a.SendMultipart(context.Background(), [][]byte{{1}, part, {3}}))
	report(a.Send(context.Background(), []byte("small")))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_AS, &before))
	require.Equal(t, "small", zmqtest.RecvString(t, b))
	require.False(t, b.RecvMore())
	runtime.KeepAlive(part)
}

// addressSpace returns the size of the process's address space in bytes.
func addressSpace(t *testing.T) uint64 {
	t.Helper()
	statm, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	var pages uint64
	for _, digit := range statm {
		if digit < '0' || digit > '9' {
			break
		}
		pages = 10*pages + uint64(digit-'0')
	}
	return pages * uint64(os.Getpagesize())
}

func tryScheduling(t *testing.T, report func(error)) {
	warm(t)
	unprivileged(t)
	for _, limit := range []int{limitNice, limitRealtime} {
		require.NoError(t, syscall.Setrlimit(limit, &syscall.Rlimit{}))
	}
	for _, settings := range [][]zmq.ContextSetting{
		{zmq.ThreadSchedPolicy.To(1), zmq.ThreadPriority.To(50)},
		{zmq.ThreadPriority.To(50)},
	} {
		_, err := zmqtest.NewContext(t, settings...).NewSocket(zmq.Pair)
		report(err)
	}
}

func tryThreadDescriptors(t *testing.T, report func(error)) {
	warm(t)
	zctx := zmqtest.NewContext(t, zmq.IOThreads.To(40))
	give := leaveDescriptors(t, 60)
	_, err := zctx.NewSocket(zmq.Pair)
	give()
	report(err)
	_, err = zctx.NewSocket(zmq.Pair)
	report(err)
}

// trySettlingWithout closes contexts with connections to unbound inproc names, while no descriptor
// is left.
func trySettlingWithout(t *testing.T, report func(error)) {
	warm(t)
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
		give := leaveDescriptors(t, 0)
		if shutdown {
			require.NoError(t, zctx.Shutdown())
		}
		err = zctx.CloseContext(ctx)
		give()
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			t.Fatal("the context does not close")
		}
		report(err)
	}
}
