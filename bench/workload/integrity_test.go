package workload_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/bench/workload"
	"github.com/go-zmq/go-zmq/zmq"
)

// A harm replaces the message with number n of a relay by the messages that it returns.
// The greetings have the first numbers.
type harm func(n int, p []byte) [][]byte

// A run has this number of messages. The changed message is number victim, or one of the
// last 64 of each receiver.
const (
	messages = 999
	victim   = 100
	late     = 5 // messages before the last one
)

func double(_ int, p []byte) [][]byte { return [][]byte{p, p} }

var harms = map[string]harm{
	"lost":    func(int, []byte) [][]byte { return nil },
	"doubled": double,
	"cut":     func(_ int, p []byte) [][]byte { return [][]byte{p[:len(p)-1]} },
	"longer":  func(_ int, p []byte) [][]byte { return [][]byte{append(p, 0)} },
}

// delay returns a harm that holds a message back until its sender sends another number.
func delay() harm {
	var kept []byte
	return func(n int, p []byte) [][]byte {
		if n == victim {
			kept = p
			return nil
		}
		if kept == nil || bytes.Equal(kept[:8], p[:8]) || !bytes.Equal(kept[6:8], p[6:8]) {
			return [][]byte{p}
		}
		both := [][]byte{p, kept}
		kept = nil
		return both
	}
}

// These harms change 64 messages, because a run checks only some of them.
var harmsOfMany = map[string]harm{
	"corrupted": func(_ int, p []byte) [][]byte { p[2] ^= 1; return [][]byte{p} },
	"another's": func(_ int, p []byte) [][]byte { p[6] ^= 0x40; return [][]byte{p} },
}

func unharmed(_ int, p []byte) [][]byte { return [][]byte{p} }

// during returns a harm that changes only the messages from first to behind-1.
func during(first, behind int, do harm) harm {
	return func(n int, p []byte) [][]byte {
		if n >= first && n < behind {
			return do(n, p)
		}
		return [][]byte{p}
	}
}

// harmed calls f for each harm that a run of spec detects. A relay creates one harm for
// each of its connections.
func harmed(spec workload.Spec, f func(name string, newHarm func() harm)) {
	add := func(name string, do harm) { f(name, func() harm { return do }) }
	add("unharmed", unharmed)
	lockstep := spec.Pattern == workload.DealerDealer || spec.Pattern == workload.ReqRep
	for name, do := range harms {
		switch {
		case name == "lost" && lockstep: // the client would wait for the reply: see TestContextEndsRunWithLostMessage
		case name == "doubled" && spec.Pattern == workload.ReqRep: // not detected: see doc.go
		default:
			add(name, during(victim, victim+1, do))
		}
	}
	for name, do := range harmsOfMany {
		add(name, during(victim, victim+64, do))
	}
	if !lockstep {
		f("delayed", delay)
	}
	if spec.Pattern != workload.ReqRep {
		last := messages/max(spec.Receivers, 1) - late
		add("doubled late", during(last, last+1, double))
	}
}

// relay forwards messages between the sockets of a workload, and does harm.
type relay struct {
	t       *testing.T
	c       *zmq.Context
	pattern workload.Pattern
	newHarm func() harm
	running sync.WaitGroup
}

func newRelay(t *testing.T, pattern workload.Pattern, newHarm func() harm) *relay {
	zctx, err := zmq.NewContext(zmq.SocketDefaults(zmq.TrackSubscriptions.To(true)))
	require.NoError(t, err)
	r := &relay{t: t, c: zctx, pattern: pattern, newHarm: newHarm}
	t.Cleanup(func() {
		require.NoError(t, zctx.Close())
		r.running.Wait()
	})
	return r
}

// via returns the endpoint of the relay for the endpoint of a bound socket.
func (r *relay) via(bound string) (string, error) {
	types := map[workload.Pattern][2]zmq.SocketType{
		workload.PushPull: {zmq.Pull, zmq.Push},
		workload.PubSub:   {zmq.Pub, zmq.Sub},
		workload.ReqRep:   {zmq.Router, zmq.Dealer},
	}[r.pattern]
	if types == [2]zmq.SocketType{} { // a DEALER forwards every message unchanged
		types = [2]zmq.SocketType{zmq.Dealer, zmq.Dealer}
	}
	unlimited := []zmq.Setting{zmq.Linger.To(0), zmq.SendHWM.To(0), zmq.RecvHWM.To(0)}
	atFront, atBack := unlimited, unlimited
	if r.pattern == workload.RouterRouter { // each end has the routing id that its peer expects
		atFront = append(atFront[:3:3], zmq.RoutingID.To([]byte("b")))
		atBack = append(atBack[:3:3], zmq.RoutingID.To([]byte("a")))
	}
	front, err := r.c.NewSocket(types[0], atFront...)
	require.NoError(r.t, err)
	back, err := r.c.NewSocket(types[1], atBack...)
	require.NoError(r.t, err)
	require.NoError(r.t, front.Bind("tcp://127.0.0.1:*"))
	require.NoError(r.t, back.Connect(bound))
	switch r.pattern {
	case workload.PubSub: // the publisher counts the subscription of the relay
		r.running.Go(func() {
			if front.WaitSubscribers(context.Background(), 1) == nil && back.Subscribe("") == nil {
				pass(back, front, r.newHarm())
			}
		})
	case workload.PushPull:
		r.running.Go(func() { pass(front, back, r.newHarm()) })
	default: // the replies are not changed
		r.running.Go(func() { pass(back, front, unharmed) })
		r.running.Go(func() { pass(front, back, r.newHarm()) })
	}
	return front.LastEndpoint()
}

// pass forwards messages until the context is closed. It changes the last part.
func pass(from, to *zmq.Socket, do harm) {
	for n := 0; ; n++ {
		parts, err := from.RecvMultipart(context.Background())
		if err != nil {
			return
		}
		last := len(parts) - 1
		for _, p := range do(n, parts[last]) {
			if to.SendMultipart(context.Background(), append(parts[:last:last], p)) != nil {
				return
			}
		}
	}
}

// A run fails if a message is changed, lost, repeated or delayed between the sockets, in
// every mode and with every strategy. Otherwise it succeeds.
func TestHarmIsNoticed(t *testing.T) {
	t.Parallel()
	base := func(pattern workload.Pattern, mode workload.Mode, strategy workload.Strategy) workload.Spec {
		return workload.Spec{Pattern: pattern, Mode: mode, Strategy: strategy, Impl: workload.Go}
	}
	specs := []workload.Spec{
		base(workload.PubSub, workload.Blocking, ""), base(workload.DealerDealer, workload.Blocking, ""),
		base(workload.RouterRouter, workload.Blocking, ""), base(workload.RouterRouter, workload.Batch, ""),
		base(workload.ReqRep, workload.Blocking, ""),
	}
	for _, mode := range []workload.Mode{workload.Blocking, workload.Batch, workload.ReadAhead} {
		s := base(workload.DealerRouter, mode, "")
		s.Window = 200 // more than 64, so that later messages are already sent
		specs = append(specs, s)
	}
	for _, mode := range workload.Modes() {
		specs = append(specs, base(workload.PushPull, mode, ""))
	}
	for _, strategy := range workload.Strategies(workload.Go) {
		specs = append(specs, base(workload.PushPull, "", strategy), base(workload.PushPull, workload.Poll, strategy))
	}
	for _, peers := range []int{3, -3} {
		s := base(workload.PushPull, workload.Blocking, "")
		s.Senders, s.Receivers = max(peers, 0), max(-peers, 0)
		batch := s
		batch.Mode = workload.Batch
		specs = append(specs, s, batch)
	}
	for _, s := range specs {
		if s.Strategy == "" {
			c := s
			c.Impl = workload.C
			specs = append(specs, c)
		}
	}
	for _, impl := range []workload.Strategy{workload.Copy, workload.ZeroCopy} {
		c := base(workload.PushPull, "", impl)
		c.Impl = workload.C
		specs = append(specs, c)
	}
	for _, spec := range specs {
		spec.Transport, spec.Size, spec.Messages = workload.TCP, 100, messages
		harmed(spec, func(name string, newHarm func() harm) {
			t.Run(fmt.Sprintf("%s/%s", name, spec), func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				w, err := workload.OpenVia(ctx, spec, newRelay(t, spec.Pattern, newHarm).via)
				require.NoError(t, err)
				defer func() { require.NoError(t, w.Close()) }()
				_, err = w.Run()
				if name == "unharmed" {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, workload.ErrIntegrity)
				}
			})
		})
	}
}

// A run that waits for a lost message ends with its context, and returns the cause.
func TestContextEndsRunWithLostMessage(t *testing.T) {
	t.Parallel()
	for _, impl := range workload.Impls() {
		t.Run(string(impl), func(t *testing.T) {
			t.Parallel()
			lost := make(chan struct{})
			do := func(n int, p []byte) [][]byte {
				if n == 10 {
					close(lost)
					return nil
				}
				return [][]byte{p}
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			spec := workload.Spec{
				Pattern: workload.DealerDealer, Transport: workload.TCP, Mode: workload.Blocking, Impl: impl, Size: 8, Messages: 100,
			}
			w, err := workload.OpenVia(ctx, spec, newRelay(t, spec.Pattern, func() harm { return do }).via)
			require.NoError(t, err)
			reason := fmt.Errorf("a reply is overdue")
			go func() {
				<-lost
				cancel(reason)
			}()
			_, err = w.Run()
			require.ErrorIs(t, err, reason)
			require.NoError(t, w.Close())
		})
	}
}
