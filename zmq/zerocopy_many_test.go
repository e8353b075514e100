package zmq_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/lending"
	"github.com/go-zmq/go-zmq/test/testutil"
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

func TestZeroCopyNilRelease(t *testing.T) {
	t.Parallel()
	pull, push := pair(t, zmq.Pull, zmq.Push, inprocName())
	for _, p := range [][]byte{nil, {}, []byte("static"), payload(3000)[1000:2000]} {
		m := noErr(zmq.NewMessageZeroCopy(p, nil))(t)
		require.NoError(t, push.SendMessage(context.Background(), m))
		requireArrived(t, pull, p)
	}
}

func TestZeroCopyReleaseSends(t *testing.T) {
	t.Parallel()
	pull, push := pair(t, zmq.Pull, zmq.Push, "tcp://127.0.0.1:*", zmq.SendHWM.To(0), zmq.RecvHWM.To(0))
	const generations = 200
	p := payload(20000)
	last := make(chan struct{})
	var running atomic.Int32
	var send func(left int)
	send = func(left int) {
		m, err := zmq.NewMessageZeroCopy(p, func() {
			if running.Add(1) != 1 {
				t.Error("two release functions at once")
			}
			runtime.Gosched()
			if left > 1 {
				send(left - 1)
			} else {
				close(last)
			}
			running.Add(-1)
		})
		if err == nil {
			err = push.SendMessage(context.Background(), m)
		}
		if err != nil {
			t.Error(err)
		}
	}
	send(generations)
	for range generations {
		requireArrived(t, pull, p)
	}
	<-last
}

func TestZeroCopyKeepsMemory(t *testing.T) {
	t.Parallel()
	pull, push := pair(t, zmq.Pull, zmq.Push, "tcp://127.0.0.1:*", zmq.SendHWM.To(0))
	const messages = 100
	for i := range messages {
		p := payload(50000 + i)
		m := noErr(zmq.NewMessageZeroCopy(p, nil))(t)
		require.NoError(t, push.SendMessage(context.Background(), m))
	}
	for range 3 {
		runtime.GC()
		for range 200 { // reuses freed memory
			junk := make([]byte, 50000)
			for i := range junk {
				junk[i] = 0xee
			}
		}
	}
	for i := range messages {
		requireArrived(t, pull, payload(50000+i))
	}
}

func TestZeroCopyMany(t *testing.T) {
	const goroutines, each = 16, 500
	zctx := newContext(t)
	pull, push := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Push, zmq.SendHWM.To(100))
	connect(t, pull, push, "tcp://127.0.0.1:*")
	var released sync.WaitGroup
	released.Add(goroutines * each)
	var senders, receivers sync.WaitGroup
	receivers.Go(func() {
		var m zmq.Message
		for pull.RecvMessage(context.Background(), &m) == nil {
		}
		_ = m.Close()
	})
	for range goroutines {
		senders.Go(func() {
			for range each {
				m, err := zmq.NewMessageZeroCopy(make([]byte, rand.IntN(40000)), released.Done)
				if err != nil {
					t.Error(err)
					released.Done()
					continue
				}
				switch rand.IntN(4) {
				case 0, 1:
					err = push.SendMessage(context.Background(), m)
				case 2:
					err = m.Close()
				case 3:
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rand.IntN(200))*time.Microsecond)
					if push.SendMessage(ctx, m) != nil {
						err = m.Close()
					}
					cancel()
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	senders.Wait()
	require.NoError(t, zctx.Close())
	receivers.Wait()
	released.Wait() // a second release of one would make it panic
}

func TestZeroCopyCount(t *testing.T) {
	require.Eventually(t, func() bool { return lending.Lent() == 0 }, 20*time.Second, time.Millisecond)
	var loans []*loan
	for range 200 {
		loans = append(loans, lend(t, payload(10)))
	}
	require.Equal(t, 200, lending.Lent())
	for _, l := range loans {
		require.NoError(t, l.Close())
	}
	for _, l := range loans {
		l.requireReleased(t)
	}
	require.Eventually(t, func() bool { return lending.Lent() == 0 }, 20*time.Second, time.Millisecond)
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

func TestZeroCopyToConflatingReceiver(t *testing.T) {
	t.Parallel()
	if testutil.Asan {
		t.Skip("the leak detector finds the messages that libzmq loses when it conflates")
	}
	zctx := newContext(t)
	pull, push := newSocket(t, zctx, zmq.Pull, zmq.Conflate.To(true)), newSocket(t, zctx, zmq.Push)
	connect(t, push, pull, inprocName())
	received := async(func() error {
		var m zmq.Message
		defer m.Close()
		return repeat(math.MaxInt, func(int) error { return pull.RecvMessage(context.Background(), &m) })
	})
	const messages = 50000
	var released sync.WaitGroup
	released.Add(messages)
	p := payload(100)
	for range messages {
		m := noErr(zmq.NewMessageZeroCopy(p, released.Done))(t)
		require.NoError(t, push.SendMessage(context.Background(), m))
	}
	require.NoError(t, pull.Close())
	require.ErrorIs(t, <-received, zmq.ErrClosed)
	require.NoError(t, zctx.Close())
	select {
	case <-async(func() error { released.Wait(); return nil }):
	case <-time.After(20 * time.Second):
		require.Fail(t, "libzmq lost some of the messages")
	}
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
