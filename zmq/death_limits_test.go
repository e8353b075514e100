//go:build linux

package zmq_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// Limits of the system that are reached at a bad moment.
var limitDeaths = []death{
	{"02 no descriptors for the first socket", dieOfDescriptors, []wanted{
		want(syscall.EMFILE, "context", "file descriptors left", "ulimit -n"),
		want(syscall.EMFILE, "socket", "file descriptors left", "ulimit -n"),
		want(syscall.EMFILE, "socket", "file descriptors left", "ulimit -n"),
	}},
	{"02 no descriptor to wait with", dieOfWaiting, times(1, fine)},
	{"02 no descriptor to attach with", dieOfNoSpare, []wanted{
		want(syscall.EMFILE, "bind", "tcp://127.0.0.1:*", "ulimit -n"),
		want(syscall.EMFILE, "bind", "ipc://", "ulimit -n"),
		want(syscall.EMFILE, "connect", "ipc://", "ulimit -n"),
		fine, fine,
	}},
	{"03 no new socket while descriptors are few", dieOfHeadRoom, times(1, want(syscall.EMFILE, "socket", "file descriptors left", "ulimit -n"))},
	{"03b no descriptor to accept a tcp peer", dieOfTCPAccept, times(1, fine)},
	{"10 no thread can be started", dieOfThreads, []wanted{
		want(syscall.EAGAIN, "socket", "threads", "ulimit -u", "IOThreads"),
		want(syscall.EAGAIN, "socket", "threads", "ulimit -u", "IOThreads"),
		fine,
	}},
	{"12 memory is limited", dieOfMemory, []wanted{
		want(syscall.ENOMEM, "message", "not enough memory"),
		want(syscall.ENOMEM, "send"),
		want(syscall.ENOMEM, "send"),
		fine,
	}},
	{"16b a scheduling policy without the right to it", dieOfScheduling, times(2, want(syscall.EPERM, "socket", "ThreadSchedPolicy", "CAP_SYS_NICE"))},
	{"16c more I/O threads than descriptors", dieOfThreadDescriptors, []wanted{
		want(syscall.EMFILE, "socket", "file descriptors left", "ulimit -n"), fine,
	}},
	{"18 no descriptor to settle inproc names", dieOfSettlingWithout, times(2, fine)},
}

var guardedLimitDeaths = []death{
	{"03 no descriptor to accept an ipc peer", dieOfIPCAccept, times(1, fine)},
}

func TestDeathAtLimits(t *testing.T) {
	testDeaths(t, slices.Concat(limitDeaths, guarded(guardedLimitDeaths)))
}

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

// dieOfDescriptors makes contexts and sockets with any small number of free
// descriptors: each try succeeds, or fails with an error that is reported once.
func dieOfDescriptors(t *testing.T, report func(error)) {
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
		push := newSocket(t, zctx, zmq.Push)
		connect(t, s, push, "tcp://127.0.0.1:*")
		requireWorks(t, push, s)
		require.NoError(t, zctx.Close())
	}
}

// dieOfWaiting waits while no descriptor is left for that: for the first time, after
// a reply, and with a proxy in between.
func dieOfWaiting(t *testing.T, report func(error)) {
	warm(t)
	zctx, ctx := newContext(t), within(t)
	front, back := newSocket(t, zctx, zmq.Router), newSocket(t, zctx, zmq.Dealer)
	client, server := newSocket(t, zctx, zmq.Req), newSocket(t, zctx, zmq.Rep)
	connect(t, front, client, inprocName())
	connect(t, back, server, inprocName())
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

// dieOfNoSpare does with sockets what takes a descriptor while none is left.
func dieOfNoSpare(t *testing.T, report func(error)) {
	warm(t)
	zctx := newContext(t)
	pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
	name, path := inprocName(), filepath.Join(t.TempDir(), "socket")

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
		requireWorks(t, push, pull)
	}
}

// dialer returns a socket that takes no further descriptor to connect.
func dialer(t *testing.T, family int) int {
	t.Helper()
	fd, err := syscall.Socket(family, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	return fd
}

// dieOfIPCAccept lets a peer connect when no descriptor is left for it.
func dieOfIPCAccept(t *testing.T, report func(error)) {
	warm(t)
	zctx := newContext(t)
	s, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
	path := filepath.Join(t.TempDir(), "socket")
	require.NoError(t, s.Bind("ipc://"+path))
	peer := dialer(t, syscall.AF_UNIX)
	give := leaveDescriptors(t, 0)
	require.NoError(t, syscall.Connect(peer, &syscall.SockaddrUnix{Name: path}))
	awaitBusyThread(t)
	give()
	require.NoError(t, syscall.Close(peer))
	report(push.Connect("ipc://" + path))
	requireWorks(t, push, s)
}

// dieOfHeadRoom makes sockets until there are none to be had, and lets peers
// connect then.
func dieOfHeadRoom(t *testing.T, report func(error)) {
	warm(t)
	zctx := newContext(t)
	s := newSocket(t, zctx, zmq.Pull)
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

func dieOfTCPAccept(t *testing.T, report func(error)) {
	warm(t)
	zctx := newContext(t)
	s, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
	peer := dialer(t, syscall.AF_INET)
	bound := dialer(t, syscall.AF_INET)
	require.NoError(t, syscall.Bind(bound, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	require.NoError(t, syscall.Listen(bound, 10))
	address, err := syscall.Getsockname(bound)
	require.NoError(t, err)
	require.NoError(t, s.Set(zmq.UseFD.To(bound)))
	require.NoError(t, syscall.Close(bound))
	require.NoError(t, s.Bind("tcp://127.0.0.1:0"))
	endpoint, err := s.LastEndpoint()
	require.NoError(t, err)
	give := leaveDescriptors(t, 0)
	require.NoError(t, syscall.Connect(peer, address))
	awaitBusyThread(t)
	give()
	// The peer that had to wait is served now.
	_, err = syscall.Read(peer, make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, syscall.Close(peer))
	report(push.Connect(endpoint))
	requireWorks(t, push, s)
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

// dieOfThreads lets the process start no threads. Root is not bound by that limit.
func dieOfThreads(t *testing.T, report func(error)) {
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

// dieOfMemory lets the process have little more memory than it has.
func dieOfMemory(t *testing.T, report func(error)) {
	warm(t)
	a, b := pair(t, zmq.Pair, zmq.Pair, inprocName())
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
	got, err := b.RecvString(context.Background())
	require.NoError(t, err)
	require.Equal(t, "small", got)
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

func dieOfScheduling(t *testing.T, report func(error)) {
	warm(t)
	unprivileged(t)
	for _, limit := range []int{limitNice, limitRealtime} {
		require.NoError(t, syscall.Setrlimit(limit, &syscall.Rlimit{}))
	}
	for _, settings := range [][]zmq.ContextSetting{
		{zmq.ThreadSchedPolicy.To(1), zmq.ThreadPriority.To(50)},
		{zmq.ThreadPriority.To(50)},
	} {
		_, err := newContext(t, settings...).NewSocket(zmq.Pair)
		report(err)
	}
}

func dieOfThreadDescriptors(t *testing.T, report func(error)) {
	warm(t)
	zctx := newContext(t, zmq.IOThreads.To(40))
	give := leaveDescriptors(t, 60)
	_, err := zctx.NewSocket(zmq.Pair)
	give()
	report(err)
	_, err = zctx.NewSocket(zmq.Pair)
	report(err)
}

// dieOfSettlingWithout closes contexts with connections to inproc names that
// nobody bound, while no descriptor is left.
func dieOfSettlingWithout(t *testing.T, report func(error)) {
	warm(t)
	for _, shutdown := range []bool{false, true} {
		zctx, err := zmq.NewContext()
		require.NoError(t, err)
		for range 3 {
			s, err := zctx.NewSocket(zmq.Dealer)
			require.NoError(t, err)
			require.NoError(t, s.Connect(inprocName()))
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
