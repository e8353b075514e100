//go:build linux && !asan

package bystander_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq/bystander"
)

// A thread that waits in a function of the C library's can be cancelled.
// AddressSanitizer reports the stack of a canceled thread, which it does not unwind, so the
// test runs without it.
func TestOthersThreadsAreCancelled(t *testing.T) {
	for name, wait := range map[string]bystander.Wait{"recvfrom": bystander.RecvFrom, "accept4": bystander.Accept4, "epoll_wait": bystander.EpollWait} {
		ended, err := bystander.Cancel(wait)
		require.NoError(t, err, name)
		require.True(t, ended, "%s cannot be cancelled", name)
	}
}
