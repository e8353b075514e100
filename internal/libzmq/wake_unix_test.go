//go:build unix

package libzmq

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// newWake returns a descriptor that C code can wake a reader with, and waits for it.
func newWake(t *testing.T) (fd int, wait func()) {
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() {
		reader.Close()
		writer.Close()
	})
	conn, err := writer.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, conn.Control(func(n uintptr) { fd = int(n) }))
	var buf [16]byte
	return fd, func() {
		_, err := reader.Read(buf[:])
		require.NoError(t, err)
	}
}
