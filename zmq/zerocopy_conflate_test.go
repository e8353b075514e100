//go:build !asan

// Not under AddressSanitizer, whose leak detector finds the messages that libzmq itself
// loses when it conflates: that is why they must not be lent.

package zmq_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

func TestZeroCopyToConflatingReceiver(t *testing.T) {
	t.Parallel()
	zctx, err := zmq.NewContext()
	require.NoError(t, err)
	pull, push := newSocket(t, zctx, zmq.Pull, zmq.Conflate.To(true)), newSocket(t, zctx, zmq.Push)
	connect(t, push, pull, inprocName())
	var released sync.WaitGroup
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		var m zmq.Message
		for pull.RecvMessage(context.Background(), &m) == nil {
		}
		_ = m.Close()
	}()
	const messages = 50000
	released.Add(messages)
	p := payload(100)
	for range messages {
		m, err := zmq.NewMessageZeroCopy(p, released.Done)
		require.NoError(t, err)
		require.NoError(t, push.SendMessage(context.Background(), m))
	}
	require.NoError(t, pull.Close())
	<-stop
	require.NoError(t, zctx.Close())
	done := make(chan struct{})
	go func() { released.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		require.Fail(t, "libzmq lost some of the messages")
	}
}
