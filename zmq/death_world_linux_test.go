package zmq_test

import (
	"context"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// What the system does: it refuses to send, to receive and to connect, and it copies
// the process.
func TestDeathOfSystem(t *testing.T) {
	requireFilters(t)
	testDeaths(t, []death{
		{"30 errors of the network when sending", dieOfSendErrors, times(len(networkErrors), fine)},
		{"30 errors of the network when receiving", dieOfRecvErrors, times(len(networkErrors), fine)},
		{"30 errors of the network when connecting", dieOfConnectErrors, times(len(networkErrors), fine)},
		{"31 programs started meanwhile", dieOfFork, times(1, fine)},
	})
}

// What firewalls, drivers and networks that go away make of calls. The errors that
// libzmq does not bear are in docs/safety.md.
var networkErrors = []syscall.Errno{
	syscall.ENOBUFS, syscall.EPERM, syscall.ENETDOWN, syscall.ENETUNREACH, syscall.ENETRESET, syscall.EHOSTDOWN, syscall.EHOSTUNREACH,
	syscall.ETIMEDOUT, syscall.EPIPE, syscall.ECONNABORTED, syscall.EPROTO, syscall.ENONET, syscall.EIO,
}

// The parts of a seccomp filter, which decides on each system call.
type bpfInstruction struct {
	code    uint16
	yes, no uint8
	value   uint32
}

// seccompCalls are the numbers of seccomp(2), which package syscall does not have for
// each processor.
var seccompCalls = map[string]uintptr{"amd64": 317, "arm64": 277}

// requireFilters skips where there are none, as in an emulated processor.
func requireFilters(t *testing.T) {
	t.Helper()
	const getSeccomp = 21
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, getSeccomp, 0, 0, 0, 0, 0); errno != 0 {
		t.Skip("no seccomp here to make system calls fail: ", errno)
	}
	if seccompCalls[runtime.GOARCH] == 0 {
		t.Skip("the number of seccomp is not known here: ", runtime.GOARCH)
	}
}

// failCall makes a system call fail from now on, in all threads, with errno. What came
// before is overridden.
func failCall(t *testing.T, number uintptr, errno syscall.Errno) {
	t.Helper()
	const (
		load, equal, answer = 0x20, 0x15, 0x06
		fail, allow         = 0x50000, 0x7fff0000
		setNoNewPrivs       = 38
		modeFilter, tsync   = 1, 1
	)
	program := []bpfInstruction{
		{load, 0, 0, 0}, // the call's number
		{equal, 0, 1, uint32(number)},
		{answer, 0, 0, fail | uint32(errno)},
		{answer, 0, 0, allow},
	}
	header := struct {
		length  uint16
		program *bpfInstruction
	}{uint16(len(program)), &program[0]}
	runtime.LockOSThread() // tsync brings the other threads to where this one is
	defer runtime.UnlockOSThread()
	_, _, failed := syscall.RawSyscall6(syscall.SYS_PRCTL, setNoNewPrivs, 1, 0, 0, 0, 0)
	require.Zero(t, failed)
	_, _, failed = syscall.RawSyscall(seccompCalls[runtime.GOARCH], modeFilter, tsync, uintptr(unsafe.Pointer(&header)))
	require.Zero(t, failed)
}

// sound checks that the rest of the process is unharmed.
func sound(t *testing.T) error {
	t.Helper()
	a, b := pair(t, zmq.Pair, zmq.Pair, inprocName())
	requireWorks(t, a, b)
	return nil
}

func dieOfSendErrors(t *testing.T, report func(error)) {
	dieOfTraffic(t, syscall.SYS_SENDTO, report)
}

func dieOfRecvErrors(t *testing.T, report func(error)) {
	dieOfTraffic(t, syscall.SYS_RECVFROM, report)
}

// dieOfTraffic has connections that work, and then do not: libzmq meets the error in
// its thread. One that cannot send says nothing any more and stays, until heartbeats
// find that out.
func dieOfTraffic(t *testing.T, call uintptr, report func(error)) {
	zctx := newContext(t)
	const soonEnough = 20 * time.Millisecond
	lively := []zmq.Setting{
		zmq.ReconnectInterval.To(time.Millisecond), zmq.HandshakeInterval.To(soonEnough),
		zmq.HeartbeatInterval.To(soonEnough), zmq.HeartbeatTimeout.To(soonEnough),
	}
	pull, push := newSocket(t, zctx, zmq.Pull, lively...), newSocket(t, zctx, zmq.Push, lively...)
	connect(t, pull, push, "tcp://127.0.0.1:*")
	requireWorks(t, push, pull)
	events := monitor(t, push, zmq.EventConnected)
	for _, errno := range networkErrors {
		failCall(t, call, errno)
		_ = push.Send(context.Background(), []byte("meets the error"), zmq.DontWait)
		for range 2 { // connected anew, which meets the error too
			until(t, events, zmq.EventConnected)
		}
		report(sound(t))
	}
	require.NoError(t, zctx.Close())
}

// dieOfConnectErrors connects where the system does not let it.
func dieOfConnectErrors(t *testing.T, report func(error)) {
	zctx := newContext(t)
	pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push, zmq.ReconnectInterval.To(time.Millisecond))
	require.NoError(t, pull.Bind("tcp://127.0.0.1:*"))
	endpoint, err := pull.LastEndpoint()
	require.NoError(t, err)
	events := monitor(t, push, zmq.EventConnectRetried)
	for i, errno := range append([]syscall.Errno{syscall.EACCES, syscall.ENOMEM}, networkErrors...) {
		failCall(t, syscall.SYS_CONNECT, errno)
		if i == 0 {
			require.NoError(t, push.Connect(endpoint))
		}
		until(t, events, zmq.EventConnectRetried)
		until(t, events, zmq.EventConnectRetried)
		err := sound(t)
		if i > 1 {
			report(err)
		}
	}
	require.NoError(t, zctx.Close())
}

// dieOfFork starts programs while sockets are used. Go forks and executes at once, and
// nothing of libzmq's is open in the new program.
func dieOfFork(t *testing.T, report func(error)) {
	var all sync.WaitGroup
	stop := make(chan struct{})
	for _, endpoint := range []string{"tcp://127.0.0.1:*", "ipc://*", inprocName()} {
		a, b := pair(t, zmq.Pair, zmq.Pair, endpoint)
		requireWorks(t, a, b)
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = a.Send(context.Background(), []byte("x"), zmq.DontWait)
					_, _ = b.RecvBytes(context.Background(), zmq.DontWait)
				}
			}
		})
	}
	for range 20 {
		open, err := exec.CommandContext(within(t), "sh", "-c", "ls -l /proc/self/fd").Output()
		require.NoError(t, err)
		for _, kind := range []string{"socket:", "eventfd", "eventpoll"} {
			require.NotContains(t, string(open), kind)
		}
		require.Positive(t, strings.Count(string(open), "->"))
	}
	close(stop)
	all.Wait()
	report(nil)
}
