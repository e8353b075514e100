package zmq

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/core"
)

// Five thousand goroutines waiting on as many sockets cost no OS threads and no
// processor time.
func TestParkedReceiversCostNoThreads(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("counts threads through /proc")
	}
	// Each waiting socket takes two descriptors, libzmq's and our duplicate.
	sockets := 5000
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	if most := int(min(limit.Cur, 1<<20)-200) / 2; sockets > most {
		t.Logf("the limit on open files allows %d sockets only", most)
		sockets = most
	}
	zctx, err := NewContext(MaxSockets.To(sockets + 10))
	require.NoError(t, err)
	pulls := make([]*Socket, sockets)
	var group sync.WaitGroup
	for i := range pulls {
		pulls[i], err = zctx.NewSocket(Pull)
		require.NoError(t, err)
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
	tasks, err := os.ReadDir("/proc/self/task")
	require.NoError(t, err)
	require.Less(t, len(tasks), 32, "OS threads")

	before := cpuTime(t)
	const idle = 2 * time.Second
	time.Sleep(idle) // the span over which the processor time is measured
	used := cpuTime(t) - before
	t.Logf("%d goroutines parked: %d threads, %v of processor time in %v", sockets, len(tasks), used, idle)
	require.Less(t, used, idle/10)

	push, err := zctx.NewSocket(Push)
	require.NoError(t, err)
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

func cpuTime(t *testing.T) time.Duration {
	var usage syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
