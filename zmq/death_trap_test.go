//go:build unix

package zmq_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// What libzmq accepts without a word, and then does something else.
var trapDeaths = []death{
	{"trap ports that libzmq misreads", dieOfPorts, append(
		times(2*len(misreadPorts), want(syscall.EINVAL, "tcp://127.0.0.1:", "port")),
		times(2, want(syscall.EINVAL, "connect", "tcp://127.0.0.1:", "for Bind"))...)},
	{"trap ipc bind that deletes a file", dieOfDeletedFile, times(4, want(syscall.EEXIST, "bind", "ipc://", "not a socket", "delete"))},
	{"trap MaxMessageSize below zero", dieOfMaxMessageSize, times(2, want(syscall.EINVAL, "MAXMSGSIZE", "-1 to"))},
	{"trap RecvHWM of 1 with authentication", dieOfTightHWM, times(2, want(syscall.EINVAL, "bind", "tcp://127.0.0.1:*", "RecvHWM"))},
	{"trap SendHWM of a SUB", dieOfLimitedSubscriptions, times(2, want(syscall.EINVAL, "SNDHWM", "subscriptions", "RecvHWM"))},
	{"trap keep-alive times that the system refuses", dieOfKeepalive, []wanted{
		want(syscall.EINVAL, "TCP_KEEPALIVE_IDLE", "negative"),
		want(syscall.EINVAL, "TCP_KEEPALIVE_IDLE", "allowed are"),
		want(syscall.EINVAL, "TCP_KEEPALIVE_IDLE", "negative"),
		want(syscall.EINVAL, "TCP_KEEPALIVE_INTVL", "negative"),
		want(syscall.EINVAL, "TCP_KEEPALIVE_CNT", "negative"),
	}},
}

var misreadPorts = []string{"99999", "65536", "5x", "x5", "+5", "-5", "5 ", " 5", "0x50", "080", "1e3", "", "18446744073709551617"}

func dieOfPorts(t *testing.T, report func(error)) {
	s := newSocket(t, newContext(t), zmq.Dealer)
	for _, port := range misreadPorts {
		report(s.Bind("tcp://127.0.0.1:" + port))
		report(s.Connect("tcp://127.0.0.1:" + port))
	}
	for _, port := range []string{"*", "0"} {
		report(s.Connect("tcp://127.0.0.1:" + port))
	}
}

// dieOfDeletedFile binds where something else is.
func dieOfDeletedFile(t *testing.T, report func(error)) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("file", []byte("precious"), 0o600))
	require.NoError(t, os.Symlink("file", "link"))
	require.NoError(t, os.Mkdir("directory", 0o700))
	require.NoError(t, os.WriteFile("@file", []byte("precious"), 0o600))
	zctx := newContext(t)
	s := newSocket(t, zctx, zmq.Pull)
	for _, path := range []string{"file", "link", "directory", "@file"} {
		report(s.Bind("ipc://" + path))
	}
	for _, path := range []string{"file", "link", "@file"} {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "precious", string(content))
	}
	// A socket that an earlier process has left is no obstacle.
	left, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "left")
	require.NoError(t, syscall.Bind(left, &syscall.SockaddrUnix{Name: path}))
	require.NoError(t, syscall.Close(left))
	require.NoError(t, s.Bind("ipc://"+path))
	push := newSocket(t, zctx, zmq.Push)
	require.NoError(t, push.Connect("ipc://"+path))
	requireWorks(t, push, s)
}

func dieOfMaxMessageSize(t *testing.T, report func(error)) {
	s := newSocket(t, newContext(t), zmq.Pull, zmq.MaxMessageSize.To(-1))
	report(s.Set(zmq.MaxMessageSize.To(-5)))
	report(s.Set(zmq.OptionByNumber[int64](22).To(-5)))
	size, err := zmq.MaxMessageSize.Get(s)
	require.NoError(t, err)
	require.EqualValues(t, -1, size)
}

func dieOfLimitedSubscriptions(t *testing.T, report func(error)) {
	sub := newSocket(t, newContext(t), zmq.Sub)
	report(sub.Set(zmq.SendHWM.To(1)))
	report(sub.Set(zmq.OptionByNumber[int](23).To(1000)))
	require.NoError(t, sub.Set(zmq.SendHWM.To(0)))
}

func dieOfTightHWM(t *testing.T, report func(error)) {
	zctx := newContext(t)
	s := newSocket(t, zctx, zmq.Pull, zmq.PlainServer.To(true), zmq.ZapDomain.To("d"), zmq.RecvHWM.To(1))
	report(s.Bind("tcp://127.0.0.1:*"))
	s = newSocket(t, zctx, zmq.Pull, zmq.RecvHWM.To(1), zmq.ZapDomain.To("d"))
	report(s.Bind("tcp://127.0.0.1:*"))
}

func dieOfKeepalive(t *testing.T, report func(error)) {
	s := newSocket(t, newContext(t), zmq.Pull)
	report(s.Set(zmq.TCPKeepaliveIdle.To(0)))
	report(s.Set(zmq.TCPKeepaliveIdle.To(32768 * time.Second)))
	report(s.Set(zmq.OptionByNumber[int](36).To(0)))
	report(s.Set(zmq.TCPKeepaliveInterval.To(0)))
	report(s.Set(zmq.TCPKeepaliveCount.To(0)))
}
