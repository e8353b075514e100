//go:build !race && !asan

package request_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/request"
)

// A request allocates its reply and nothing else. The race detector and
// AddressSanitizer make allocations of their own, so this runs without them.
func TestRequestAllocatesItsReply(t *testing.T) {
	zctx := newContext(t)
	router := newSocket(t, zctx, zmq.Router)
	endpoint := bind(t, router, "inproc://allocations")
	done := make(chan struct{})
	go func() { // an echo that allocates nothing
		defer close(done)
		var m zmq.Multipart
		defer func() { _ = m[:cap(m)].Close() }()
		for router.RecvMultipartMessage(context.Background(), &m) == nil {
			if err := router.SendMultipartMessage(context.Background(), m); err != nil {
				t.Error(err)
			}
		}
	}()
	client := dial(t, zctx, endpoint, request.Config{Attempts: 3, Timeout: time.Minute})
	ctx := within(t, time.Minute)
	header, body := []byte("header"), make([]byte, 500)
	got := testing.AllocsPerRun(500, func() {
		if _, err := client.Request(ctx, header, body); err != nil {
			t.Error(err)
		}
	})
	require.LessOrEqual(t, got, 2.0)
	require.NoError(t, router.Close())
	<-done
}
