package zmq_test

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// hostsFile is set in the process that TestConnectUnknownHost starts.
const hostsFile = "GOZMQ_TEST_HOSTS"

// Connect accepts a host name that does not exist yet. libzmq retries, a monitor shows the
// retries, and messages flow once the name exists. The test runs in a process with
// /etc/hosts and /etc/resolv.conf of its own.
func TestConnectUnknownHost(t *testing.T) {
	if os.Getenv(hostsFile) != "" {
		testConnectUnknownHost(t, os.Getenv(hostsFile))
		return
	}
	t.Parallel()
	dir := t.TempDir()
	hosts := filepath.Join(dir, "hosts")
	require.NoError(t, os.WriteFile(hosts, nil, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "resolv.conf"), []byte("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"), 0o644))
	child := exec.Command(os.Args[0], "-test.run=^TestConnectUnknownHost$", "-test.v")
	child.Env = append(os.Environ(), hostsFile+"="+hosts)
	child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	output, err := child.CombinedOutput()
	if errors.Is(err, syscall.EPERM) {
		t.Skip("a mount namespace needs root: ", err)
	}
	require.NoError(t, err, "%s", output)
	require.Contains(t, string(output), "--- PASS: TestConnectUnknownHost")
}

func testConnectUnknownHost(t *testing.T, hosts string) {
	require.NoError(t, syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""))
	require.NoError(t, syscall.Mount(hosts, "/etc/hosts", "", syscall.MS_BIND, ""))
	require.NoError(t, syscall.Mount(filepath.Join(filepath.Dir(hosts), "resolv.conf"), "/etc/resolv.conf", "", syscall.MS_BIND, ""))
	ctx := timeout(t, time.Minute)

	zctx := newContext(t)
	pull := newSocket(t, zctx, zmq.Pull)
	require.NoError(t, pull.Bind("tcp://127.0.0.1:*"))
	endpoint := last(t, pull)
	_, port, err := net.SplitHostPort(endpoint[len("tcp://"):])
	require.NoError(t, err)

	push := newSocket(t, zctx, zmq.Push, zmq.ReconnectInterval.To(10*time.Millisecond))
	monitor := noErr(push.Monitor(zmq.EventConnectRetried))(t)
	defer monitor.Close()
	require.NoError(t, push.Connect("tcp://later.example:"+port))
	require.NoError(t, push.SendString(ctx, "hello"))
	for range 2 {
		require.Equal(t, zmq.EventConnectRetried, noErr(monitor.Next(ctx))(t).Event)
	}

	require.NoError(t, os.WriteFile(hosts, []byte("127.0.0.1 later.example\n"), 0o644))
	require.Equal(t, "hello", noErr(pull.RecvString(ctx))(t))
}
