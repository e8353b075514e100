//go:build linux

package zmq

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
)

// Goroutines that close their sockets at the same time do not block a thread each, which Go would
// keep for the rest of the process.
func TestManyClosesNeedFewThreads(t *testing.T) {
	const processors = 16
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	zctx := noErr(NewContext(MaxSockets.To(20_000)))(t)
	defer func() { require.NoError(t, zctx.Close()) }()
	pull := noErr(zctx.NewSocket(Pull))(t)
	require.NoError(t, pull.Bind("tcp://127.0.0.1:*"))
	at := noErr(pull.LastEndpoint())(t)
	sockets := make([]*Socket, testutil.Scaled(1500))
	for i := range sockets {
		sockets[i] = noErr(zctx.NewSocket(Push))(t)
		require.NoError(t, sockets[i].Connect(at))
		require.NoError(t, sockets[i].SendString(context.Background(), "x"))
	}
	before := threads(t)
	start := make(chan struct{})
	var group sync.WaitGroup
	for _, s := range sockets {
		group.Go(func() {
			<-start
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	close(start)
	group.Wait()
	// Go starts a thread for each of its processors when it is busy.
	require.LessOrEqual(t, threads(t)-before, processors+8)
}
