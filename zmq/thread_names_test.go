package zmq_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

func TestThreadNames(t *testing.T) {
	t.Parallel()
	c := newContext(t)
	if !zmq.Has("draft") {
		require.ErrorIs(t, c.Set(zmq.ThreadNames("feed")), zmq.ErrNotSupported)
		return
	}
	require.NoError(t, c.Set(zmq.ThreadNames("feed")))
	newSocket(t, c, zmq.Pair)
	if runtime.GOOS == "linux" {
		// Each thread names itself when it begins to run.
		require.Eventually(t, func() bool { return strings.Contains(threadNames(), "feed/ZMQbg/IO") }, 10*time.Second, time.Millisecond)
	}
	require.ErrorIs(t, c.Set(zmq.ThreadNames("late")), syscall.EINVAL)
}

func threadNames() (all string) {
	files, err := filepath.Glob("/proc/self/task/*/comm")
	if err != nil {
		return err.Error()
	}
	for _, file := range files {
		name, _ := os.ReadFile(file) // some thread may have ended
		all += string(name)
	}
	return all
}

func TestThreadNamesRefuses(t *testing.T) {
	t.Parallel()
	c := newContext(t)
	for _, bad := range []string{"", strings.Repeat("x", 17), "a\x00b"} {
		require.ErrorIs(t, c.Set(zmq.ThreadNames(bad)), syscall.EINVAL)
	}
	closed, err := zmq.NewContext()
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	require.Error(t, closed.Set(zmq.ThreadNames("feed")))
}
