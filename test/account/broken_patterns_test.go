//go:build linux

package account_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/account"
	"github.com/go-zmq/go-zmq/zmq"
	network "github.com/go-zmq/go-zmq/zmq/zmqtest"
)

// Two PAIR sockets send to each other, through a proxy.
func brokenPair(t *testing.T, way string, harm harm) {
	const sides = 2
	r := newRun(t, way, sides) // the last message of each
	a := newSocket(t, r.c, zmq.Pair, settingsOf(way)...)
	proxy := network.NewProxy(t, bind(t, a, endpointOf("tcp")))
	b := newSocket(t, r.c, zmq.Pair, reconnects(settingsOf(way)...)...)
	require.NoError(t, b.Connect(proxy.Endpoint()))
	var links []*faultyLink // the same, seen from either side
	for id := range uint32(sides) {
		links = append(links, &faultyLink{proxy: proxy, made: account.Producer{ID: id}})
	}
	enough := resetUntil(t, links[:1], harm)
	// The PAIR may drop the last connection if it arrives while the socket still reads from the
	// previous one (docs/safety.md).
	repeat(t, 200*time.Millisecond, func(*rand.Rand) {
		if enough() && !(links[0].ended.Load() && links[1].ended.Load()) {
			proxy.Cut()
		}
	})
	var ledgers [sides]account.Ledger
	for i, s := range []*zmq.Socket{a, b} {
		mine, theirs := links[i], links[1-i]
		mine.send(r, s, enough)
		r.start(func() error {
			return receive(r.ctx, s, way, nil, func(parts [][]byte, _ *zmq.Message) error {
				// A PAIR has one connection after the other.
				_, number := ledgers[1-i].Take(0, parts)
				if enough() && number >= brokenMessages && !theirs.ended.Swap(true) {
					r.took()
				}
				return nil
			})
		})
	}
	r.end()
	for i := range ledgers {
		totals.book(&ledgers[i], 0)
		require.NoError(t, ledgers[i].Report().Fault())
		links[i].requireExplained(t, &ledgers[i], 0)
	}
}

// A PUB publishes to two SUB sockets, each behind a proxy of its own. The PUB does not wait for
// subscribers that are away. Messages dropped at a full queue are counted.
func brokenPub(t *testing.T, way string, full zmq.FullPolicy, harm harm) {
	const subscribers = 2
	r := newRun(t, way, subscribers) // the last message, at each
	pub := newSocket(t, r.c, zmq.Pub, zmq.WhenFull.To(full))
	endpoint := bind(t, pub, endpointOf("tcp"))
	made := account.Producer{ID: 7}
	var links []*faultyLink
	var ledgers [subscribers]account.Ledger
	var ended atomic.Int32
	for range subscribers {
		links = append(links, &faultyLink{proxy: network.NewProxy(t, endpoint), made: account.Producer{ID: made.ID}, published: true})
	}
	enough := resetUntil(t, links, harm)
	for i, l := range links {
		sub := newSocket(t, r.c, zmq.Sub, append(reconnects(settingsOf(way)...), zmq.Subscribe.To(""))...)
		require.NoError(t, sub.Connect(l.proxy.Endpoint()))
		r.start(func() error {
			return receive(r.ctx, sub, way, nil, func(parts [][]byte, _ *zmq.Message) error {
				_, number := ledgers[i].Take(0, parts)
				if enough() && number >= brokenMessages && !l.ended.Swap(true) {
					ended.Add(1)
					r.took()
				}
				return nil
			})
		})
	}
	r.send(pub, func(snd sender) error {
		return keepSending(r.ctx, snd, &made, func() bool { return !enough() || ended.Load() < subscribers })
	})
	r.end()
	if full == zmq.Block {
		require.Zero(t, pub.Stats().Dropped)
	}
	for i, l := range links {
		totals.book(&ledgers[i], 0)
		require.NoError(t, ledgers[i].Report().Fault())
		l.requireExplained(t, &ledgers[i], pub.Stats().Dropped)
	}
}

// REQ sockets ask a REP, each through a proxy of its own. An answer comes unless the
// connection broke after the question; and to the question that was asked last.
func brokenReq(t *testing.T, way string, harm harm) {
	const requesters = 2
	r := newRun(t, way, requesters)
	rep := newSocket(t, r.c, zmq.Rep)
	links := newLinks(t, bind(t, rep, endpointOf("tcp")))
	enough := resetUntil(t, links, harm)
	var questions account.Ledger
	var answers [requesters]account.Ledger
	var unanswered [requesters]uint64
	for i, l := range links {
		req := newSocket(t, r.c, zmq.Req, reconnects(zmq.ReqRelaxed.To(true), zmq.ReqCorrelate.To(true))...)
		require.NoError(t, req.Connect(l.proxy.Endpoint()))
		r.start(func() error {
			defer r.took()
			snd, err := newSender(r.ctx, req, way, r.pool)
			defer snd.close()
			if err != nil {
				return err
			}
			for l.made.Next < brokenMessages/10 || !enough() {
				answered, err := ask(r.ctx, l, req, snd, &answers[i])
				if err != nil {
					return err
				}
				if !answered {
					unanswered[i]++
				}
			}
			return nil
		})
	}
	r.send(rep, func(snd sender) error {
		from := connections{known: map[string]int{}}
		return receive(r.ctx, rep, way, nil, func(parts [][]byte, m *zmq.Message) error {
			connection, err := from.number(m)
			if err != nil {
				return err
			}
			questions.Take(connection, parts)
			return snd.send(parts)
		})
	})
	r.end()
	totals.book(&questions, 0)
	require.NoError(t, questions.Report().Fault())
	for i, l := range links {
		l.requireExplained(t, &questions, 0)
		totals.book(&answers[i], 0)
		totals.explain(unanswered[i], 0)
		require.NoError(t, answers[i].Report().Fault())
		require.Equal(t, l.made.Next, answers[i].Received(l.made.ID)+unanswered[i])
	}
}

// ask sends a question and reports whether a reply came. The reply can be lost if the connection
// breaks.
func ask(ctx context.Context, l *faultyLink, req *zmq.Socket, snd sender, answers *account.Ledger) (answered bool, err error) {
	// The proxy notices a break before the socket does. Messages that the socket sends in between
	// are lost without another break.
	ends := func() uint64 { return uint64(ended(l.proxy)) + req.Stats().Reconnects }
	before := ends()
	if err := snd.send(l.made.Make()); err != nil {
		return false, err
	}
	for {
		short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		parts, err := req.RecvMultipart(short)
		cancel()
		switch {
		case err == nil:
			if _, number := answers.Take(0, parts); number != l.made.Next-1 {
				return false, fmt.Errorf("the answer to question %d is %d", l.made.Next-1, number)
			}
			return true, nil
		case !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil:
			return false, fmt.Errorf("question %d: %w", l.made.Next-1, err)
		case ends() != before:
			return false, nil
		}
	}
}
