//go:build linux && !asan

package faults_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
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
	startThreads()
	shared.set(modeOff)
	return parsePoint(t, text), shared
}

// inject lets a point's failure happen from now on, or from when the scenario has made
// its sockets, until undo is called.
func inject(t *testing.T, shared *control, p point, x *trial) (undo func()) {
	t.Helper()
	switch p.Function {
	case descriptors:
		return leaveDescriptors(t, shared, p.N)
	case descriptorsLater:
		give := func() {}
		x.made = func() { give = leaveDescriptors(t, shared, p.N) }
		return func() { give() }
	case addressSpace:
		return leaveAddressSpace(t, shared, p.N)
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

// startThreads has Go's runtime start the threads that it may need, and in doing so
// call what it calls.
func startThreads() {
	_, _, _ = syscall.Syscall(syscall.SYS_GETPID, 0, 0, 0)
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
}

// leaveDescriptors takes all file descriptors but n.
func leaveDescriptors(t *testing.T, shared *control, n int) (give func()) {
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
	for range n {
		last := len(taken) - 1
		require.NoError(t, syscall.Close(taken[last]))
		taken = taken[:last]
	}
	shared.hits++
	return func() {
		for _, fd := range taken {
			_ = syscall.Close(fd)
		}
		_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before)
	}
}

// leaveAddressSpace lets the process have n steps of memory more than it has.
func leaveAddressSpace(t *testing.T, shared *control, n int) (give func()) {
	t.Helper()
	statm, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	var pages uint64
	_, err = fmt.Sscan(string(statm), &pages)
	require.NoError(t, err)
	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_AS, &before))
	most := pages*uint64(os.Getpagesize()) + addressStep(n)
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: most, Max: before.Max}))
	shared.hits++
	return func() { _ = syscall.Setrlimit(syscall.RLIMIT_AS, &before) }
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
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, zctx.Close())
		require.Zero(t, core.Rescues(), "the watchdog found a forgotten waiter")
	})
	pull, err := zctx.NewSocket(zmq.Pull)
	require.NoError(t, err)
	push, err := zctx.NewSocket(zmq.Push, zmq.Linger.To(0))
	require.NoError(t, err)
	require.NoError(t, pull.Bind("tcp://127.0.0.1:*"))
	endpoint := zmqtest.LastEndpoint(t, pull)
	require.NoError(t, push.Connect(endpoint))
	return pair{push, pull}
}

func (p pair) work(t *testing.T, ctx context.Context) {
	t.Helper()
	require.NoError(t, p.push.Send(ctx, []byte("does it work?")))
	got, err := p.pull.RecvBytes(ctx)
	require.NoError(t, err)
	require.Equal(t, "does it work?", string(got))
}
