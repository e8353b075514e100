package zmq_test

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/lending"
	"github.com/go-zmq/go-zmq/zmq"
)

func TestZeroCopyPeerVanishes(t *testing.T) {
	t.Parallel()
	networks(t, func(t *testing.T, endpoint string) {
		for range 5 {
			pull, push := pair(t, zmq.Pull, zmq.Push, endpoint, zmq.RecvHWM.To(2), zmq.SendHWM.To(50))
			var loans []*loan
			for len(loans) < 50 {
				l := lend(t, payload(256<<10))
				loans = append(loans, l)
				require.NoError(t, push.SendMessage(context.Background(), l.Message))
				if len(loans) == 10 {
					requireArrived(t, pull, l.p)
				}
			}
			require.NoError(t, pull.Close())
			require.NoError(t, push.Close())
			for _, l := range loans {
				l.requireReleased(t)
			}
			require.NoError(t, pull.Context().Close())
		}
	})
}

// After a burst the memory that lending took is given back, also while some messages
// are still held.
func TestZeroCopyBurstGivesMemoryBack(t *testing.T) {
	const burst, few = 100_000, 32_768
	loans := func() []*zmq.Message {
		list := make([]*zmq.Message, burst)
		for i := range list {
			list[i] = noErr(zmq.NewMessageZeroCopy(nil, nil))(t)
		}
		return list
	}
	p := payload(10)
	var held []*zmq.Message
	for range 3 {
		list := loans()
		require.GreaterOrEqual(t, lending.Kept(), burst)
		held = append(held, list[burst/2])
		list[burst/2] = new(zmq.Message)
		for _, i := range rand.Perm(burst) {
			require.NoError(t, list[i].Close())
		}
		require.Eventually(t, func() bool { return lending.Kept() <= few }, 20*time.Second, time.Millisecond)
		l := lend(t, p)
		require.NoError(t, l.Close())
		l.requireReleased(t)
	}
	for _, m := range held {
		require.NoError(t, m.Close())
	}
	require.Eventually(t, func() bool { return lending.Lent() == 0 }, 20*time.Second, time.Millisecond)
}

// A panic of a release function ends the process, as on any goroutine, and says where it
// was. One that only ends its goroutine does not.
func TestZeroCopyReleasePanics(t *testing.T) {
	const variable = "GOZMQ_TEST_RELEASE_PANICS"
	if os.Getenv(variable) != "" {
		ended := make(chan struct{})
		for _, release := range []func(){runtime.Goexit, func() { close(ended) }, func() { panic("of the release function") }} {
			m := noErr(zmq.NewMessageZeroCopy([]byte("lent"), release))(t)
			require.NoError(t, m.Close())
		}
		<-ended
		select {}
	}
	cmd := exec.CommandContext(within(t), os.Args[0], "-test.run=^TestZeroCopyReleasePanics$")
	cmd.Env = append(os.Environ(), variable+"=1", "GOTRACEBACK=single")
	said, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, "%s", said)
	require.Equal(t, 2, exit.ExitCode(), "%s", said)
	require.Contains(t, string(said), "panic: of the release function")
}

// libzmq masks the messages of a WebSocket client in place. Lent memory is not changed.
func TestLentMemoryOverWebSockets(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push)
	err := pull.Bind("ws://127.0.0.1:*")
	if !zmq.Has("WS") {
		require.ErrorIs(t, err, zmq.ErrNotSupported)
		return
	}
	require.NoError(t, err)
	at := last(t, pull)
	require.NoError(t, push.Connect(at))
	text := strings.Repeat("abcdefgh", 1000)
	p := []byte(text)
	for range 3 {
		released := make(chan struct{})
		m := noErr(zmq.NewMessageZeroCopy(p, func() { close(released) }))(t)
		require.NoError(t, push.SendMessage(within(t), m))
		require.Equal(t, text, recvString(t, pull))
		<-released
		require.Equal(t, text, string(p), "it is as it was")
	}
}
