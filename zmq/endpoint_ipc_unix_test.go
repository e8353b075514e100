//go:build unix

package zmq

import (
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIPCKeepsFiles(t *testing.T) {
	dir := shortTempDir(t)
	t.Chdir(dir)
	zctx := optionContext(t)
	s := optionSocket(t, zctx, Pull)
	require.NoError(t, os.WriteFile("data", []byte("precious"), 0o600))
	require.NoError(t, os.WriteFile("@abstract", []byte("precious"), 0o600))
	require.NoError(t, os.Symlink("data", "link"))
	require.NoError(t, os.Mkdir("dir", 0o700))
	require.NoError(t, syscall.Mkfifo("fifo", 0o600))
	for _, path := range []string{"data", "./data", dir + "/data", "@abstract", "link", "dir", "fifo"} {
		requireRefused(t, s.Bind("ipc://"+path), syscall.EEXIST, "delete")
		require.NoError(t, errOf(os.Lstat(path)))
	}
	require.Equal(t, "precious", string(noErr(os.ReadFile("data"))(t)))

	// The file that an earlier run left is a socket, and replaced.
	listener := noErr(net.ListenUnix("unix", &net.UnixAddr{Name: "left", Net: "unix"}))(t)
	listener.SetUnlinkOnClose(false)
	require.NoError(t, listener.Close())
	require.NoError(t, s.Bind("ipc://left"))
	require.NoError(t, s.Bind("ipc://relative"))
	require.NoError(t, s.Bind("ipc://./*star"))
}
