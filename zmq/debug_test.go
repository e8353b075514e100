package zmq

import (
	"bytes"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func TestLeakedSocketIsReported(t *testing.T) {
	t.Setenv(DebugVariable, "leaks")
	var out lockedBuffer
	before := debugOutput
	debugOutput = &out
	defer func() { debugOutput = before }()

	zctx := optionContext(t)
	drop := func(typ SocketType, closeIt bool) {
		s := noErr(zctx.NewSocket(typ))(t)
		if closeIt {
			require.NoError(t, s.Close())
		}
	}
	func() { // Context.Close closes the socket
		zctx := optionContext(t)
		_ = noErr(zctx.NewSocket(Pair))(t)
		require.NoError(t, zctx.Close())
	}()
	drop(Push, false)
	drop(Pull, true)
	require.Eventually(t, func() bool {
		runtime.GC()
		return out.String() != ""
	}, 30*time.Second, time.Millisecond)
	require.Contains(t, out.String(), "PUSH socket was dropped without Close")
	require.Contains(t, out.String(), "debug_test.go:")
	require.NotContains(t, out.String(), "PULL")
	require.NotContains(t, out.String(), "PAIR")
	require.NoError(t, zctx.Close(), "the context closes what was dropped")
}

func TestLeakedBatchIsReported(t *testing.T) {
	t.Setenv(DebugVariable, "leaks")
	var out lockedBuffer
	before := debugOutput
	debugOutput = &out
	defer func() { debugOutput = before }()

	drop := func(closeIt bool) {
		b := NewBatch(1)
		if closeIt {
			require.NoError(t, b.Close())
		}
	}
	drop(true)
	for range 100 {
		runtime.GC()
	}
	require.Empty(t, out.String())
	drop(false)
	require.Eventually(t, func() bool {
		runtime.GC()
		return out.String() != ""
	}, 30*time.Second, time.Millisecond)
	require.Contains(t, out.String(), "batch was dropped without Close")
	require.Contains(t, out.String(), "debug_test.go:")
}
