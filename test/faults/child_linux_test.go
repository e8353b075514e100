//go:build linux && !asan

package faults_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

const (
	pointVariable = "GOZMQ_TEST_FAULT" // tells a child its point
	outcomePrefix = "outcome: "
	childTicks    = 20 * 15 // 15 s in all, for a child that takes less than one
)

// TestPoint is what children run; by itself it does nothing.
func TestPoint(t *testing.T) {
	p, shared := childPoint(t)
	if shared == nil {
		return
	}
	i := slices.IndexFunc(scenarios, func(s scenario) bool { return s.name == p.Scenario })
	require.GreaterOrEqual(t, i, 0, p.Scenario)

	bystanders := newPair(t)
	ctx, cancel := patience(childTicks)
	defer cancel()
	bystanders.work(t, ctx)

	x := &trial{ctx: ctx, made: func() {}, broken: make(chan error, 1)}
	undo := inject(t, shared, p, x)
	errs := attempt(x, scenarios[i].run)
	undo()

	for _, err := range errs {
		requireTyped(t, err)
	}
	bystanders.work(t, ctx)
	newPair(t).work(t, ctx)
	_, err := fmt.Fprintf(os.Stdout, "%s%v\n", outcomePrefix, errors.Join(errs...))
	require.NoError(t, err)
}

// childPoint tells a child its point, and prepares for it; a process that is none gets
// no control.
func childPoint(t *testing.T) (point, *control) {
	t.Helper()
	text := os.Getenv(pointVariable)
	if text == "" {
		return point{}, nil
	}
	shared, err := openControl(os.Getenv(controlVariable))
	require.NoError(t, err)
	t.Cleanup(shared.close)
	require.Positive(t, shared.loaded, "the preload library is not there")
	require.True(t, zmq.Has("ipc"), "libzmq is loaded")
	shared.locate(t)
	shared.set(modeLearning)
	testutil.StartThreads()
	shared.set(modeOff)
	return parsePoint(t, text), shared
}

// inject lets a point's failure happen from now on, or from when the scenario has made
// its sockets, until undo is called.
func inject(t *testing.T, shared *control, p point, x *trial) (undo func()) {
	t.Helper()
	switch p.Function {
	case descriptors:
		shared.hits++
		return testutil.LeaveDescriptors(t, p.N)
	case descriptorsLater:
		give := func() {}
		x.made = func() {
			shared.hits++
			give = testutil.LeaveDescriptors(t, p.N)
		}
		return func() { give() }
	case addressSpace:
		shared.hits++
		return testutil.LeaveAddressSpace(t, addressStep(p.N))
	}
	shared.set(modeArmed)
	return func() { shared.set(modeOff) }
}

// requireTyped wants what the library's users are promised.
func requireTyped(t *testing.T, err error) {
	t.Helper()
	require.NotErrorIs(t, err, errStuck)
	var typed *zmq.Error
	require.ErrorAs(t, err, &typed)
	require.NotEmpty(t, typed.Op)
	require.NotZero(t, typed.Errno, "%v", err)
}

// addressStep is how many bytes the n-th step leaves: none, then from 64 KiB to 256 MiB.
func addressStep(n int) uint64 {
	if n == 0 {
		return 0
	}
	return uint64(65536 * math.Pow(2, float64(n-1)/2))
}

// A pair of sockets that have nothing to do with what fails.
type pair struct{ push, pull *zmq.Socket }

func newPair(t *testing.T) pair {
	t.Helper()
	pull, push := zmqtest.Pair(t, zmq.Pull, zmq.Push, "tcp://127.0.0.1:*")
	return pair{push, pull}
}

func (p pair) work(t *testing.T, ctx context.Context) {
	t.Helper()
	require.NoError(t, p.push.Send(ctx, []byte("does it work?")))
	got, err := p.pull.RecvBytes(ctx)
	require.NoError(t, err)
	require.Equal(t, "does it work?", string(got))
}

// A disk without room for the file of an ipc socket is an error that names it.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	library := preload(t)
	t.Run("a tmpfs", func(t *testing.T) {
		t.Parallel()
		said, err := runChild(t, library, "TestFullDiskChild", point{Scenario: "disk", Function: "tmpfs"}, func(c *control, cmd *exec.Cmd) {
			c.function = -1
			cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
			cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
		})
		if errors.Is(err, syscall.EPERM) || strings.Contains(said, "operation not permitted") {
			t.Skip("no user namespaces here; the library answers for a full disk in the other test")
		}
		require.NoError(t, err, "%s", said)
	})
	t.Run("bind", func(t *testing.T) {
		t.Parallel()
		said, err := runChild(t, library, "TestFullDiskChild", point{Scenario: "disk", Function: "bind"}, func(c *control, _ *exec.Cmd) {
			c.fail("bind", syscall.ENOSPC, 1, 1)
		})
		require.NoError(t, err, "%s", said)
	})
}

// TestFullDiskChild is what the children run; by itself it does nothing.
func TestFullDiskChild(t *testing.T) {
	p, shared := childPoint(t)
	if shared == nil {
		return
	}
	dir := filepath.Join(t.TempDir(), "full")
	require.NoError(t, os.Mkdir(dir, 0o700))
	mount := func(flags uintptr, options string) {
		if p.Function == "tmpfs" {
			require.NoError(t, syscall.Mount("none", dir, "tmpfs", flags, options), "mount")
		}
	}
	ctx, cancel := patience(childTicks)
	defer cancel()
	bystanders := newPair(t)
	mount(0, "nr_inodes=1") // which the directory itself takes
	if p.Function == "tmpfs" {
		t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	}
	zctx := zmqtest.NewContext(t)
	pull, push := zmqtest.NewSocket(t, zctx, zmq.Pull), zmqtest.NewSocket(t, zctx, zmq.Push)
	endpoint := "ipc://" + dir + "/socket"

	shared.set(modeArmed)
	err := pull.Bind(endpoint)
	shared.set(modeOff)
	requireTyped(t, err)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ErrorContains(t, err, endpoint)
	bystanders.work(t, ctx)

	// The socket can be bound once there is room.
	mount(syscall.MS_REMOUNT, "nr_inodes=100")
	require.NoError(t, pull.Bind(endpoint))
	require.NoError(t, push.Connect(endpoint))
	pair{push, pull}.work(t, ctx)
	require.NoError(t, zctx.CloseContext(ctx))
}

// A name server that does not answer delays only the sockets that share an I/O thread with
// the connection that needs it.
func TestSlowNames(t *testing.T) {
	t.Parallel()
	said, err := runChild(t, preload(t), "TestSlowNamesChild", point{Scenario: "names", Function: "getaddrinfo"}, func(c *control, _ *exec.Cmd) {
		c.fail("getaddrinfo", syscall.EAGAIN, 1, 1<<40)
		c.hold = 1
	})
	require.NoError(t, err, "%s", said)
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
		zmqtest.Connect(t, pull, push, endpoint)
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
