//go:build !race && !asan

package zmq_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// A message goes through a proxy, which parks before each, without an allocation.
func TestProxyAllocatesNothing(t *testing.T) {
	zctx := newContext(t)
	b := newBridge(t, zctx, inprocName, [4]zmq.SocketType{zmq.Dealer, zmq.Dealer, zmq.Dealer, zmq.Dealer})
	capture, copies := newSocket(t, zctx, zmq.Push), newSocket(t, zctx, zmq.Pull)
	connect(t, capture, copies, inprocName())
	startProxy(t, b.front, b.back, capture)
	parts := [][]byte{payload(10), payload(64), payload(3000)}
	buf := make([]byte, 3000)
	failed := error(nil)
	take := func(s *zmq.Socket) {
		for more := true; more && failed == nil; more = s.RecvMore() {
			_, failed = s.Recv(context.Background(), buf)
		}
	}
	there := func() {
		if err := b.near.SendMultipart(context.Background(), parts); err != nil {
			failed = err
		}
		take(b.far)
		take(copies)
	}
	for range 100 {
		there()
	}
	require.LessOrEqual(t, testing.AllocsPerRun(500, there), 0.0)
	require.NoError(t, failed)
}
