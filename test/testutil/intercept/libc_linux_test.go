//go:build !asan && !zmq_static

package intercept_test

import (
	"context"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/intercept"
	"github.com/go-zmq/go-zmq/zmq"
)

// Not with AddressSanitizer, which replaces such functions and must be the first library.

// The program defines none of the functions of the C library that the guard redirects.
func TestProgramReplacesNothing(t *testing.T) {
	require.True(t, zmq.Has("ipc"), "libzmq is not loaded")
	program, err := elf.Open("/proc/self/exe")
	require.NoError(t, err)
	defer program.Close()
	symbols, err := program.DynamicSymbols()
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == "recvfrom" }))
	for _, s := range symbols {
		if slices.Contains([]string{"accept4", "epoll_ctl", "epoll_wait", "eventfd", "recvfrom"}, s.Name) {
			require.Equal(t, elf.SHN_UNDEF, s.Section, s.Name)
		}
	}
}

// libzmq calls a preloaded wrapper through the guard, and other code calls it directly.
func TestPreloadedWrapperIsCalled(t *testing.T) {
	if intercept.LibcCalls("accept4") < 0 {
		again(t)
		return
	}
	require.Equal(t, runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64", zmq.Has("guard"))
	exchange(t)
	for _, function := range []string{"accept4", "epoll_ctl", "epoll_wait"} {
		require.Positive(t, intercept.LibcCalls(function), function)
	}
	require.Zero(t, intercept.LibcCalls("recvfrom"))
	intercept.CallRecvfrom()
	require.Equal(t, 1, intercept.LibcCalls("recvfrom"))
}

// again runs the test in a process that preloads the wrapper.
func again(t *testing.T) {
	t.Helper()
	library := filepath.Join(t.TempDir(), "count.so")
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	out, err := exec.Command(cc, "-shared", "-fPIC", "-o", library, "testdata/count.c", "-ldl").CombinedOutput()
	require.NoError(t, err, "%s", out)
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "LD_PRELOAD="+library)
	out, err = cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// exchange sends a message over ipc.
func exchange(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	pull, err := zctx.NewSocket(zmq.Pull)
	require.NoError(t, err)
	push, err := zctx.NewSocket(zmq.Push)
	require.NoError(t, err)
	endpoint := "ipc://" + filepath.Join(t.TempDir(), "socket")
	require.NoError(t, pull.Bind(endpoint))
	require.NoError(t, push.Connect(endpoint))
	require.NoError(t, push.SendString(ctx, "hello"))
	text, err := pull.RecvString(ctx)
	require.NoError(t, err)
	require.Equal(t, "hello", text)
	require.NoError(t, zctx.Close())
}
