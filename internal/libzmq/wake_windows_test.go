package libzmq

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// newWake returns a waker, and waits for it.
func newWake(t *testing.T) (fd int, wait func()) {
	waker, rc := OpenWaker()
	require.Zero(t, rc)
	t.Cleanup(waker.Close)
	return int(waker), func() { require.Positive(t, waker.Wait()) }
}

// BenchmarkWSAPoll is what the system takes of zmq.BenchmarkWake: a thread waits for all sockets in
// WSAPoll, at most 256 of them, and says so over a channel when one is woken.
func BenchmarkWSAPoll(b *testing.B) {
	for _, sockets := range []int{1, 100, 256} {
		b.Run(fmt.Sprintf("sockets=%d", sockets), func(b *testing.B) {
			items := make([]PollItem, sockets)
			for i := range items {
				waker, rc := OpenWaker()
				require.Zero(b, rc)
				defer waker.Close()
				items[i] = PollItem{FD: int(waker), Events: PollIn}
			}
			n := b.N
			woken := make(chan struct{})
			go func() {
				for range n {
					PollFDs(items, true)
					for _, item := range items {
						if item.Revents != 0 {
							Waker(item.FD).Clear()
						}
					}
					woken <- struct{}{}
				}
			}()
			for i := range n {
				Waker(items[i%sockets].FD).Wake()
				<-woken
			}
		})
	}
}
