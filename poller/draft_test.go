//go:build unix

package poller_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

// These types report Out without a peer, as libzmq does.
func TestDraftTypesAlwaysOut(t *testing.T) {
	if !zmq.Has("draft") {
		return
	}
	for typ, want := range map[zmq.SocketType]int{zmq.Radio: 1, zmq.Server: 1, zmq.Peer: 1, zmq.Client: 0, zmq.Scatter: 0} {
		p := newPoller(t)
		require.NoError(t, p.Add(newSocket(t, newContext(t), typ), poller.Out))
		ready, err := p.Poll(0)
		require.NoError(t, err)
		require.Len(t, ready, want, typ)
	}
}

// The thread-safe types have no ZMQ_FD. A libzmq that has them also has the replacement
// for it, which a Poller and a waiting receive use.
func TestPollDraftTypes(t *testing.T) {
	for _, types := range [][2]zmq.SocketType{{zmq.Client, zmq.Server}, {zmq.Scatter, zmq.Gather}} {
		for _, transport := range []string{"tcp", "ipc"} {
			t.Run(fmt.Sprintf("%v/%s", types[0], transport), func(t *testing.T) {
				zctx := newContext(t)
				if !zmq.Has("draft") {
					_, err := zctx.NewSocket(types[0])
					require.ErrorIs(t, err, zmq.ErrNotSupported)
					return
				}
				from, to := newSocket(t, zctx, types[0]), newSocket(t, zctx, types[1])
				endpoint := "tcp://127.0.0.1:*"
				if transport == "ipc" {
					endpoint = "ipc://" + filepath.Join(t.TempDir(), "s")
				}
				require.NoError(t, to.Bind(endpoint))
				bound := zmqtest.LastEndpoint(t, to)
				require.NoError(t, from.Connect(bound))
				p := newPoller(t)
				require.NoError(t, p.Add(to, poller.In))

				// Another goroutine blocks and receives half of the messages.
				const messages = 2000
				var others sync.WaitGroup
				others.Go(func() {
					for range messages / 2 {
						if _, err := to.RecvBytes(context.Background()); err != nil {
							return
						}
					}
				})
				others.Go(func() {
					for range messages {
						if from.SendString(context.Background(), "m") != nil {
							return
						}
					}
				})
				for n := 0; n < messages/2; {
					ready, err := p.Poll(stall)
					require.NoError(t, err)
					require.NotEmpty(t, ready, "not reported after %d messages", n)
					if _, err := to.RecvBytes(context.Background(), zmq.DontWait); err == nil {
						n++
					}
				}
				others.Wait()
				ready, err := p.Poll(time.Millisecond)
				require.NoError(t, err)
				require.Empty(t, ready)
				requireQuiet(t, p)
				require.NoError(t, to.Close())
				require.Zero(t, p.Len())
			})
		}
	}
}
