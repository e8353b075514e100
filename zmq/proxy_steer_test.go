package zmq_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

func TestProxyPauseAndResume(t *testing.T) {
	t.Parallel()
	b := newBridge(t, newContext(t), inprocName(), stream)
	p := noErr(zmq.NewSteerableProxy(b.front, b.back, nil))(t)
	require.NoError(t, p.Pause(), "before Run")
	r := runProxy(t, p)
	var next byte
	for range 20 {
		require.NoError(t, p.Pause())
		before := noErr(p.Statistics())(t)
		for i := range byte(10) {
			require.NoError(t, b.near.Send(context.Background(), []byte{next + i}))
		}
		require.ErrorIs(t, errOf(b.far.RecvBytes(context.Background(), zmq.DontWait)), zmq.ErrAgain)
		require.Equal(t, before, noErr(p.Statistics())(t))
		// A goroutine that receives on the frontend is not blocked.
		require.Equal(t, []byte{next}, recvParts(t, b.front)[0])
		require.NoError(t, p.Resume())
		require.NoError(t, p.Resume())
		for i := byte(1); i < 10; i++ {
			require.Equal(t, []byte{next + i}, recvParts(t, b.far)[0])
		}
		next += 10
	}
	require.NoError(t, p.Pause())
	r.stop()
	require.ErrorIs(t, r.result(t), context.Canceled, "paused")
}

func TestProxyTerminate(t *testing.T) {
	t.Parallel()
	b := newBridge(t, newContext(t), inprocName(), stream)
	r := startProxy(t, b.front, b.back, nil)
	require.NoError(t, b.near.SendString(context.Background(), "one"))
	require.Equal(t, "one", string(recvParts(t, b.far)[0]))
	require.NoError(t, r.Terminate())
	require.NoError(t, b.near.SendString(context.Background(), "two"))
	require.NoError(t, r.result(t))
	require.Equal(t, "two", string(recvParts(t, b.front)[0]), "nothing moves after Terminate")
	require.NoError(t, r.Terminate(), "again")
	require.NoError(t, r.Run(t.Context()), "it ends at once")
	require.ErrorIs(t, r.Pause(), zmq.ErrState)
	require.ErrorIs(t, r.Resume(), zmq.ErrState)
	require.ErrorContains(t, r.Resume(), "terminated")
	require.Equal(t, uint64(1), noErr(r.Statistics())(t).Backend.MessagesSent)

	p := noErr(zmq.NewSteerableProxy(b.front, b.back, nil))(t)
	require.NoError(t, p.Terminate(), "before Run")
	require.NoError(t, p.Run(t.Context()))

	p = noErr(zmq.NewSteerableProxy(b.front, b.back, nil))(t)
	require.NoError(t, p.Pause())
	r = runProxy(t, p)
	require.NoError(t, p.Terminate(), "while it is paused")
	require.NoError(t, r.result(t))
}

func TestProxyOfNothing(t *testing.T) {
	t.Parallel()
	for _, p := range []*zmq.SteerableProxy{nil, {}} {
		require.ErrorIs(t, p.Run(t.Context()), syscall.EINVAL)
		require.ErrorIs(t, p.Pause(), syscall.EINVAL)
		require.ErrorIs(t, p.Resume(), syscall.EINVAL)
		require.ErrorIs(t, p.Terminate(), syscall.EINVAL)
		_, err := p.Statistics()
		requireFails(t, err, syscall.EINVAL, "NewSteerableProxy")
	}
}

// Many goroutines steer two proxies in any order, while messages flow both ways and other
// goroutines use the sockets.
func TestProxyInAnyOrder(t *testing.T) {
	t.Parallel()
	b := newBridge(t, newContext(t), inprocName(), equals, zmq.SendHWM.To(5), zmq.RecvHWM.To(5))
	copies := newSocket(t, b.zctx, zmq.Pub)
	first := noErr(zmq.NewSteerableProxy(b.front, b.back, copies))(t)
	second := noErr(zmq.NewSteerableProxy(b.back, b.front, nil))(t)
	ctx := timeout(t, 300*time.Millisecond)
	var all sync.WaitGroup
	for _, s := range []*zmq.Socket{b.near, b.far, b.front, b.back} {
		all.Go(func() {
			for i := 0; s.SendMultipart(ctx, fifty(i%7)) == nil; i++ {
				continue
			}
		})
		all.Go(func() {
			for {
				parts, err := s.RecvMultipart(ctx)
				if err != nil {
					return
				}
				if i := int(binary.LittleEndian.Uint32(parts[0])); len(parts) != len(fifty(i)) {
					t.Errorf("a message of %d parts came as %d", len(fifty(i)), len(parts))
				}
			}
		})
	}
	for _, p := range []*zmq.SteerableProxy{first, second} {
		for range 3 {
			all.Go(func() {
				for ctx.Err() == nil {
					inner, stop := context.WithTimeout(ctx, time.Duration(rand.IntN(1000))*time.Microsecond)
					switch rand.IntN(5) {
					case 0:
						_ = p.Pause()
					case 1:
						_ = p.Resume()
					case 2:
						_, _ = p.Statistics()
					default:
						_ = p.Run(inner)
					}
					stop()
				}
			})
		}
	}
	all.Wait()
	require.NoError(t, first.Terminate())
	require.NoError(t, second.Terminate())
}
