package account_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/test/account"
	"github.com/go-zmq/go-zmq/zmq"
)

// childVariable tells a child process its jobs, as JSON.
const childVariable = "GOZMQ_TEST_JOBS"

// A job is one stream of messages between a child process, which connects, and its parent.
type job struct {
	ID       uint32 // of the producer
	Pattern  string
	Endpoint string
	Way      string
	Messages int           // 0: without end
	Collects bool          // the child receives, instead of sending
	Burst    int           // messages that are sent at once; 0: all
	Every    time.Duration // between the starts of two bursts
	Harm     string        // what happens to one message: lost, doubled or corrupt
}

// A duty says what each side does in a pattern. In patterns with replies, the producer sends a
// number of requests before it waits for their replies.
type duty struct {
	producer, collector zmq.SocketType
	window              int
}

var duties = map[string]duty{
	"PUSH-PULL":     {zmq.Push, zmq.Pull, 0},
	"PAIR":          {zmq.Pair, zmq.Pair, 0},
	"PUB-SUB":       {zmq.Pub, zmq.Sub, 0},
	"REQ-REP":       {zmq.Req, zmq.Rep, 1},
	"DEALER-ROUTER": {zmq.Dealer, zmq.Router, 50},
}

// TestChildProcess is what children run. Without jobs it does nothing.
func TestChildProcess(t *testing.T) {
	text := os.Getenv(childVariable)
	if text == "" {
		return
	}
	var jobs []job
	require.NoError(t, json.Unmarshal([]byte(text), &jobs))
	p := newPool(t) // its buffers are back when the context is closed
	zctx := newContext(t)
	works := make([]func(context.Context) error, len(jobs))
	for i, j := range jobs {
		s, work := j.open(t, zctx, p, !j.Collects)
		require.NoError(t, s.Connect(j.Endpoint))
		works[i] = work
	}
	require.NoError(t, workAll(t.Context(), jobs, works))
}

// lasting returns how long the longest of the jobs takes at its own pace.
func lasting(jobs []job) (longest time.Duration) {
	for _, j := range jobs {
		if j.Burst > 0 {
			longest = max(longest, time.Duration(j.Messages/j.Burst)*j.Every)
		}
	}
	return longest
}

// workAll does the work of one side of all jobs at once. The first error ends all of them.
func workAll(ctx context.Context, jobs []job, works []func(context.Context) error) error {
	var group sync.WaitGroup
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if !endless(jobs) {
		var stop func()
		ctx, stop = context.WithTimeout(ctx, lasting(jobs)+patience)
		defer stop()
	}
	for i, work := range works {
		group.Go(func() {
			if err := work(ctx); err != nil {
				cancel(fmt.Errorf("%s, %s, child collects %v: %w", jobs[i].Pattern, jobs[i].Way, jobs[i].Collects, err))
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

func endless(jobs []job) bool {
	for _, j := range jobs {
		if j.Messages == 0 {
			return true
		}
	}
	return false
}

// open creates the socket of one side of the job, and returns its work.
func (j job) open(t *testing.T, zctx *zmq.Context, p *pool.Pool, sends bool) (*zmq.Socket, func(context.Context) error) {
	t.Helper()
	d := duties[j.Pattern]
	typ, work := d.collector, j.collect
	if sends {
		typ, work = d.producer, j.produce
	}
	settings := []zmq.Setting{zmq.Linger.To(patience)}
	if !sends || d.window > 0 {
		settings = append(settings, settingsOf(j.Way)...)
	}
	switch typ {
	case zmq.Pub:
		settings = append(settings, zmq.WhenFull.To(zmq.Block))
	case zmq.Sub:
		settings = append(settings, zmq.Subscribe.To(""))
	}
	s, err := zctx.NewSocket(typ, settings...)
	require.NoError(t, err)
	return s, func(ctx context.Context) error { return work(ctx, s, p) }
}

// produce sends the messages of the job, and checks the replies.
func (j job) produce(ctx context.Context, s *zmq.Socket, p *pool.Pool) error {
	window := duties[j.Pattern].window
	if s.Type() == zmq.Pub {
		if err := s.WaitSubscribers(ctx, 1); err != nil {
			return err
		}
	}
	snd, err := newSender(ctx, s, j.Way, p)
	defer snd.close()
	if err != nil {
		return err
	}
	made := account.Producer{ID: j.ID}
	var answers account.Ledger
	begin := time.Now()
	for j.Messages == 0 || made.Next < uint64(j.Messages) {
		if err := j.send(snd, &made); err != nil {
			return fmt.Errorf("send message %d: %w", made.Next-1, err)
		}
		if window > 0 && made.Next%uint64(window) == 0 {
			if err := errors.Join(snd.flush(), j.answers(ctx, s, &answers, window)); err != nil {
				return err
			}
		}
		if j.Burst > 0 && made.Next%uint64(j.Burst) == 0 {
			if err := snd.flush(); err != nil {
				return err
			}
			next := begin.Add(time.Duration(made.Next/uint64(j.Burst)) * j.Every)
			select {
			case <-time.After(time.Until(next)):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	if window == 0 {
		return snd.flush()
	}
	return j.settle(&answers)
}

// send sends the next message, and harms that in the middle if the job says so.
func (j job) send(snd sender, made *account.Producer) error {
	parts := made.Make()
	if j.Harm != "" && made.Next == uint64(j.Messages)/2 {
		switch j.Harm {
		case "lost":
			return nil
		case "doubled":
			if err := snd.send(parts); err != nil {
				return err
			}
		case "corrupt":
			parts[0][len(parts[0])-1] ^= 1
		}
	}
	return snd.send(parts)
}

// answers receives the replies of one window.
func (j job) answers(ctx context.Context, s *zmq.Socket, l *account.Ledger, window int) error {
	err := receive(ctx, s, j.Way, nil, func(parts [][]byte, _ *zmq.Message) error {
		l.Take(0, parts)
		if window--; window > 0 {
			return nil
		}
		return errEnd
	})
	if errors.Is(err, errEnd) {
		return nil
	}
	return fmt.Errorf("receive %d more answers: %w", window, err)
}

// collect receives the messages of the job until the last one, and answers them if the pattern has
// replies.
func (j job) collect(ctx context.Context, s *zmq.Socket, p *pool.Pool) error {
	snd := sender{send: func([][]byte) error { return nil }, flush: func() error { return nil }}
	if duties[j.Pattern].window > 0 {
		var err error
		snd, err = newSender(ctx, s, j.Way, p)
		defer snd.close()
		if err != nil {
			return err
		}
	}
	var l account.Ledger
	err := receive(ctx, s, j.Way, snd.flush, func(parts [][]byte, _ *zmq.Message) error {
		content := parts
		if s.Type() == zmq.Router {
			content = parts[1:]
		}
		_, number := l.Take(0, content)
		if err := snd.send(parts); err != nil {
			return err
		}
		if number+1 == uint64(j.Messages) {
			return errEnd
		}
		return nil
	})
	if !errors.Is(err, errEnd) {
		return fmt.Errorf("receive message %d of %d: %w", l.End(j.ID), j.Messages, err)
	}
	return errors.Join(snd.flush(), j.settle(&l), quiet(s))
}

// settle reports what is wrong with the messages of the job, which are all expected in l.
func (j job) settle(l *account.Ledger) error {
	if j.Messages == 0 {
		return nil
	}
	lost, _ := l.Missing(j.ID, uint64(j.Messages))
	if j.Harm == "" {
		totals.book(l, lost)
	}
	if err := l.Report().Fault(); err != nil {
		return err
	}
	if n := l.Report().Received; lost > 0 || n != uint64(j.Messages) {
		return fmt.Errorf("%d messages received of %d, %d lost", n, j.Messages, lost)
	}
	return nil
}
