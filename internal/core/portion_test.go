package core

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// One hold of the mutex sends a bounded number of messages and bytes, whatever the batch holds.
func TestPortionIsBounded(t *testing.T) {
	for name, slotted := range map[string]bool{"packed": false, "slots": true} {
		t.Run(name, func(t *testing.T) {
			c := newContext(t)
			pull, push := connected(t, c, "inproc://portion-"+name, libzmq.Pull, libzmq.Push, 0)
			for _, size := range []int{10, 1000, 100_000, portionBytes + 1} {
				var b Batch
				b.Init(libzmq.MaxBatch)
				total := min(10*portionMost, 64<<20/size)
				for range total {
					require.NoError(t, b.Append([][]byte{make([]byte, size)}))
				}
				if slotted {
					require.NotNil(t, b.At(0))
				}
				most := 0
				for b.count > 0 {
					h := push.lock.Lock()
					before := b.sent
					rc, _ := b.attemptSend(h, h.flags)
					after := b.sent
					push.lock.Unlock()
					require.Zero(t, rc)
					most = max(most, int(after.Messages-before.Messages))
					require.LessOrEqual(t, int(after.Bytes-before.Bytes), portionBytes+size)
				}
				require.LessOrEqual(t, most, portionMost)
				require.EqualValues(t, total, b.sent.Messages)
				require.NoError(t, b.Close())
				for range total {
					_, err := pull.RecvBytes(t.Context(), false)
					require.NoError(t, err)
				}
			}
		})
	}
}

// The size of a portion follows the time of a message.
func TestPortionFollowsTheTime(t *testing.T) {
	var p portion
	for range 10 {
		h := p.begin(1000)
		h.began = time.Now().Add(-50 * time.Millisecond)
		h.took(min(int(p), 100), 0)
	}
	require.LessOrEqual(t, int(p), 2)
	for range 20 {
		h := p.begin(1000)
		h.began = time.Now().Add(time.Hour) // however long this goroutine has to wait here
		h.took(int(p), 0)
		require.True(t, h.over())
	}
	require.EqualValues(t, portionMost, p)
}
