//go:build linux

package account_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/account"
	"github.com/go-zmq/go-zmq/zmq"
	network "github.com/go-zmq/go-zmq/zmq/zmqtest"
)

// Messages in the buffers of the system and of libzmq may be lost when a connection breaks. No
// other message may be lost or duplicated, and the messages of one connection must be complete,
// ordered and intact.
func TestAccountBroken(t *testing.T) {
	usual := []string{plain, batch, readAhead, pooled, polled, cancelled}
	for pattern, c := range map[string]struct {
		run  func(t *testing.T, way string, harm harm)
		ways []string
	}{
		"PUSH":   {brokenPush, usual},
		"DEALER": {brokenDealer, []string{plain, readAhead, pooled}},
	} {
		for name, harm := range breaking {
			for _, way := range c.ways {
				t.Run(pattern+"/"+name+"/"+way, func(t *testing.T) {
					t.Parallel()
					c.run(t, way, harm)
				})
			}
		}
	}
}

// connections gives numbers to what messages say where they come from. It is for one
// goroutine.
type connections struct {
	known map[string]int
	base  int // for connections of this socket
}

func (c *connections) number(m *zmq.Message) (int, error) {
	if m == nil {
		return account.Unordered, nil
	}
	address, err := m.Property("Peer-Address")
	if err != nil {
		return 0, err
	}
	return c.named(address), nil
}

func (c *connections) named(name string) int {
	n, ok := c.known[name]
	if !ok {
		n = c.base + len(c.known)
		c.known[name] = n
	}
	return n
}

// breaking are the harms that break connections.
var breaking = map[string]harm{
	"reset": func(p *network.Proxy, _ *rand.Rand) { p.Cut() },
	"split and reset": func(p *network.Proxy, r *rand.Rand) {
		p.Cut()
		p.Split(r.IntN(30))
	},
	"blackholed and reset": func(p *network.Proxy, r *rand.Rand) {
		p.BlackHole()
		time.Sleep(time.Duration(r.IntN(10)) * time.Millisecond)
		p.Cut()
		p.Restore()
	},
}

// reconnects are the settings of a socket that is not long without a connection.
func reconnects(settings ...zmq.Setting) []zmq.Setting {
	return append(settings, zmq.ReconnectInterval.To(time.Millisecond), zmq.ReconnectIntervalMax.To(20*time.Millisecond))
}

// How many messages each producer sends while connections break, and how often they
// do.
const (
	brokenMessages = 5000
	brokenBreaks   = 15
)

// keepSending sends the planned messages, and continues until more returns false, so that the last
// planned message cannot be among the lost ones.
func keepSending(ctx context.Context, snd sender, p *account.Producer, more func() bool) error {
	for p.Next < brokenMessages || more() {
		err := snd.send(p.Make())
		for errors.Is(err, zmq.ErrHostUnreachable) {
			err = snd.flush() // the peer left in the middle of that message: it is lost
		}
		if err != nil {
			return err
		}
		if p.Next > brokenMessages {
			if err := snd.flush(); err != nil {
				return err
			}
			pause(ctx)
		}
	}
	return snd.flush()
}

// A link is one producer of a test, and the proxy that its messages pass.
type faultyLink struct {
	proxy     *network.Proxy
	made      account.Producer
	ended     atomic.Bool // the last of its messages arrived
	published bool        // to subscribers, who come when it has begun
}

// newLinks returns two links to an endpoint.
func newLinks(t *testing.T, endpoint string) (links []*faultyLink) {
	for id := range uint32(2) {
		links = append(links, &faultyLink{proxy: network.NewProxy(t, endpoint), made: account.Producer{ID: id}})
	}
	return links
}

// send sends the planned messages by a socket, and more until connections broke often enough and the
// last planned one arrived.
func (l *faultyLink) send(r *run, s *zmq.Socket, enough func() bool) {
	r.send(s, func(snd sender) error {
		return keepSending(r.ctx, snd, &l.made, func() bool { return !enough() || !l.ended.Load() })
	})
}

// resetUntil breaks the connections of links until each has broken often enough.
func resetUntil(t *testing.T, links []*faultyLink, harm harm) (done func() bool) {
	var enough atomic.Bool
	repeat(t, 4*time.Millisecond, func(r *rand.Rand) {
		least := brokenBreaks
		for _, l := range links {
			if n := ended(l.proxy); n < brokenBreaks {
				least = min(least, n)
				// Only what is connected can break.
				if open, _ := l.proxy.Connections(); open > 0 {
					harm(l.proxy, r)
				}
			}
		}
		if least >= brokenBreaks && !enough.Load() {
			for _, l := range links {
				l.proxy.Split(0)
			}
			enough.Store(true)
		}
	})
	return enough.Load
}

// Several PUSH sockets send to one PULL, each through a proxy of its own.
func brokenPush(t *testing.T, way string, harm harm) {
	r := newRun(t, way, 2*brokenMessages)
	pull := newSocket(t, r.c, zmq.Pull, settingsOf(way)...)
	endpoint := bind(t, pull, endpointOf("tcp"))
	links := newLinks(t, endpoint)
	enough := resetUntil(t, links, harm)
	for _, l := range links {
		push := newSocket(t, r.c, zmq.Push, reconnects()...)
		require.NoError(t, push.Connect(l.proxy.Endpoint()))
		l.send(r, push, enough)
	}
	var ledger account.Ledger
	r.start(func() error {
		from := connections{known: map[string]int{}}
		return receive(r.ctx, pull, way, nil, func(parts [][]byte, m *zmq.Message) error {
			connection, err := from.number(m)
			if err != nil {
				return err
			}
			id, number := ledger.Take(connection, parts)
			if enough() && number >= brokenMessages && !links[id].ended.Swap(true) && links[1-id].ended.Load() {
				return errAllThere
			}
			return nil
		})
	})
	r.group.Wait()
	require.NoError(t, r.ctx.Err(), "%v", context.Cause(r.ctx))
	requireOnlyBreaks(t, &ledger, links)
}

// requireOnlyBreaks requires that nothing is wrong but what breaks explain.
func requireOnlyBreaks(t *testing.T, ledger *account.Ledger, links []*faultyLink) {
	t.Helper()
	r := ledger.Report()
	totals.book(ledger, r.Skipped)
	require.NoError(t, r.Fault())
	require.Zero(t, r.Skipped, "a connection has holes")
	for _, l := range links {
		l.requireExplained(t, ledger, 0)
	}
}

// requireExplained requires that a ledger lacks no more of what a link's producer made
// than breaks explain, and messages that were dropped and counted.
func (l *faultyLink) requireExplained(t *testing.T, ledger *account.Ledger, dropped uint64) {
	t.Helper()
	n, runs := ledger.Missing(l.made.ID, ledger.End(l.made.ID))
	explained := uint64(ended(l.proxy)) + dropped
	if l.published && !ledger.Has(l.made.ID, 0) {
		explained++ // before the first subscription came
	}
	require.LessOrEqual(t, runs, explained, "more holes than breaks")
	totals.fault(broken, ended(l.proxy))
	totals.explain(n-min(n, dropped), min(n, dropped))
}

// DEALER sockets send to a ROUTER that sends everything back, to whom it came from if
// that is still there.
func brokenDealer(t *testing.T, way string, harm harm) {
	r := newRun(t, way, 2*brokenMessages)
	router := newSocket(t, r.c, zmq.Router, append(settingsOf(way), zmq.RouterMandatory.To(true), zmq.SendTimeout.To(10*time.Millisecond))...)
	endpoint := bind(t, router, endpointOf("tcp"))
	links := newLinks(t, endpoint)
	var back [2]account.Ledger
	enough := resetUntil(t, links, harm)
	r.left.Store(int64(len(links))) // the last message of each, back again
	for i, l := range links {
		dealer := newSocket(t, r.c, zmq.Dealer, reconnects(settingsOf(way)...)...)
		require.NoError(t, dealer.Connect(l.proxy.Endpoint()))
		l.send(r, dealer, enough)
		r.start(func() error {
			return receive(r.ctx, dealer, way, nil, func(parts [][]byte, _ *zmq.Message) error {
				_, number := back[i].Take(0, parts)
				if enough() && number >= brokenMessages && !l.ended.Swap(true) {
					r.took()
				}
				return nil
			})
		})
	}
	var there account.Ledger
	r.start(func() error {
		from := connections{known: map[string]int{}}
		return receive(r.ctx, router, way, nil, func(parts [][]byte, _ *zmq.Message) error {
			// A DEALER without an id of its own gets one for each connection.
			there.Take(from.named(string(parts[0])), parts[1:])
			// If a peer has left but messages from it can still be read, its queue is full until
			// they are read. The goroutine that reads must not wait for this queue.
			err := router.SendMultipart(r.ctx, parts)
			if errors.Is(err, zmq.ErrHostUnreachable) || errors.Is(err, zmq.ErrAgain) {
				return nil
			}
			return err
		})
	})
	r.end() // more may have been sent than was waited for
	requireOnlyBreaks(t, &there, links)
	for i := range back {
		totals.book(&back[i], 0)
		require.NoError(t, back[i].Report().Fault())
	}
}
