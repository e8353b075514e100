package zmq_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

func number(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(i)) }

func TestReadyEnds(t *testing.T) {
	t.Parallel()
	for name, e := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zctx := newContext(t)
			idle, offering := newSocket(t, zctx, zmq.Pull), newSocket(t, zctx, zmq.Pull)
			push := newSocket(t, zctx, zmq.Push)
			connect(t, offering, push, inprocName())
			require.NoError(t, push.SendString(context.Background(), "never taken"))
			require.Equal(t, idle.Ready(), idle.Ready())
			<-offering.Ready()
			select {
			case <-idle.Ready():
				require.FailNow(t, "nothing has arrived")
			default:
			}
			for _, s := range []*zmq.Socket{idle, offering} {
				require.NoError(t, e.end(zctx, s))
				for range s.Ready() {
				}
				_, err := s.RecvBytes(context.Background(), zmq.DontWait)
				require.Error(t, err)
				require.NotErrorIs(t, err, zmq.ErrAgain)
			}
			_, open := <-newClosed(t).Ready()
			require.False(t, open)
		})
	}
	_, open := <-(*zmq.Socket)(nil).Ready()
	require.False(t, open)
}

func newClosed(t *testing.T) *zmq.Socket {
	s := newSocket(t, newContext(t), zmq.Pull)
	require.NoError(t, s.Close())
	return s
}

// A ledger notes which of the numbers 0, 1, ... were received.
type ledger struct {
	mu    sync.Mutex
	times map[int]int
	order []int
}

func (l *ledger) add(m [][]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.times == nil {
		l.times = map[int]int{}
	}
	i := int(binary.BigEndian.Uint32(m[0]))
	l.times[i]++
	l.order = append(l.order, i)
}

func (l *ledger) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.order)
}

func (l *ledger) wait(t *testing.T, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return l.len() >= n }, time.Minute, time.Millisecond, "%d messages", n)
}

func (l *ledger) exactlyOnce(t *testing.T, n int) {
	t.Helper()
	require.Len(t, l.order, n)
	for i := range n {
		require.Equal(t, 1, l.times[i], "times that message %d was received", i)
	}
}

// Messages are received directly from the socket and through channels that end at random moments.
// Each message is received once.
func TestRecvChanLosesNothing(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		pull, push := pair(t, zmq.Pull, zmq.Push, endpoint)
		messages := scaled(100_000)
		var seen ledger
		var receivers sync.WaitGroup
		over, finish := context.WithCancel(t.Context())
		defer finish()
		for seed := range 4 {
			random := rand.New(rand.NewPCG(uint64(seed), 5))
			receivers.Go(func() {
				for over.Err() == nil {
					receiveSome(over, pull, random, &seen)
				}
			})
		}
		for i := range messages {
			require.NoError(t, push.SendMultipart(context.Background(), [][]byte{number(i), []byte("body")}))
		}
		seen.wait(t, messages)
		finish()
		receivers.Wait()
		seen.exactlyOnce(t, messages)
		require.ErrorIs(t, errOf(pull.RecvBytes(context.Background(), zmq.DontWait)), zmq.ErrAgain)
	})
}

// receiveSome takes some messages in one of several ways, and leaves.
func receiveSome(ctx context.Context, s *zmq.Socket, random *rand.Rand, seen *ledger) {
	way, n := random.IntN(4), random.IntN(100)
	if way == 0 {
		for range n {
			if m, err := s.RecvMultipart(context.Background(), zmq.DontWait); err == nil {
				seen.add(m)
			}
		}
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(random.IntN(3000))*time.Microsecond)
	defer cancel()
	in := s.RecvChan(ctx)
	defer in.Stop()
	for range n {
		if way == 1 { // leaves as soon as the context ends
			select {
			case m, open := <-in.C:
				if open {
					seen.add(m)
				}
			case <-ctx.Done():
				return
			}
			continue
		}
		m, open := <-in.C
		if !open {
			return
		}
		seen.add(m)
	}
}
