package aborts

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// networkErrors are errors that firewalls, drivers and failing networks cause. docs/safety.md lists
// those at which libzmq aborts.
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

// canFilter returns an error if system calls cannot be made to fail, as in an emulator.
func canFilter() error {
	const getSeccomp = 21
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, getSeccomp, 0, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	if seccompCalls[runtime.GOARCH] == 0 {
		return errors.ErrUnsupported
	}
	return nil
}

// failCall makes a system call fail with errno in all threads from now on. A later call overrides an
// earlier one.
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
	a, b := zmqtest.Pair(t, zmq.Pair, zmq.Pair, zmqtest.InprocName())
	zmqtest.RequireWorks(t, a, b)
	return nil
}

func trySendErrors(t *testing.T, report func(error)) {
	tryTraffic(t, syscall.SYS_SENDTO, report)
}

func tryRecvErrors(t *testing.T, report func(error)) {
	tryTraffic(t, syscall.SYS_RECVFROM, report)
}

// tryTraffic has connections that work, and then do not: libzmq meets the error in
// its thread. One that cannot send says nothing any more and stays, until heartbeats
// find that out.
func tryTraffic(t *testing.T, call uintptr, report func(error)) {
	zctx := zmqtest.NewContext(t)
	const soonEnough = 20 * time.Millisecond
	lively := []zmq.Setting{
		zmq.ReconnectInterval.To(time.Millisecond), zmq.HandshakeInterval.To(soonEnough),
		zmq.HeartbeatInterval.To(soonEnough), zmq.HeartbeatTimeout.To(soonEnough),
	}
	pull, push := zmqtest.NewSocket(t, zctx, zmq.Pull, lively...), zmqtest.NewSocket(t, zctx, zmq.Push, lively...)
	zmqtest.Connect(t, pull, push, "tcp://127.0.0.1:*")
	zmqtest.RequireWorks(t, push, pull)
	events := zmqtest.Monitor(t, push, zmq.EventConnected)
	for _, errno := range networkErrors {
		failCall(t, call, errno)
		_ = push.Send(context.Background(), []byte("meets the error"), zmq.DontWait)
		for range 2 { // connected anew, which meets the error too
			zmqtest.Until(t, events, zmq.EventConnected)
		}
		report(sound(t))
	}
	require.NoError(t, zctx.Close())
}

// tryConnectErrors connects where the system does not let it.
func tryConnectErrors(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	pull, push := zmqtest.NewSocket(t, zctx, zmq.Pull), zmqtest.NewSocket(t, zctx, zmq.Push, zmq.ReconnectInterval.To(time.Millisecond))
	require.NoError(t, pull.Bind("tcp://127.0.0.1:*"))
	endpoint := zmqtest.LastEndpoint(t, pull)
	events := zmqtest.Monitor(t, push, zmq.EventConnectRetried)
	for i, errno := range append([]syscall.Errno{syscall.EACCES, syscall.ENOMEM}, networkErrors...) {
		failCall(t, syscall.SYS_CONNECT, errno)
		if i == 0 {
			require.NoError(t, push.Connect(endpoint))
		}
		zmqtest.Until(t, events, zmq.EventConnectRetried)
		zmqtest.Until(t, events, zmq.EventConnectRetried)
		err := sound(t)
		if i > 1 {
			report(err)
		}
	}
	require.NoError(t, zctx.Close())
}

// tryFork starts programs while sockets are used. Go forks and executes at once, and
// nothing of libzmq's is open in the new program.
func tryFork(t *testing.T, report func(error)) {
	var all sync.WaitGroup
	stop := make(chan struct{})
	for _, endpoint := range []string{"tcp://127.0.0.1:*", "ipc://*", zmqtest.InprocName()} {
		a, b := zmqtest.Pair(t, zmq.Pair, zmq.Pair, endpoint)
		zmqtest.RequireWorks(t, a, b)
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
		open, err := exec.CommandContext(zmqtest.Within(t), "sh", "-c", "ls -l /proc/self/fd").Output()
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
