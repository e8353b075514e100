package bystander_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/libzmq/bystander"
)

func TestMain(m *testing.M) {
	if err := libzmq.Load(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// recvfrom may be given no buffer, to learn the size of what comes next.
func TestOthersRecvFromWithoutBuffer(t *testing.T) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	defer syscall.Close(fd)
	require.NoError(t, syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	here, err := syscall.Getsockname(fd)
	require.NoError(t, err)
	require.NoError(t, syscall.Sendto(fd, []byte("hello"), 0, here))
	for range 2 {
		n, err := bystander.NextSize(fd)
		require.NoError(t, err)
		require.Equal(t, 5, n)
	}
}
