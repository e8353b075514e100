package account_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/account"
	"github.com/go-zmq/go-zmq/zmq"
)

// cells say which share of the messages goes which way, in hundredths. What takes
// several times as long for each message gets fewer of them.
var cells = []struct {
	pattern string
	run     func(t *testing.T, way, transport string, n int)
	shares  map[string]int
}{
	{"PUSH-PULL", pushPull, map[string]int{plain: 6, batch: 12, readAhead: 8, pooled: 4, polled: 5}},
	// Not pooled: that sends part by part, which is not for sockets that goroutines share.
	{"PUSH-PULL shared", sharedPushPull, map[string]int{plain: 2, batch: 5, readAhead: 2, polled: 2}},
	{"DEALER-ROUTER", dealerRouter, map[string]int{plain: 3, batch: 10, readAhead: 4, pooled: 3, polled: 3}},
	{"PAIR", bothWays, map[string]int{plain: 3, batch: 6, readAhead: 3, pooled: 2, polled: 2}},
	{"PUB-SUB", pubSub, map[string]int{plain: 3, batch: 4, readAhead: 2, pooled: 2, polled: 2}},
	{"REQ-REP", reqRep, map[string]int{plain: 1, pooled: 1}},
}

// Without faults no message is lost, duplicated, reordered, torn or corrupted, for every pattern,
// socket setting and transport, and no goroutine waits for a message that has arrived.
func TestAccount(t *testing.T) {
	begin := time.Now()
	total := 0
	for _, c := range cells {
		for _, way := range []string{plain, batch, readAhead, pooled, polled} {
			share := c.shares[way]
			if share == 0 {
				continue
			}
			for _, transport := range []string{"inproc", "tcp", "ipc"} {
				n := max(*messages*share/100/3, 12)
				t.Run(c.pattern+"/"+way+"/"+transport, func(t *testing.T) {
					start := time.Now()
					c.run(t, way, transport, n)
					t.Logf("%.2f µs a message", float64(time.Since(start).Microseconds())/float64(n))
				})
				total += n
			}
		}
	}
	t.Logf("without faults: %d messages in %v", total, time.Since(begin).Round(time.Second))
}

// What a cancelled call has not sent is not tried again here: it must never arrive,
// and what was sent must.
func TestAccountAbandoned(t *testing.T) {
	for _, transport := range []string{"inproc", "tcp", "ipc"} {
		for way, send := range abandons {
			t.Run(transport+"/"+way, func(t *testing.T) {
				t.Parallel()
				abandoned(t, transport, send)
			})
		}
	}
}

// abandons are ways to send a few messages; they return how many were sent.
var abandons = map[string]func(ctx context.Context, r *run, s *zmq.Socket, p *account.Producer) (made, sent int, err error){
	"bytes": func(ctx context.Context, _ *run, s *zmq.Socket, p *account.Producer) (int, int, error) {
		err := s.SendMultipart(ctx, p.Make())
		return 1, one(err), err
	},
	"parts": func(ctx context.Context, _ *run, s *zmq.Socket, p *account.Producer) (int, int, error) {
		parts := p.Make()
		for i, part := range parts {
			var flags []zmq.Flag
			if i+1 < len(parts) {
				flags = []zmq.Flag{zmq.SendMore}
			}
			if err := s.Send(ctx, part, flags...); err != nil {
				s.DiscardParts()
				return 1, 0, err
			}
		}
		return 1, 1, nil
	},
	"pooled": func(ctx context.Context, r *run, s *zmq.Socket, p *account.Producer) (int, int, error) {
		err := sendPooled(ctx, s, r.pool, p.Make())
		return 1, one(err), err
	},
	"batch": func(ctx context.Context, _ *run, s *zmq.Socket, p *account.Producer) (int, int, error) {
		b := zmq.NewBatch(32)
		defer b.Close()
		for range 32 {
			if err := b.Append(p.Make()...); err != nil {
				return 0, 0, err
			}
		}
		sent, err := s.SendBatch(ctx, b)
		return 32, sent, err
	},
}

func one(err error) int {
	if err != nil {
		return 0
	}
	return 1
}

func abandoned(t *testing.T, transport string, send func(context.Context, *run, *zmq.Socket, *account.Producer) (int, int, error)) {
	const messages, many = 3000, 1 << 40
	r := newRun(t, plain, messages)
	r.left.Store(many) // until it is known how many are sent
	// Queues that are full most of the time, so that most calls are cancelled.
	pull := newSocket(t, r.c, zmq.Pull, zmq.RecvHWM.To(2))
	push := newSocket(t, r.c, zmq.Push, zmq.SendHWM.To(2))
	require.NoError(t, push.Connect(bind(t, pull, endpointOf(transport))))
	var ledger account.Ledger
	r.start(func() error {
		return receive(r.ctx, pull, cancelled, nil, func(parts [][]byte, _ *zmq.Message) error {
			if _, number := ledger.Take(0, parts); number%64 == 0 {
				pause(r.ctx)
			}
			r.took()
			return nil
		})
	})
	p := account.Producer{ID: 1}
	var sent []uint64 // their numbers
	for len(sent) < messages {
		first := p.Next
		ctx, cancel := context.WithTimeout(r.ctx, time.Duration(rand.IntN(200)-5)*time.Microsecond)
		made, n, err := send(ctx, r, push, &p)
		cancel()
		if err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			totals.fault(cancels, 1)
		}
		require.EqualValues(t, made, p.Next-first)
		for i := range uint64(n) {
			sent = append(sent, first+i)
		}
	}
	if r.left.Add(int64(len(sent))-many) == 0 {
		r.cancel(errAllThere)
	}
	<-r.ctx.Done()
	r.group.Wait()
	require.True(t, errors.Is(context.Cause(r.ctx), errAllThere), "%d messages did not come", r.left.Load())
	require.NoError(t, quiet(pull))
	lost := uint64(0)
	for _, number := range sent {
		if !ledger.Has(p.ID, number) {
			lost++
		}
	}
	totals.book(&ledger, lost)
	require.NoError(t, ledger.Report().Fault())
	require.Zero(t, lost, "messages that were sent, but lost")
	require.EqualValues(t, len(sent), ledger.Report().Received, "messages came whose sending was cancelled")
	require.Less(t, uint64(len(sent)), p.Next, "nothing was cancelled")
}
