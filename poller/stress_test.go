package poller_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/test/testutil"
	"github.com/go-zmq/go-zmq/zmq"
)

var stressEvents = flag.Int64("events", 0, "events of each stress test; 0: a million, fewer under -race and -short")

// eventsToSee returns how many events a stress test waits for.
func eventsToSee() int64 {
	switch {
	case *stressEvents > 0:
		return *stressEvents
	case testing.Short():
		return 100_000
	case testutil.Race || testutil.Asan:
		return 300_000
	}
	return 1_000_000
}

// The time within which every pair must make progress.
const stall = time.Minute

// pair is one of the stress tests' pairs of a writer and a reader. One Poller waits
// until writers can write, another one until readers can read.
type pair interface {
	// write and read do at most n messages, without waiting.
	write(n int)
	read(n int)
	// disturb makes another operation on one of the ends.
	disturb(r *rand.Rand)
	// state describes a pair that is stuck.
	state() string
	received() int64
	close()
}

// stress runs two Pollers over pairs in rounds. In each round, other goroutines write,
// read and disturb at random until there were enough events. Then they stop, and every
// pair must go on with its Pollers alone. A lost wake-up leaves a pair that does not.
func stress(t *testing.T, writers, readers *poller.Poller, pairs []pair, writerOf, readerOf func(poller.Event) pair) {
	const rounds, others = 20, 3
	var events atomic.Int64
	var noise atomic.Bool
	var ended sync.WaitGroup
	var failure atomic.Pointer[error]
	run := func(p *poller.Poller, act func(poller.Event, int)) {
		ended.Go(func() {
			r := rand.New(rand.NewPCG(1, 2))
			for {
				ready, err := p.Poll(-1)
				if errors.Is(err, zmq.ErrClosed) {
					return
				}
				if err != nil {
					failure.CompareAndSwap(nil, &err)
					return
				}
				events.Add(int64(len(ready)))
				for _, e := range ready {
					act(e, 1+r.IntN(3))
				}
			}
		})
	}
	run(writers, func(e poller.Event, n int) {
		if q := writerOf(e); q != nil {
			q.write(n)
		}
	})
	run(readers, func(e poller.Event, n int) {
		if q := readerOf(e); q != nil {
			q.read(n)
		}
	})
	stop := make(chan struct{})
	resume := make(chan struct{}, others)
	var pausing sync.WaitGroup
	for i := range others {
		ended.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 3))
			for {
				select {
				case <-stop:
					return
				case <-resume:
				}
				for noise.Load() {
					q := pairs[r.IntN(len(pairs))]
					switch r.IntN(4) {
					case 0:
						q.write(r.IntN(4))
					case 1:
						q.read(r.IntN(4))
					default:
						q.disturb(r)
					}
				}
				pausing.Done()
			}
		})
	}
	// wait waits for a condition.
	wait := func(reached func() bool, stuck func() string) {
		deadline := time.Now().Add(stall)
		for !reached() {
			if err := failure.Load(); err != nil {
				require.NoError(t, *err)
			}
			if time.Now().After(deadline) {
				require.Fail(t, "no progress", stuck())
			}
			time.Sleep(time.Millisecond)
		}
	}
	before := make([]int64, len(pairs))
	var seen int64
	for round := range int64(rounds) {
		noise.Store(true)
		pausing.Add(others)
		for range others {
			resume <- struct{}{}
		}
		goal := eventsToSee() * (round + 1) / rounds
		last := int64(-1)
		for events.Load() < goal {
			wait(func() bool { return events.Load() >= min(goal, last+1) }, func() string { return "no events at all" })
			last = events.Load()
		}
		noise.Store(false)
		pausing.Wait()
		for i, q := range pairs {
			before[i] = q.received()
		}
		for i, q := range pairs {
			wait(func() bool { return q.received() >= before[i]+5 }, func() string {
				return fmt.Sprintf("pair %d is stuck after round %d: %s", i, round, q.state())
			})
		}
		seen = events.Load()
	}
	close(stop)
	require.NoError(t, writers.Close())
	require.NoError(t, readers.Close())
	ended.Wait()
	t.Logf("%d events over %d sockets or descriptors, no ready one unreported", seen, 2*len(pairs))
}

// socketPair is a PUSH or DEALER that sends to a PULL or DEALER.
type socketPair struct {
	writers, readers *poller.Poller
	push, pull       *zmq.Socket
	n                atomic.Int64
}

func (q *socketPair) write(n int) {
	for range n {
		if q.push.Send(context.Background(), []byte("m"), zmq.DontWait) != nil {
			return
		}
	}
}

func (q *socketPair) read(n int) {
	var buf [8]byte
	for range n {
		if _, err := q.pull.Recv(context.Background(), buf[:], zmq.DontWait); err != nil {
			return
		}
		q.n.Add(1)
	}
}

func (q *socketPair) disturb(r *rand.Rand) {
	p, s, events := q.readers, q.pull, poller.In
	if r.IntN(2) == 0 {
		p, s, events = q.writers, q.push, poller.Out
	}
	switch r.IntN(5) {
	case 0: // another one may do the same at this moment
		if p.Remove(s) == nil {
			for p.Add(s, events) != nil {
				runtime.Gosched()
			}
		}
	case 1:
		_ = p.Update(s, events)
	case 2:
		_, _ = zmq.Events.Get(s)
	case 3:
		_ = s.Set(zmq.Linger.To(0))
	case 4:
		_ = q.push.Set(zmq.SendTimeout.To(time.Millisecond))
	}
}

func (q *socketPair) state() string {
	in, _ := zmq.Events.Get(q.pull)
	out, _ := zmq.Events.Get(q.push)
	return fmt.Sprintf("%v has events %v, %v has %v, %d received", q.pull.Type(), in, q.push.Type(), out, q.n.Load())
}

func (q *socketPair) received() int64 { return q.n.Load() }

func (q *socketPair) close() {
	_ = q.push.Close()
	_ = q.pull.Close()
}

// Millions of events over 500 sockets; `make check LANE=poller` has ten million.
func TestStressSockets(t *testing.T) {
	const pairs = 250
	zctx := newContext(t, zmq.MaxSockets.To(4*pairs))
	writers, readers := newPoller(t), newPoller(t)
	all, byPush, byPull := make([]pair, pairs), map[*zmq.Socket]pair{}, map[*zmq.Socket]pair{}
	for i := range all {
		mark := 1 + i%3
		types := [2]zmq.SocketType{zmq.Push, zmq.Pull}
		if i%2 == 0 {
			types = [2]zmq.SocketType{zmq.Dealer, zmq.Dealer}
		}
		q := &socketPair{writers: writers, readers: readers}
		q.push = newSocket(t, zctx, types[0], zmq.HWM(mark))
		q.pull = newSocket(t, zctx, types[1], zmq.HWM(mark))
		if i%5 == 0 {
			require.NoError(t, q.pull.Set(zmq.ReadAhead.To(4)))
		}
		endpoint := fmt.Sprintf("inproc://stress-%d", i)
		if i%10 == 1 {
			endpoint = "tcp://127.0.0.1:*"
		}
		connect(t, q.pull, q.push, endpoint)
		require.NoError(t, writers.Add(q.push, poller.Out))
		require.NoError(t, readers.Add(q.pull, poller.In))
		all[i], byPush[q.push], byPull[q.pull] = q, q, q
	}
	stress(t, writers, readers, all,
		func(e poller.Event) pair { return byPush[e.Socket] },
		func(e poller.Event) pair { return byPull[e.Socket] })
	for _, q := range all {
		q.close()
	}
}

// Sockets and descriptors are added, become ready, and are removed or closed while a
// Poller waits for them. It reports the others.
func TestStressClose(t *testing.T) {
	lives := 4000
	if testutil.Race || testutil.Asan || testing.Short() {
		lives = 400
	}
	// libzmq's reaper thread may be slower than the goroutines that close sockets.
	zctx := newContext(t, zmq.MaxSockets.To(4096))
	p := newPoller(t)
	var reported sync.Map // *zmq.Socket or descriptor: a channel to close
	var ended sync.WaitGroup
	ended.Go(func() {
		for {
			ready, err := p.Poll(-1)
			if err != nil {
				return // closed: the end of the test
			}
			for _, e := range ready {
				key := any(e.Socket)
				if e.Socket == nil {
					key = e.FD
				}
				if told, ok := reported.LoadAndDelete(key); ok {
					close(told.(chan struct{}))
				}
			}
		}
	})
	var workers sync.WaitGroup
	var failure atomic.Pointer[error]
	fail := func(err error) bool {
		if err != nil {
			failure.CompareAndSwap(nil, &err)
		}
		return err != nil
	}
	for i := range 4 {
		workers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 9))
			for n := range lives {
				if failure.Load() != nil || fail(oneLife(zctx, p, &reported, fmt.Sprintf("inproc://life-%d-%d", i, n), r)) {
					return
				}
			}
		})
	}
	workers.Wait()
	if err := failure.Load(); err != nil {
		require.NoError(t, *err)
	}
	require.Zero(t, p.Len())
	require.NoError(t, p.Close())
	ended.Wait()
}

// oneLife adds a socket or a descriptor to p, makes it ready, waits for the report or
// not, and removes or closes it in one of several ways.
func oneLife(zctx *zmq.Context, p *poller.Poller, reported *sync.Map, endpoint string, r *rand.Rand) error {
	told := make(chan struct{})
	patient := func() error {
		select {
		case <-told:
			return nil
		case <-time.After(stall):
			return errors.New("ready, and not reported")
		}
	}
	if r.IntN(3) == 0 {
		return oneLifeOfFD(p, reported, told, patient, r)
	}
	pull, err := zctx.NewSocket(zmq.Pull)
	if err != nil {
		return err
	}
	push, err := zctx.NewSocket(zmq.Push, zmq.Linger.To(0))
	if err != nil {
		return err
	}
	reported.Store(pull, told)
	err = errors.Join(p.Add(pull, poller.In), pull.Bind(endpoint), push.Connect(endpoint), push.SendString(context.Background(), "x"))
	if err == nil && r.IntN(4) > 0 {
		err = patient()
	}
	reported.Delete(pull)
	if r.IntN(2) == 0 {
		err = errors.Join(err, p.Remove(pull))
	}
	return errors.Join(err, pull.Close(), push.Close())
}
