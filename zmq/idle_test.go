package zmq

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/core"
	"github.com/go-zmq/go-zmq/test/testutil"
)

// Channels without traffic cost no processor time, whether no message arrives or no goroutine
// takes it. Not parallel, because the test measures the process.
func TestIdleChannelsCostNothing(t *testing.T) {
	zctx := optionContext(t)
	defer func() { require.NoError(t, zctx.Close()) }()
	open := func(kind SocketType, endpoint string, attach func(*Socket, string) error) *Socket {
		s := noErr(zctx.NewSocket(kind, Linger.To(0), RecvTimeout.To(0)))(t)
		require.NoError(t, attach(s, endpoint))
		return s
	}
	for _, endpoint := range []string{"inproc://idle", "inproc://offered"} {
		pull := open(Pull, endpoint, (*Socket).Bind)
		push := open(Push, endpoint, (*Socket).Connect)
		stuck := open(Push, "inproc://absent"+endpoint[9:], (*Socket).Bind)
		pull.Ready()
		in, out := pull.RecvChan(t.Context()), push.SendChan(t.Context())
		defer in.Stop()
		defer out.Stop()
		if endpoint == "inproc://offered" {
			for range 3 {
				out.C <- [][]byte{[]byte("message")}
			}
			require.NoError(t, stuck.Set(SendTimeout.To(-1)))
			full := stuck.SendChan(t.Context())
			defer full.Stop()
			full.C <- [][]byte{[]byte("no room")}
		}
	}
	before := testutil.ProcessTime(t)
	const idle = time.Second
	time.Sleep(idle) // the span over which the processor time is measured
	used := testutil.ProcessTime(t) - before
	t.Logf("%v of processor time in %v", used, idle)
	require.Less(t, used, idle/20)
}

// A message that goes back comes next, but not between the parts of another.
func TestPutBackBetweenParts(t *testing.T) {
	t.Parallel()
	for _, ahead := range []int{0, 8} {
		zctx := optionContext(t)
		pull := noErr(zctx.NewSocket(Pull, ReadAhead.To(ahead)))(t)
		require.NoError(t, pull.Bind("inproc://parts"))
		push := noErr(zctx.NewSocket(Push))(t)
		require.NoError(t, push.Connect("inproc://parts"))
		for _, text := range []string{"first", "second", "third"} {
			require.NoError(t, push.SendMultipart(context.Background(), [][]byte{[]byte(text), []byte("1"), []byte("2")}))
		}
		var held Multipart
		require.NoError(t, pull.RecvMultipartMessage(context.Background(), &held))
		var got []string
		part := func() {
			text := noErr(pull.RecvString(context.Background(), DontWait))(t)
			got = append(got, text)
		}
		part()
		pull.core().PutBack(held.msgs())
		require.Len(t, held, 3)
		require.Zero(t, held[0].Len())
		for range 5 {
			part()
		}
		require.NoError(t, pull.RecvMultipartMessage(context.Background(), &held))
		pull.core().PutBack(held.msgs())
		for range 3 {
			part()
		}
		require.Equal(t, []string{"second", "1", "2", "first", "1", "2", "third", "1", "2"}, got)
		require.NoError(t, pull.Close())
		m := Multipart(make([]Message, 1))
		require.NoError(t, m[0].Alloc(100_000))
		pull.core().PutBack(m.msgs()) // released
		require.Zero(t, m[0].Len())
		require.NoError(t, zctx.Close())
	}
}

// Thousands of goroutines waiting on as many sockets cost no OS threads and no
// processor time.
func TestParkedReceiversCostNoThreads(t *testing.T) {
	sockets := min(5000, mostSockets(t))
	zctx := noErr(NewContext(MaxSockets.To(sockets + 10)))(t)
	pulls := make([]*Socket, sockets)
	var group sync.WaitGroup
	for i := range pulls {
		pulls[i] = noErr(zctx.NewSocket(Pull))(t)
		require.NoError(t, pulls[i].Bind(fmt.Sprintf("inproc://parked-%d", i)))
		group.Go(func() {
			if _, err := pulls[i].RecvBytes(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	for _, s := range pulls {
		for s.core().Stats().Waiting == 0 {
			runtime.Gosched()
		}
	}
	threads := threads(t)
	require.Less(t, threads, 32, "OS threads")

	before := testutil.ProcessTime(t)
	const idle = 2 * time.Second
	time.Sleep(idle) // the span over which the processor time is measured
	used := testutil.ProcessTime(t) - before
	t.Logf("%d goroutines parked: %d threads, %v of processor time in %v", sockets, threads, used, idle)
	require.Less(t, used, idle/10)

	push := noErr(zctx.NewSocket(Push))(t)
	for i := range pulls {
		require.NoError(t, push.Connect(fmt.Sprintf("inproc://parked-%d", i)))
	}
	for range pulls { // PUSH goes round its peers
		require.NoError(t, push.SendString(context.Background(), "wake up"))
	}
	group.Wait()
	require.NoError(t, zctx.Close())
	require.Zero(t, core.Rescues())
}
