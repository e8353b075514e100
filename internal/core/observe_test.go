package core

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
	"github.com/go-zmq/go-zmq/internal/readiness"
	"github.com/go-zmq/go-zmq/internal/rules"
)

// spy is an Observer that notes what it is told. One that sees thefts asks a kernel's
// set for edges, as package poller does; one that does not looks at the level.
type spy struct {
	sees bool
	set  *readiness.Set

	fd             int
	touched        int // the events of the calls of Touched
	stopped        int
	ended, context bool
}

func newSpy(t testing.TB, sees bool) *spy {
	t.Helper()
	o := &spy{sees: sees && readiness.SeesThefts}
	if o.sees {
		var err error
		o.set, err = readiness.Open(func() {})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, o.set.Close()) })
	}
	return o
}

func (o *spy) Attach(fd int) error {
	o.fd = fd
	if o.set != nil {
		return o.set.Add(fd, 1, readiness.Signal)
	}
	return nil
}

func (o *spy) SeesThefts() bool   { return o.sees }
func (o *spy) Touched(events int) { o.touched |= events }

func (o *spy) Stopped(ended, withContext bool) {
	o.stopped++
	o.ended, o.context = ended, withContext
}

// told returns the events of which something was announced since the last call.
func (o *spy) told(t testing.TB) (events int) {
	events = o.touched
	o.touched = 0
	told := false
	if o.set == nil {
		told = libzmq.Readable(o.fd)
	} else {
		edges, err := o.set.Ready(nil)
		require.NoError(t, err)
		told = len(edges) > 0
	}
	if told {
		return libzmq.EventIn | libzmq.EventOut
	}
	return events
}

// observed is a socket with its observers, and what their last looks said.
type observed struct {
	s     *Socket
	spies []*spy
	last  []int
}

// look requires that what has become ready since the last look was announced.
func (o *observed) look(t testing.TB, i int, history func() string) {
	told := o.spies[i].told(t)
	now, _ := o.s.Look(o.spies[i], libzmq.EventIn|libzmq.EventOut)
	if now&^o.last[i]&^told != 0 {
		require.FailNow(t, "a change was not announced", "%s, observer %d: %d before, %d now, after %s",
			rules.Type(o.s.typ).String(), i, o.last[i], now, history())
	}
	o.last[i] = now
}

var observedTypes = [][2]int{
	{libzmq.Pair, libzmq.Pair},
	{libzmq.Dealer, libzmq.Dealer},
	{libzmq.Rep, libzmq.Req},
	{libzmq.Rep, libzmq.Dealer},
	{libzmq.Pull, libzmq.Push},
	{libzmq.Router, libzmq.Dealer},
	{libzmq.Router, libzmq.Req},
	{libzmq.Sub, libzmq.Pub},
	{libzmq.Sub, libzmq.XPub},
	{libzmq.XSub, libzmq.XPub},
}

// The rule of Observer: if a look finds a direction not ready, the observer is told when it
// becomes ready, whichever goroutine or operation used up the signals.
func TestObserversAreTold(t *testing.T) {
	bothProtocols(t, func(t *testing.T) {
		for _, types := range observedTypes {
			for name, sees := range map[string][]bool{"edges": {true}, "touches": {false}, "both": {true, false, true, false}} {
				t.Run(fmt.Sprintf("%s-%s/%s", rules.Type(types[0]).String(), rules.Type(types[1]).String(), name), func(t *testing.T) {
					for seed := range uint64(scale(60)) {
						observersAreTold(t, types, sees, seed)
						if t.Failed() {
							return
						}
					}
				})
			}
		}
	})
}

var observedNames atomic.Int64

func observersAreTold(t *testing.T, types [2]int, sees []bool, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	c := newContext(t)
	hwm := 1 + r.IntN(3)
	var ends [2]*observed
	for i := range ends {
		o := &observed{s: newTestSocket(t, c, types[i], hwm)}
		for _, sees := range sees {
			spy := newSpy(t, sees)
			require.NoError(t, o.s.Observe(spy))
			o.spies, o.last = append(o.spies, spy), append(o.last, 0)
		}
		ends[i] = o
	}
	var history []string
	all := func() string { return fmt.Sprint("seed ", seed, ": ", history) }
	for _, o := range ends {
		for i := range o.spies {
			o.spies[i].touched = libzmq.EventIn | libzmq.EventOut // an observer looks at first
			o.look(t, i, all)
		}
	}
	name := fmt.Sprint("inproc://observed-", observedNames.Add(1))
	first := r.IntN(2)
	require.NoError(t, ends[first].s.Bind(name))
	require.NoError(t, ends[1-first].s.Connect(name))
	batch := new(Batch)
	batch.Init(3)
	defer batch.Close()
	for range 300 {
		who := r.IntN(2)
		s := ends[who].s
		op := observedOps[r.IntN(len(observedOps))]
		history = append(history, fmt.Sprint(who, " ", op.name))
		op.do(s, r, batch)
		if r.IntN(3) == 0 {
			o := ends[r.IntN(2)]
			o.look(t, r.IntN(len(o.spies)), all)
		}
	}
	for _, o := range ends {
		for i := range o.spies {
			o.look(t, i, all)
		}
	}
	for _, o := range ends { // the other end learns of it at any time
		require.NoError(t, o.s.Close())
		for _, spy := range o.spies {
			require.Equal(t, 1, spy.stopped)
			require.True(t, spy.ended)
		}
	}
	require.NoError(t, c.Close(t.Context()))
}

// Operations that may or may not succeed.
var observedOps = []struct {
	name string
	do   func(s *Socket, r *rand.Rand, b *Batch)
}{
	{"send", func(s *Socket, _ *rand.Rand, _ *Batch) { _ = s.Send(context.Background(), []byte("x"), true) }},
	{"send", func(s *Socket, _ *rand.Rand, _ *Batch) { _ = s.Send(context.Background(), []byte("x"), true) }},
	{"sendparts", func(s *Socket, _ *rand.Rand, _ *Batch) {
		_ = s.SendParts(context.Background(), [][]byte{{}, {1}, {2}}, true)
	}},
	{"recv", func(s *Socket, _ *rand.Rand, _ *Batch) { _, _ = s.RecvBytes(context.Background(), true) }},
	{"recv", func(s *Socket, _ *rand.Rand, _ *Batch) { _, _ = s.RecvBytes(context.Background(), true) }},
	{"recvparts", func(s *Socket, _ *rand.Rand, _ *Batch) { _, _ = s.RecvMultipart(context.Background(), true) }},
	{"echo", func(s *Socket, _ *rand.Rand, _ *Batch) {
		if parts, err := s.RecvMultipart(context.Background(), true); err == nil {
			_ = s.SendParts(context.Background(), parts, true)
		}
	}},
	{"drain", func(s *Socket, _ *rand.Rand, _ *Batch) {
		for err := error(nil); err == nil; {
			_, err = s.RecvBytes(context.Background(), true)
		}
	}},
	{"fill", func(s *Socket, _ *rand.Rand, _ *Batch) {
		for i := range 20 {
			if s.Send(context.Background(), []byte{byte(i)}, true) != nil {
				return
			}
		}
	}},
	{"recvbatch", func(s *Socket, _ *rand.Rand, b *Batch) { _, _ = s.RecvBatch(context.Background(), b, true); b.Reset() }},
	{"sendbatch", func(s *Socket, _ *rand.Rand, b *Batch) {
		for range 3 {
			_ = b.Append([][]byte{{1}})
		}
		_, _ = s.SendBatch(context.Background(), b, true)
		b.Reset()
	}},
	{"readahead", func(s *Socket, r *rand.Rand, _ *Batch) {
		switch s.typ {
		case libzmq.Req, libzmq.Rep: // which package zmq refuses
		default:
			_ = s.SetReadAhead(r.IntN(4))
		}
	}},
	{"events", func(s *Socket, _ *rand.Rand, _ *Batch) { _, _ = s.GetOption(15, make([]byte, 4)) }},
	{"linger", func(s *Socket, _ *rand.Rand, _ *Batch) { _ = s.SetOption(libzmq.OptLinger, make([]byte, 4)) }},
	{"subscribe", func(s *Socket, _ *rand.Rand, _ *Batch) {
		switch s.typ {
		case libzmq.Sub:
			_ = s.SetOption(6, nil)
		case libzmq.XSub:
			_ = s.Send(context.Background(), []byte{1}, true)
		}
	}},
	{"unsubscribe", func(s *Socket, r *rand.Rand, _ *Batch) {
		if s.typ == libzmq.Sub && r.IntN(4) == 0 {
			_ = s.SetOption(7, nil)
		}
	}},
}

// An observer is told of the end once each, and of nothing after that.
func TestObserversEnd(t *testing.T) {
	c := newContext(t)
	for name, test := range map[string]struct {
		end            func(t *testing.T, c *Context, s *Socket, o *spy)
		stopped        int
		ended, context bool
	}{
		"close":     {func(t *testing.T, _ *Context, s *Socket, _ *spy) { require.NoError(t, s.Close()) }, 1, true, false},
		"unobserve": {func(_ *testing.T, _ *Context, s *Socket, o *spy) { s.Unobserve(o); s.Unobserve(o) }, 1, true, false},
		"shutdown":  {func(t *testing.T, c *Context, _ *Socket, _ *spy) { require.NoError(t, c.Shutdown()) }, 1, false, true},
		"context":   {func(t *testing.T, c *Context, _ *Socket, _ *spy) { require.NoError(t, c.Close(t.Context())) }, 1, true, true},
		"shutdown, close": {func(t *testing.T, c *Context, s *Socket, _ *spy) {
			require.NoError(t, c.Shutdown())
			require.NoError(t, s.Close())
		}, 2, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			own := newContext(t)
			s := newTestSocket(t, own, libzmq.Pub, 1)
			o, other := newSpy(t, true), newSpy(t, false)
			require.NoError(t, s.Observe(o))
			require.NoError(t, s.Observe(other))
			test.end(t, own, s, o)
			require.Equal(t, test.stopped, o.stopped)
			require.Equal(t, test.ended, o.ended)
			require.Equal(t, test.context, o.context)
			if s.Err() != nil {
				events, _ := s.Look(o, libzmq.EventOut)
				require.Zero(t, events)
				require.ErrorIs(t, s.Observe(newSpy(t, true)), s.Err())
			}
		})
	}
	// A refusal leaves nothing behind.
	s := newTestSocket(t, c, libzmq.Pub, 1)
	refusing := &refuser{}
	require.ErrorIs(t, s.Observe(refusing), ErrLost)
	require.NoError(t, s.SetOption(libzmq.OptLinger, make([]byte, 4)))
	require.NoError(t, s.Close())
	require.Zero(t, refusing.stopped)
	require.Zero(t, refusing.touched)
}

type refuser struct{ spy }

func (*refuser) Attach(int) error { return ErrLost }
