package aborts

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
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
func sound(t *testing.T) {
	t.Helper()
	a, b := zmqtest.Pair(t, zmq.Pair, zmq.Pair, zmqtest.InprocName())
	zmqtest.RequireWorks(t, a, b)
}

func trySendErrors(t *testing.T) { tryTraffic(t, syscall.SYS_SENDTO) }

func tryRecvErrors(t *testing.T) { tryTraffic(t, syscall.SYS_RECVFROM) }

// tryTraffic has connections that work, and then do not: libzmq meets the error in
// its thread. One that cannot send says nothing any more and stays, until heartbeats
// find that out.
func tryTraffic(t *testing.T, call uintptr) {
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
		sound(t)
	}
	require.NoError(t, zctx.Close())
}

// tryConnectErrors connects where the system does not let it.
func tryConnectErrors(t *testing.T) {
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
		sound(t)
	}
	require.NoError(t, zctx.Close())
}

// tryFork starts programs while sockets are used. Go forks and executes at once, and
// nothing of libzmq's is open in the new program.
func tryFork(t *testing.T) {
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
}

// tryHangUp lets raw peers fill a queue and reset the connection. The pauses give libzmq time to
// abort.
func tryHangUp(t *testing.T) {
	message, ping := zmqtest.Frame(0, []byte("x")), zmqtest.Command("PING", "\x00\x00")
	for _, kind := range []struct {
		typ      zmq.SocketType
		peer     string
		settings []zmq.Setting
		sent     []byte
	}{
		{zmq.Pull, "PUSH", []zmq.Setting{zmq.RecvHWM.To(10), zmq.HeartbeatInterval.To(100 * time.Millisecond)}, bytes.Repeat(message, 100)},
		{zmq.Pull, "PUSH", []zmq.Setting{zmq.RecvHWM.To(10)}, append(bytes.Repeat(message, 15), ping...)},
		{zmq.Push, "PULL", []zmq.Setting{zmq.HeartbeatInterval.To(100 * time.Millisecond)}, bytes.Repeat(message, 3000)},
		{zmq.Pub, "SUB", nil, append(bytes.Repeat(zmqtest.Frame(0, []byte("\x01t")), 1100), ping...)},
	} {
		zctx := zmqtest.NewContext(t)
		s := zmqtest.NewSocket(t, zctx, kind.typ, append(kind.settings, zmq.Linger.To(0))...)
		conn := zmqtest.DialRaw(t, s)
		_, err := conn.Write(append(zmqtest.Greeting(1, "NULL", 0), zmqtest.Command("READY", zmqtest.Property("Socket-Type", kind.peer))...))
		require.NoError(t, err)
		zmqtest.AwaitCommand(conn, true)
		_, err = conn.Write(kind.sent)
		require.NoError(t, err)
		time.Sleep(50 * time.Millisecond) // libzmq reads until the queue is full, and says nothing of it
		zmqtest.Reset(t, conn)
		time.Sleep(300 * time.Millisecond) // heartbeats are due
		for range 20 {
			if kind.typ == zmq.Pull {
				_, _ = s.RecvBytes(context.Background(), zmq.DontWait)
			} else {
				_ = s.Send(context.Background(), []byte("y"), zmq.DontWait)
			}
			time.Sleep(time.Millisecond) // libzmq goes on reading
		}
		require.NoError(t, s.Close())
	}
}

// tryClosedPeer is the same without malice: a PUSH sends more than fits, and closes. Over
// ipc all that it sent arrives, also of sizes of which what libzmq reads at once fills the
// queue only sometimes. Over tcp a heartbeat, or the answer to one, that comes to a closed
// socket makes the system there give up what it has not delivered.
func tryClosedPeer(t *testing.T) {
	for _, size := range []int{4, 3000} {
		for _, beats := range []zmq.SocketType{zmq.Pull, zmq.Push} {
			for _, endpoint := range []string{"ipc://" + filepath.Join(t.TempDir(), "s"), "tcp://127.0.0.1:*"} {
				require.NoError(t, closedPeer(t, size, beats, endpoint))
			}
		}
	}
}

func closedPeer(t *testing.T, size int, beats zmq.SocketType, endpoint string) error {
	const messages = 300
	pull := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Pull, zmq.RecvHWM.To(10))
	push := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Push, zmq.Linger.To(20*time.Second))
	for _, s := range []*zmq.Socket{pull, push} {
		if s.Type() == beats {
			require.NoError(t, s.Set(zmq.HeartbeatInterval.To(20*time.Millisecond), zmq.HeartbeatTimeout.To(20*time.Second)))
		}
	}
	zmqtest.Connect(t, push, pull, endpoint)
	for i := range messages {
		p := make([]byte, size)
		binary.BigEndian.PutUint32(p, uint32(i))
		require.NoError(t, push.Send(context.Background(), p))
		if beats == zmq.Push && i%10 == 0 {
			time.Sleep(5 * time.Millisecond) // a heartbeat among them
		}
	}
	require.NoError(t, push.Close())
	time.Sleep(100 * time.Millisecond) // heartbeats are due
	ctx := zmqtest.Within(t)
	tcp := strings.HasPrefix(endpoint, "tcp:")
	if tcp {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
	}
	for i := range messages {
		got, err := pull.RecvBytes(ctx)
		if tcp && errors.Is(err, context.DeadlineExceeded) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("message %d of %d: %w", i, messages, err)
		}
		if n := binary.BigEndian.Uint32(got); n != uint32(i) {
			return fmt.Errorf("got %d as message %d", n, i)
		}
		if i%8 == 0 {
			time.Sleep(time.Millisecond) // a slow receiver, whose queue fills again
		}
	}
	return nil
}

func tryClosing(t *testing.T) {
	testutil.StartThreads()
	zctx := zmqtest.NewContext(t)
	list := draftSockets(t, zctx, zmq.Server, zmq.Client, zmq.Radio, zmq.Dish, zmq.Gather, zmq.Scatter)
	require.NoError(t, list[1].Set(zmq.ReconnectInterval.To(-1)))
	zmqtest.Connect(t, list[0], list[1], "tcp://127.0.0.1:*")
	for _, s := range list[:2] { // a connection that begins later could take what the reaper needs
		require.NoError(t, s.WaitConnected(t.Context(), 1))
	}
	give := testutil.LeaveDescriptors(t, 0)
	for _, s := range list {
		require.NoError(t, s.Close())
	}
	done := make(chan error, 1)
	go func() { done <- zctx.Close() }()
	select {
	case err := <-done:
		give()
		require.NoError(t, err)
	case <-time.After(30 * time.Second):
		t.Fatal("the context does not close")
	}
}

func tryUDPDescriptors(t *testing.T) {
	testutil.StartThreads()
	list := draftSockets(t, zmqtest.NewContext(t), zmq.Dish, zmq.Dgram, zmq.Radio)
	endpoint := "udp://" + zmqtest.UDPAddress(t).String()
	give := testutil.LeaveDescriptors(t, 2)
	bindDish, bindDgram, connectRadio := list[0].Bind(endpoint), list[1].Bind(endpoint), list[2].Connect(endpoint)
	give()
	refused(t, bindDish, syscall.EMFILE, "bind", "udp://", "ulimit -n")
	refused(t, bindDgram, syscall.EMFILE, "bind", "udp://", "ulimit -n")
	refused(t, connectRadio, syscall.EMFILE, "connect", "udp://", "ulimit -n")
	zmqtest.Connect(t, list[0], list[2], endpoint)
	require.NoError(t, list[0].Join("g"))
	zmqtest.RequireJoined(t, list[2], list[0], "g")
}

// tryPriority asks for what only the administrator of a network may have.
func tryPriority(t *testing.T) {
	testutil.StartThreads()
	unprivileged(t)
	a, b := zmqtest.Pair(t, zmq.Pair, zmq.Pair, zmqtest.InprocName())
	if zmq.Has("draft") {
		refused(t, a.Set(zmq.Priority.To(7)), syscall.EPERM, "PRIORITY", "CAP_NET_ADMIN")
	}
	supported(t, a.Set(zmq.Priority.To(6)), zmq.Has("draft"), "PRIORITY", "GOZMQ_LIBRARY")
	zmqtest.Connect(t, a, b, "tcp://127.0.0.1:*")
}

// tryStrayDatagrams sends a DISH what no RADIO sends.
func tryStrayDatagrams(t *testing.T) {
	list := draftSockets(t, zmqtest.NewContext(t), zmq.Dish, zmq.Radio)
	dish, radio := list[0], list[1]
	to := zmqtest.UDPAddress(t)
	zmqtest.Connect(t, dish, radio, "udp://"+to.String())
	require.NoError(t, dish.Join("g"))
	zmqtest.RequireJoined(t, radio, dish, "g")
	conn, err := net.Dial("udp", to.String())
	require.NoError(t, err)
	for _, stray := range []string{"", "\x80", "\xff", "\xff group and body", "\x05cut", "\x7f", strings.Repeat("\x81", 8192), strings.Repeat("\xfe", 20000)} {
		for range 20 {
			_, err := conn.Write([]byte(stray))
			require.NoError(t, err)
		}
		zmqtest.RequireJoined(t, radio, dish, "g")
	}
	require.NoError(t, conn.Close())
}
