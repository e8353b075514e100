//go:build !race && !asan

package replay_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/replay"
)

// Publish allocates nothing once the memory of the Publisher has its size, whatever the
// sizes of the messages. The race detector and AddressSanitizer make allocations of their
// own, so this runs without them.
func TestPublishAllocatesNothing(t *testing.T) {
	zctx := newContext(t)
	p := newPublisher(t, zctx, "inproc", replay.PublisherConfig{KeepMessages: 100, KeepBytes: 1 << 20})
	sub := newSocket(t, zctx, zmq.Sub, zmq.Subscribe.To(""))
	require.NoError(t, sub.Connect(p.endpoints[0]))
	payload := make([]byte, 50_000)
	n := 0
	publish := func() {
		n++
		if _, err := p.Publish(context.Background(), payload[:n*7919%len(payload)]); err != nil {
			t.Error(err)
		}
	}
	for range 1000 {
		publish()
	}
	require.Zero(t, testing.AllocsPerRun(1000, publish))
}
