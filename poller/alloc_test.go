package poller_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/zmq"
)

// A call allocates nothing, whether it waits or not. These tests do not run in parallel
// with others, whose allocations would be counted.
func TestAllocations(t *testing.T) {
	if testutil.Race || testutil.Asan {
		t.Skip("the race detector and AddressSanitizer allocate")
	}
	type call = func() ([]poller.Event, error)
	for _, ready := range []int{0, 1, 100} {
		zctx := newContext(t, zmq.MaxSockets.To(1200))
		p := newPoller(t)
		for i := range 1000 {
			typ, interest := zmq.Pull, in
			if i < ready {
				typ, interest = zmq.Pub, out
			}
			require.NoError(t, p.Add(newSocket(t, zctx, typ), interest))
		}
		calls := map[string]call{"Poll(0)": func() ([]poller.Event, error) { return p.Poll(0) }}
		if ready > 0 {
			for name, wait := range waits {
				calls[name] = func() ([]poller.Event, error) { return wait(t.Context(), p) }
			}
		} else {
			calls["Poll(1ms)"] = func() ([]poller.Event, error) { return p.Poll(time.Millisecond) }
		}
		for name, call := range calls {
			t.Run(fmt.Sprintf("ready=%d/%s", ready, name), func(t *testing.T) {
				require.Zero(t, testing.AllocsPerRun(100, func() {
					events, err := call()
					if err != nil || len(events) != ready {
						t.Error(len(events), err)
					}
				}))
			})
		}
		require.NoError(t, p.Close())
		require.NoError(t, zctx.Close())
	}
}

// The same with a wait: two goroutines exchange messages, each with a Poller.
func TestAllocationsOfWaiting(t *testing.T) {
	if testutil.Race || testutil.Asan {
		t.Skip("the race detector and AddressSanitizer allocate")
	}
	for name, wait := range waits {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			a, b := connected(t, zmq.Pair, zmq.Pair, inprocName())
			mine, theirs := newPoller(t), newPoller(t)
			require.NoError(t, mine.Add(a, in))
			require.NoError(t, theirs.Add(b, in))
			buf := make([]byte, 1)
			turn := func(p *poller.Poller, s *zmq.Socket, buf []byte) error {
				events, err := wait(ctx, p)
				for range events {
					if _, err = s.Recv(context.Background(), buf, zmq.DontWait); err != nil {
						break
					}
				}
				return err
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				buf := make([]byte, 1)
				for turn(theirs, b, buf) == nil {
					if buf[0] == 0 || b.Send(context.Background(), buf) != nil {
						return
					}
				}
			}()
			buf[0] = 1
			allocations := testing.AllocsPerRun(1000, func() {
				if err := a.Send(context.Background(), buf); err != nil {
					t.Error(err)
				}
				if err := turn(mine, a, buf); err != nil {
					t.Error(err)
				}
			})
			require.NoError(t, a.Send(context.Background(), []byte{0}))
			await(t, done, "the other side")
			require.Zero(t, allocations)
		})
	}
}
