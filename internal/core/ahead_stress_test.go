package core

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// A tally counts the parts that arrived, and hands a message out again when all of
// its parts are there.
type tally struct {
	parts    int
	seen     []atomic.Int32 // of each part of each message
	received atomic.Int64   // parts
	arrived  chan struct{}  // one token for each part
}

func newTally(messages, parts int) *tally {
	return &tally{parts: parts, seen: make([]atomic.Int32, messages*parts), arrived: make(chan struct{}, messages*parts)}
}

// message returns the parts of message i: each says which one it is.
func (y *tally) message(i int) [][]byte {
	var message [][]byte
	for part := range y.parts {
		message = append(message, binary.LittleEndian.AppendUint64(nil, uint64(i*y.parts+part)))
	}
	return message
}

// part counts one part.
func (y *tally) part(p []byte) error {
	if len(p) != 8 {
		return fmt.Errorf("a part of %d bytes", len(p))
	}
	y.seen[binary.LittleEndian.Uint64(p)].Add(1)
	y.received.Add(1)
	y.arrived <- struct{}{}
	return nil
}

// whole counts a message, which must have all its parts and no others.
func (y *tally) whole(parts [][]byte) error {
	if len(parts) != y.parts {
		return fmt.Errorf("a message of %d parts", len(parts))
	}
	for i, p := range parts {
		if n := binary.LittleEndian.Uint64(p); n != binary.LittleEndian.Uint64(parts[0])+uint64(i) || (i == 0 && n%uint64(y.parts) != 0) {
			return fmt.Errorf("a torn message: part %d has number %d", i, n)
		}
	}
	for _, p := range parts {
		if err := y.part(p); err != nil {
			return err
		}
	}
	return nil
}

func bytesOf(msgs []libzmq.Msg) (parts [][]byte) {
	for i := range msgs {
		parts = append(parts, msgs[i].Bytes())
	}
	return parts
}

// wholeReceivers are the ways to receive whole messages.
var wholeReceivers = map[string]func(*Socket, context.Context, *tally) error{
	"RecvMultipart": func(s *Socket, ctx context.Context, y *tally) error {
		parts, err := s.RecvMultipart(ctx, false)
		if err != nil {
			return err
		}
		return y.whole(parts)
	},
	"RecvMsgs": func(s *Socket, ctx context.Context, y *tally) error {
		var msgs []libzmq.Msg
		err := s.RecvMsgs(ctx, &msgs, false)
		if err == nil {
			err = y.whole(bytesOf(msgs))
		}
		libzmq.CloseMsgs(msgs)
		return err
	},
	"RecvBatch": func(s *Socket, ctx context.Context, y *tally) error {
		var b Batch
		b.Init(1 + rand.IntN(3))
		n, err := s.RecvBatch(ctx, &b, false)
		for i := 0; i < n && err == nil; i++ {
			err = y.whole(bytesOf(b.At(i)))
		}
		return errors.Join(err, b.Close())
	},
	"WaitReadable": func(s *Socket, ctx context.Context, y *tally) error {
		if err := s.Wait(ctx, Recv); err != nil {
			return err
		}
		parts, err := s.RecvMultipart(ctx, true)
		switch {
		case errors.Is(err, syscall.EAGAIN): // another goroutine was faster
			return nil
		case err != nil:
			return err
		}
		return y.whole(parts)
	},
}

// partReceivers are the ways to receive one part.
var partReceivers = map[string]func(*Socket, context.Context, *tally) error{
	"Recv": func(s *Socket, ctx context.Context, y *tally) error {
		var buf [8]byte
		n, err := s.Recv(ctx, buf[:], false)
		if err != nil {
			return err
		}
		return y.part(buf[:n])
	},
	"RecvMsg": func(s *Socket, ctx context.Context, y *tally) error {
		var m libzmq.Msg
		defer m.Close()
		if err := s.RecvMsg(ctx, &m, false); err != nil {
			return err
		}
		return y.part(m.Bytes())
	},
}

// burst sends messages [from, to) and waits until all their parts are counted. The watchdog would
// wake a forgotten goroutine, and the end of the test requires that it did not.
func (y *tally) burst(t *testing.T, push *Socket, from, to int) {
	t.Helper()
	var b Batch
	b.Init(to - from)
	for i := from; i < to; i++ {
		require.NoError(t, b.Append(y.message(i)))
	}
	sent, err := push.SendBatch(context.Background(), &b, false)
	require.NoError(t, err)
	require.Equal(t, to-from, sent)
	require.NoError(t, b.Close())
	limit := time.After(2 * time.Minute)
	for n := range (to - from) * y.parts {
		select {
		case <-y.arrived:
		case <-limit:
			panic(fmt.Sprintf("stalled: %d of %d parts of messages %d to %d", n, (to-from)*y.parts, from, to))
		}
	}
}

func (y *tally) requireEachOnce(t *testing.T) {
	t.Helper()
	for i := range y.seen {
		require.EqualValues(t, 1, y.seen[i].Load(), "part %d", i)
	}
}

// As many messages arrive at once as goroutines wait, and each takes one: the
// first reads all of them ahead, and has to wake the others by itself, since
// libzmq has nothing left to say.
func TestReadAheadWakesEveryReceiver(t *testing.T) {
	for name, receive := range wholeReceivers {
		if name == "WaitReadable" || name == "RecvBatch" { // they may take none, or more than one
			continue
		}
		t.Run(name, func(t *testing.T) {
			bothProtocols(t, func(t *testing.T) {
				for parts := 1; parts <= 3; parts++ {
					wakeEvery(t, parts, receive)
				}
			})
		})
	}
	for name, receive := range partReceivers {
		t.Run(name, func(t *testing.T) {
			bothProtocols(t, func(t *testing.T) { wakeEvery(t, 1, receive) })
		})
	}
}

func wakeEvery(t *testing.T, parts int, receive func(*Socket, context.Context, *tally) error) {
	const receivers = 4
	c := newContext(t)
	pull, push := connected(t, c, "tcp://127.0.0.1:*", libzmq.Pull, libzmq.Push, 0)
	require.NoError(t, pull.SetReadAhead(64))
	rounds := scale(100)
	y := newTally(rounds*receivers, parts)
	for round := range rounds {
		var group sync.WaitGroup
		for range receivers {
			group.Go(func() {
				if err := receive(pull, context.Background(), y); err != nil {
					t.Error(err)
				}
			})
		}
		require.Eventually(t, func() bool { return pull.Stats().Waiting == receivers }, 10*time.Second, 20*time.Microsecond)
		for i := range receivers {
			require.NoError(t, push.SendParts(context.Background(), y.message(round*receivers+i), false))
		}
		done := make(chan struct{})
		go func() { group.Wait(); close(done) }()
		stalled(t, done, func() string { return fmt.Sprintf("round %d, %d still wait", round, pull.Stats().Waiting) })
		require.Zero(t, Rescues(), "round %d: the watchdog found a forgotten waiter", round)
		for len(y.arrived) > 0 {
			<-y.arrived
		}
	}
	y.requireEachOnce(t)
}

// Receivers of all kinds are cancelled at random while the option changes. Every part arrives
// once, no message is torn, and no goroutine is forgotten.
func TestReadAheadUnderChange(t *testing.T) {
	bothProtocols(t, func(t *testing.T) {
		for _, test := range []struct {
			name        string
			parts       int
			whole, part bool
		}{
			{"single parts, all receivers", 1, true, true},
			{"whole messages", 3, true, false},
			{"part by part", 3, false, true},
		} {
			t.Run(test.name, func(t *testing.T) { aheadUnderChange(t, test.parts, test.whole, test.part) })
		}
	})
}

func aheadUnderChange(t *testing.T, parts int, whole, part bool) {
	const most = 12
	messages := scale(10000)
	c := newContext(t)
	pull, push := connected(t, c, "tcp://127.0.0.1:*", libzmq.Pull, libzmq.Push, 0)
	require.NoError(t, pull.SetReadAhead(8))
	y := newTally(messages, parts)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var group sync.WaitGroup
	start := func(receive func(*Socket, context.Context, *tally) error) {
		for patient := range 2 {
			group.Go(func() {
				for ctx.Err() == nil {
					err := error(nil)
					if patient == 1 {
						err = receive(pull, ctx, y)
					} else {
						short, stop := context.WithTimeout(ctx, time.Duration(rand.IntN(500))*time.Microsecond)
						err = receive(pull, short, y)
						stop()
					}
					if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
						t.Error(err)
						return
					}
				}
			})
		}
	}
	if whole {
		for _, receive := range wholeReceivers {
			start(receive)
		}
	}
	if part {
		for _, receive := range partReceivers {
			start(receive)
		}
	}
	group.Go(func() {
		for ctx.Err() == nil {
			if err := pull.SetReadAhead([]int{0, 1, 2, 8, 200}[rand.IntN(5)]); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond) // changes at any moment, but not all the time
		}
	})
	for from := 0; from < messages; {
		to := min(from+1+rand.IntN(most), messages)
		y.burst(t, push, from, to)
		from = to
	}
	cancel()
	group.Wait()
	y.requireEachOnce(t)
}

// While one message is received part by part, other waiting goroutines learn of the messages that
// were read ahead.
func TestReadAheadAfterLastPart(t *testing.T) {
	bothProtocols(t, func(t *testing.T) {
		c := newContext(t)
		pull, push := connected(t, c, "inproc://last-part-"+t.Name(), libzmq.Pull, libzmq.Push, 0)
		require.NoError(t, pull.SetReadAhead(10))
		for range scale(300) {
			// One goroutine holds the rest of a message and a second message.
			require.NoError(t, push.SendParts(context.Background(), [][]byte{{1}, {2}}, false))
			require.NoError(t, push.SendParts(context.Background(), [][]byte{{3}, {4}}, false))
			var buf [1]byte
			_, err := pull.Recv(context.Background(), buf[:], false)
			require.NoError(t, err)
			require.True(t, pull.More())
			_, err = pull.Recv(context.Background(), buf[:], false)
			require.NoError(t, err)
			require.False(t, pull.More())
			got := make(chan int, 1)
			go func() {
				parts, err := pull.RecvMultipart(context.Background(), false)
				if err != nil {
					t.Error(err)
				}
				got <- len(parts)
			}()
			select {
			case n := <-got:
				require.Equal(t, 2, n)
			case <-time.After(time.Minute):
				panic("stalled")
			}
		}
	})
}

// Close and Shutdown end every kind of receive on a socket that reads ahead, and release the
// messages it holds.
func TestCloseWhileReadingAhead(t *testing.T) {
	for _, flags := range []string{"close", "shutdown"} {
		t.Run(flags, func(t *testing.T) {
			for range scale(200) {
				c, err := NewContext()
				require.NoError(t, err)
				a, b := connected(t, c, "inproc://closing-ahead", libzmq.Dealer, libzmq.Dealer, 100)
				require.NoError(t, a.SetReadAhead(16))
				var group sync.WaitGroup
				group.Go(func() {
					for b.SendParts(context.Background(), [][]byte{make([]byte, 100), make([]byte, 5000)}, false) == nil {
					}
				})
				var batch Batch
				batch.Init(5)
				for _, receive := range []func() error{
					func() error { _, err := a.Recv(context.Background(), make([]byte, 10), false); return err },
					func() error { _, err := a.RecvMultipart(context.Background(), false); return err },
					func() error { _, err := a.RecvBatch(context.Background(), &batch, false); return err },
					func() error { return a.Wait(context.Background(), Recv) },
				} {
					group.Go(func() {
						err := receive()
						for err == nil {
							err = receive()
						}
						if !errors.Is(err, ErrClosed) && !errors.Is(err, ErrTerminated) {
							t.Error(err)
						}
					})
				}
				time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond) // the end comes at any moment of what goes on
				if flags == "close" {
					require.NoError(t, a.Close())
					require.NoError(t, b.Close())
				} else {
					require.NoError(t, c.Shutdown())
				}
				group.Wait()
				require.NoError(t, batch.Close())
				require.NoError(t, c.Close(context.Background()))
				require.Zero(t, Rescues())
			}
		})
	}
}
