package account_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/test/account"
	"github.com/go-zmq/go-zmq/zmq"
)

// A run sends messages between some sockets, and ends when all have been received, or
// at the first error.
type run struct {
	t      *testing.T
	c      *zmq.Context
	pool   *pool.Pool
	way    string
	ctx    context.Context
	cancel context.CancelCauseFunc
	group  sync.WaitGroup
	left   atomic.Int64 // messages that are still to be received
}

var errAllThere = errors.New("all messages are there")

func newRun(t *testing.T, way string, receptions int) *run {
	timed, stop := context.WithTimeout(t.Context(), patience+time.Duration(receptions)*100*time.Microsecond)
	ctx, cancel := context.WithCancelCause(timed)
	p := newPool(t) // its buffers are back when the context is closed
	r := &run{t: t, c: newContext(t), pool: p, way: way, ctx: ctx, cancel: cancel}
	r.left.Store(int64(receptions))
	t.Cleanup(func() {
		cancel(nil)
		stop()
	})
	return r
}

// took counts a message.
func (r *run) took() {
	if r.left.Add(-1) == 0 {
		r.cancel(errAllThere)
	}
}

// start runs f, whose error ends the run.
func (r *run) start(f func() error) {
	r.group.Go(func() {
		if err := f(); err != nil && !errors.Is(err, errAllThere) && !errors.Is(context.Cause(r.ctx), errAllThere) {
			r.cancel(err)
		}
	})
}

// send starts f with what sends by a socket.
func (r *run) send(s *zmq.Socket, f func(snd sender) error) {
	r.start(func() error {
		snd, err := newSender(r.ctx, s, r.way, r.pool)
		defer snd.close()
		if err != nil {
			return err
		}
		return f(snd)
	})
}

// produce sends n messages of a new producer by s.
func (r *run) produce(s *zmq.Socket, id uint32, n int) {
	r.send(s, func(snd sender) error {
		p := account.Producer{ID: id}
		for range n {
			if err := snd.send(p.Make()); err != nil {
				return fmt.Errorf("send message %d of %d: %w", p.Next-1, id, err)
			}
		}
		return snd.flush()
	})
}

// consume enters what s receives into l.
func (r *run) consume(s *zmq.Socket, l *account.Ledger, connection int) {
	r.start(func() error {
		return receive(r.ctx, s, r.way, nil, func(parts [][]byte, _ *zmq.Message) error {
			l.Take(connection, parts)
			r.took()
			return nil
		})
	})
}

// end waits for the end, and checks that no receiver gets more messages than were sent.
func (r *run) end(receivers ...*zmq.Socket) {
	r.t.Helper()
	<-r.ctx.Done()
	r.group.Wait()
	require.ErrorIs(r.t, context.Cause(r.ctx), errAllThere, "%d messages did not come", r.left.Load())
	for _, s := range receivers {
		require.NoError(r.t, quiet(s))
	}
}

// settled requires that all that each producer sent is in the ledger, once and whole.
func settled(t *testing.T, l *account.Ledger, sent map[uint32]int) {
	t.Helper()
	total, lost := 0, uint64(0)
	for id, n := range sent {
		missing, _ := l.Missing(id, uint64(n))
		lost += missing
		total += n
	}
	totals.book(l, lost)
	require.NoError(t, l.Report().Fault())
	require.Zero(t, lost, "messages that were lost")
	require.EqualValues(t, total, l.Report().Received)
	require.Len(t, l.Producers(), len(sent))
}

// pushPull has three PUSH sockets share the work out between two PULL sockets.
func pushPull(t *testing.T, way, transport string, n int) {
	const pushes, pulls = 3, 2
	r := newRun(t, way, n/pushes*pushes)
	var l account.Ledger
	var receivers []*zmq.Socket
	var endpoints []string
	for range pulls {
		s := newSocket(t, r.c, zmq.Pull, settingsOf(way)...)
		endpoints = append(endpoints, listen(t, s, transport))
		receivers = append(receivers, s)
	}
	sent := map[uint32]int{}
	for i := range pushes {
		s := newSocket(t, r.c, zmq.Push)
		for _, e := range endpoints {
			require.NoError(t, s.Connect(e))
		}
		sent[uint32(i)] = n / pushes
		r.produce(s, uint32(i), n/pushes)
	}
	for i, s := range receivers {
		r.consume(s, &l, i)
	}
	r.end(receivers...)
	settled(t, &l, sent)
}

// sharedPushPull has four goroutines use each of two sockets at once.
func sharedPushPull(t *testing.T, way, transport string, n int) {
	const goroutines = 4
	r := newRun(t, way, n/goroutines*goroutines)
	var l account.Ledger
	pull := newSocket(t, r.c, zmq.Pull, settingsOf(way)...)
	push := newSocket(t, r.c, zmq.Push)
	require.NoError(t, push.Connect(listen(t, pull, transport)))
	sent := map[uint32]int{}
	for i := range goroutines {
		sent[uint32(i)] = n / goroutines
		r.produce(push, uint32(i), n/goroutines)
		r.start(func() error {
			// Part by part is not for sockets that goroutines share.
			mine := way
			if way == plain {
				mine = pooled
			}
			return receive(r.ctx, pull, mine, nil, func(parts [][]byte, _ *zmq.Message) error {
				l.Take(account.Unordered, parts)
				r.took()
				return nil
			})
		})
	}
	r.end(pull)
	settled(t, &l, sent)
}

// bothWays has two PAIR sockets send and receive at the same time.
func bothWays(t *testing.T, way, transport string, n int) {
	r := newRun(t, way, n/2*2)
	a := newSocket(t, r.c, zmq.Pair, settingsOf(way)...)
	b := newSocket(t, r.c, zmq.Pair, settingsOf(way)...)
	require.NoError(t, b.Connect(listen(t, a, transport)))
	var atA, atB account.Ledger
	r.produce(a, 1, n/2)
	r.produce(b, 2, n/2)
	r.consume(a, &atA, 0)
	r.consume(b, &atB, 0)
	r.end(a, b)
	settled(t, &atA, map[uint32]int{2: n / 2})
	settled(t, &atB, map[uint32]int{1: n / 2})
}

// dealerRouter has three DEALER sockets send to a ROUTER that sends everything back.
func dealerRouter(t *testing.T, way, transport string, n int) {
	const dealers = 3
	n = n / 2 / dealers // each message goes both ways
	r := newRun(t, way, 2*n*dealers)
	router := newSocket(t, r.c, zmq.Router, append(settingsOf(way), zmq.RouterMandatory.To(true))...)
	endpoint := listen(t, router, transport)
	var there account.Ledger
	var back [dealers]account.Ledger
	receivers := []*zmq.Socket{router}
	sent := map[uint32]int{}
	for i := range dealers {
		s := newSocket(t, r.c, zmq.Dealer, settingsOf(way)...)
		require.NoError(t, s.Connect(endpoint))
		sent[uint32(i)] = n
		r.produce(s, uint32(i), n)
		r.consume(s, &back[i], 0)
		receivers = append(receivers, s)
	}
	r.send(router, func(snd sender) error {
		return receive(r.ctx, router, r.way, snd.flush, func(parts [][]byte, _ *zmq.Message) error {
			there.Take(0, parts[1:])
			r.took()
			return snd.send(parts)
		})
	})
	r.end(receivers...)
	settled(t, &there, sent)
	for i := range dealers {
		settled(t, &back[i], map[uint32]int{uint32(i): n})
	}
}

// reqRep has three REQ sockets ask a REP that answers with the question.
func reqRep(t *testing.T, way, transport string, n int) {
	const requesters = 3
	n = n / 2 / requesters
	r := newRun(t, way, 2*n*requesters)
	rep := newSocket(t, r.c, zmq.Rep)
	endpoint := listen(t, rep, transport)
	var questions account.Ledger
	var answers [requesters]account.Ledger
	sent := map[uint32]int{}
	for i := range requesters {
		s := newSocket(t, r.c, zmq.Req)
		require.NoError(t, s.Connect(endpoint))
		sent[uint32(i)] = n
		r.send(s, func(snd sender) error {
			p := account.Producer{ID: uint32(i)}
			if err := snd.send(p.Make()); err != nil {
				return err
			}
			return receive(r.ctx, s, r.way, nil, func(parts [][]byte, _ *zmq.Message) error {
				answers[i].Take(0, parts)
				r.took()
				if int(p.Next) == n {
					return errAllThere // for this one
				}
				return snd.send(p.Make())
			})
		})
	}
	r.send(rep, func(snd sender) error {
		return receive(r.ctx, rep, r.way, nil, func(parts [][]byte, _ *zmq.Message) error {
			questions.Take(0, parts)
			r.took()
			return snd.send(parts)
		})
	})
	r.end(rep)
	settled(t, &questions, sent)
	for i := range requesters {
		settled(t, &answers[i], map[uint32]int{uint32(i): n})
	}
}

const theEnd = "the end"

var errEnd = errors.New(theEnd)

// pubSub publishes from a PUB to two SUB sockets. The PUB counts the messages that it drops for
// slow subscribers. All other messages arrive.
func pubSub(t *testing.T, way, transport string, n int) {
	const subscribers = 2
	n /= subscribers
	r := newRun(t, way, 1)
	full := zmq.DropCounted
	if way == readAhead {
		full = zmq.Block // now and then
	}
	pub := newSocket(t, r.c, zmq.Pub, zmq.TrackSubscriptions.To(true), zmq.WhenFull.To(full))
	endpoint := listen(t, pub, transport)
	var ledgers [subscribers]account.Ledger
	ended := make(chan error, subscribers)
	for i := range subscribers {
		s := newSocket(t, r.c, zmq.Sub, append(settingsOf(way), zmq.Subscribe.To(""))...)
		require.NoError(t, s.Connect(endpoint))
		r.group.Go(func() {
			ended <- receive(r.ctx, s, way, nil, func(parts [][]byte, _ *zmq.Message) error {
				if len(parts) == 1 && string(parts[0]) == theEnd {
					return errEnd
				}
				ledgers[i].Take(0, parts)
				return nil
			})
		})
	}
	require.NoError(t, pub.WaitSubscribers(r.ctx, subscribers))
	snd, err := newSender(r.ctx, pub, way, r.pool)
	require.NoError(t, err)
	defer snd.close()
	p := account.Producer{ID: 1}
	for range n {
		require.NoError(t, snd.send(p.Make()))
	}
	require.NoError(t, snd.flush())
	dropped := pub.Stats().Dropped
	for tries := dropped; ; tries++ { // the end, too, may be dropped
		require.NoError(t, pub.Send(r.ctx, []byte(theEnd)))
		if pub.Stats().Dropped == tries {
			break
		}
		if err := r.ctx.Err(); err != nil {
			require.NoError(t, err)
		}
	}
	for range subscribers {
		require.ErrorIs(t, <-ended, errEnd)
	}
	r.cancel(errAllThere)
	r.end()
	for i := range ledgers {
		lost, _ := ledgers[i].Missing(1, uint64(n))
		totals.book(&ledgers[i], max(lost, dropped)-dropped)
		require.NoError(t, ledgers[i].Report().Fault())
		require.Equal(t, dropped, lost, "messages lost, of which %d are accounted for", dropped)
	}
	if full == zmq.Block {
		require.Zero(t, dropped)
	}
	totals.explain(0, dropped*subscribers)
}
