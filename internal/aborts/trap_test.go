//go:build unix

package aborts

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

var misreadPorts = []string{"99999", "65536", "5x", "x5", "+5", "-5", "5 ", " 5", "0x50", "080", "1e3", "", "18446744073709551617"}

func tryPorts(t *testing.T, report func(error)) {
	s := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Dealer)
	for _, port := range misreadPorts {
		report(s.Bind("tcp://127.0.0.1:" + port))
		report(s.Connect("tcp://127.0.0.1:" + port))
	}
	for _, port := range []string{"*", "0"} {
		report(s.Connect("tcp://127.0.0.1:" + port))
	}
}

// tryDeletedFile binds where something else is.
func tryDeletedFile(t *testing.T, report func(error)) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("file", []byte("precious"), 0o600))
	require.NoError(t, os.Symlink("file", "link"))
	require.NoError(t, os.Mkdir("directory", 0o700))
	require.NoError(t, os.WriteFile("@file", []byte("precious"), 0o600))
	zctx := zmqtest.NewContext(t)
	s := zmqtest.NewSocket(t, zctx, zmq.Pull)
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
	push := zmqtest.NewSocket(t, zctx, zmq.Push)
	require.NoError(t, push.Connect("ipc://"+path))
	zmqtest.RequireWorks(t, push, s)
}

func tryMaxMessageSize(t *testing.T, report func(error)) {
	s := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Pull, zmq.MaxMessageSize.To(-1))
	report(s.Set(zmq.MaxMessageSize.To(-5)))
	report(s.Set(zmq.OptionByNumber[int64](22).To(-5)))
	size := zmqtest.Get(t, zmq.MaxMessageSize, s)
	require.EqualValues(t, -1, size)
}

func tryLimitedSubscriptions(t *testing.T, report func(error)) {
	sub := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Sub)
	report(sub.Set(zmq.SendHWM.To(1)))
	report(sub.Set(zmq.OptionByNumber[int](23).To(1000)))
	require.NoError(t, sub.Set(zmq.SendHWM.To(0)))
}

func tryTightHWM(t *testing.T, report func(error)) {
	zctx := zmqtest.NewContext(t)
	s := zmqtest.NewSocket(t, zctx, zmq.Pull, zmq.PlainServer.To(true), zmq.ZapDomain.To("d"), zmq.RecvHWM.To(1))
	report(s.Bind("tcp://127.0.0.1:*"))
	s = zmqtest.NewSocket(t, zctx, zmq.Pull, zmq.RecvHWM.To(1), zmq.ZapDomain.To("d"))
	report(s.Bind("tcp://127.0.0.1:*"))
}

func tryKeepalive(t *testing.T, report func(error)) {
	s := zmqtest.NewSocket(t, zmqtest.NewContext(t), zmq.Pull)
	report(s.Set(zmq.TCPKeepaliveIdle.To(0)))
	report(s.Set(zmq.TCPKeepaliveIdle.To(32768 * time.Second)))
	report(s.Set(zmq.OptionByNumber[int](36).To(0)))
	report(s.Set(zmq.TCPKeepaliveInterval.To(0)))
	report(s.Set(zmq.TCPKeepaliveCount.To(0)))
}
