package poller_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

const (
	in   = poller.In
	out  = poller.Out
	both = poller.In | poller.Out
	all  = both | poller.Err | poller.Pri
)

// A case holds what libzmq reports of a socket: alone, connected, after its peer sent a
// message, and after it received that.
var typeCases = []struct {
	typ, peer                           zmq.SocketType
	alone, connected, arrived, received poller.Events
	hello                               func(s, peer *zmq.Socket) error // makes something arrive
}{
	{zmq.Pair, zmq.Pair, 0, out, both, out, peerSends},
	{zmq.Dealer, zmq.Dealer, 0, out, both, out, peerSends},
	{zmq.Dealer, zmq.Router, 0, out, both, out, askRouter},
	{zmq.Router, zmq.Dealer, out, out, both, out, peerSends},
	{zmq.Rep, zmq.Req, 0, 0, in, out, peerSends},
	{zmq.Req, zmq.Rep, 0, out, in, out, askRep},
	{zmq.Pull, zmq.Push, 0, 0, in, 0, peerSends},
	{zmq.Push, zmq.Pull, 0, out, out, out, nil},
	{zmq.Pub, zmq.Sub, out, out, out, out, nil},
	{zmq.Sub, zmq.XPub, 0, 0, in, 0, publish},
	{zmq.XSub, zmq.XPub, out, out, both, out, publish},
	{zmq.XPub, zmq.Sub, out, out, both, out, subscribe},
}

func peerSends(_, peer *zmq.Socket) error { return peer.SendString(context.Background(), "x") }

func askRep(s, peer *zmq.Socket) error {
	if err := s.SendString(context.Background(), "question"); err != nil {
		return err
	}
	if _, err := peer.RecvBytes(context.Background()); err != nil {
		return err
	}
	return peer.SendString(context.Background(), "answer")
}

func askRouter(s, peer *zmq.Socket) error {
	if err := s.SendString(context.Background(), "question"); err != nil {
		return err
	}
	question, err := peer.RecvMultipart(context.Background())
	if err != nil {
		return err
	}
	return peer.SendMultipart(context.Background(), question)
}

// subscribe waits until the subscription has arrived: a SUB passes it on to a new peer
// when it next looks at its mailbox.
func subscribe(s, peer *zmq.Socket) error {
	err := peer.Subscribe("a")
	for events := 0; err == nil && events&1 == 0; events, err = zmq.Events.Get(s) {
		if _, err := zmq.Events.Get(peer); err != nil {
			return err
		}
	}
	return err
}

// publish waits for the subscription.
func publish(s, peer *zmq.Socket) error {
	var err error
	if s.Type() == zmq.Sub {
		err = s.Subscribe("x")
	} else {
		err = s.SendString(context.Background(), "\x01x")
	}
	if err != nil {
		return err
	}
	if _, err := peer.RecvBytes(context.Background()); err != nil {
		return err
	}
	return peer.SendString(context.Background(), "x")
}

func TestTypes(t *testing.T) {
	t.Parallel()
	for _, c := range typeCases {
		t.Run(c.typ.String()+"-"+c.peer.String(), func(t *testing.T) {
			t.Parallel()
			transports(t, func(t *testing.T, endpoint string) {
				zctx := newContext(t)
				s, peer := newSocket(t, zctx, c.typ), newSocket(t, zctx, c.peer)
				// Each Poller asks for other events.
				asked := []poller.Events{in, out, both}
				var pollers []*poller.Poller
				for _, events := range asked {
					p := newPoller(t)
					require.NoError(t, p.Add(s, events))
					pollers = append(pollers, p)
				}
				require1 := func(want poller.Events, why string) {
					t.Helper()
					for i, p := range pollers {
						requireSoon(t, p, s, want&asked[i], why+", asked for "+asked[i].String())
					}
					// libzmq reports the same.
					events := zmqtest.Get(t, zmq.Events, s)
					require.EqualValues(t, want, events&3, why)
				}
				require1(c.alone, "alone")
				connect(t, peer, s, endpoint)
				require1(c.connected, "connected")
				if c.hello == nil {
					return
				}
				require.NoError(t, c.hello(s, peer))
				require1(c.arrived, "arrived")
				_, err := s.RecvMultipart(context.Background(), zmq.DontWait)
				require.NoError(t, err)
				require1(c.received, "received")
			})
		})
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	a, b := connected(t, zmq.Stream, zmq.Stream, tcp)
	p := newPoller(t)
	require.NoError(t, p.Add(a, both))
	require.NoError(t, p.Add(b, both))
	var id [][]byte
	for _, s := range []*zmq.Socket{a, b} {
		requireSoon(t, p, s, both, "it is told of the connection")
		hello := zmqtest.RecvParts(t, s)
		require.Len(t, hello, 2)
		requireSoon(t, p, s, out, "it was told of the connection")
		id = append(id, hello[0])
	}
	for i, s := range []*zmq.Socket{a, b} {
		require.NoError(t, s.SendMultipart(context.Background(), [][]byte{id[i], []byte("x")}))
	}
	for _, s := range []*zmq.Socket{a, b} {
		requireSoon(t, p, s, both, "data")
	}
}

// XPUB and ROUTER are writable while the queue of their peer is full, as with zmq_poll: a
// send to this peer may still block. The Poller must not wake up all the time because of
// that.
func TestInexactOut(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	router := newSocket(t, zctx, zmq.Router, zmq.RouterMandatory.To(true), zmq.SendHWM.To(1), zmq.RecvHWM.To(1))
	dealer := newSocket(t, zctx, zmq.Dealer, zmq.RoutingID.To([]byte("peer")), zmq.SendHWM.To(1), zmq.RecvHWM.To(1))
	connect(t, router, dealer, inprocName())
	require.NoError(t, dealer.SendString(context.Background(), "hello"))
	zmqtest.RecvParts(t, router)
	message := [][]byte{[]byte("peer"), []byte("x")}
	var err error
	for err == nil {
		err = router.SendMultipart(context.Background(), message, zmq.DontWait)
	}
	require.ErrorIs(t, err, zmq.ErrAgain)
	p := newPoller(t)
	require.NoError(t, p.Add(router, both))
	events := zmqtest.Get(t, zmq.Events, router)
	requireNow(t, p, router, poller.Events(events&3), "as libzmq says")
	require.NoError(t, p.Update(router, in))

	// A sender waits, while the Poller does.
	sent := make(chan error, 1)
	go func() { sent <- router.SendMultipart(context.Background(), message) }()
	require.Empty(t, poll(t, p, 20*time.Millisecond))
	zmqtest.RecvBytes(t, dealer)
	require.NoError(t, await(t, sent, "the sender was not woken"))
}

// requirePaused requires that a wait reports nothing.
func requirePaused(t testing.TB, p *poller.Poller, why string) {
	t.Helper()
	require.Empty(t, poll(t, p, 0), why)
	ctx, cancel := timeoutContext(20 * time.Millisecond)
	defer cancel()
	_, err := p.Wait(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded, why)
}

// A socket with an event mask of 0 is paused: it stays in the poller and reports
// nothing. After Update it reports what it is ready for, again and again.
func TestPausedSocket(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, endpoint string) {
		pull, push := connected(t, zmq.Pull, zmq.Push, endpoint)
		p := newPoller(t)
		require.NoError(t, p.Add(pull, 0))
		require.NoError(t, p.Add(push, 0))
		require.Equal(t, 2, p.Len())
		for range 3 {
			require.NoError(t, push.SendString(context.Background(), "x"))
		}
		require.NoError(t, pull.WaitReadable(within(t)))
		requirePaused(t, p, "added paused")

		require.NoError(t, p.Update(pull, in))
		requireNow(t, p, pull, in, "updated")
		require.NoError(t, p.Update(pull, 0))
		requirePaused(t, p, "paused again")
		for range 3 {
			here(t, recv(pull))
			requirePaused(t, p, "paused while messages are received")
		}

		require.NoError(t, p.Update(pull, in))
		requireNow(t, p, pull, 0, "all received")
		require.NoError(t, push.SendString(context.Background(), "x"))
		requireSoon(t, p, pull, in, "one more sent")
		require.NoError(t, p.Update(push, out))
		requireNow(t, p, push, out, "the other one updated")
	})
}

// These types report Out without a peer, as libzmq does.
func TestDraftTypesAlwaysOut(t *testing.T) {
	if !zmq.Has("draft") {
		return
	}
	for typ, want := range map[zmq.SocketType]int{zmq.Radio: 1, zmq.Server: 1, zmq.Peer: 1, zmq.Client: 0, zmq.Scatter: 0} {
		p := newPoller(t)
		require.NoError(t, p.Add(newSocket(t, newContext(t), typ), poller.Out))
		require.Len(t, poll(t, p, 0), want, typ)
	}
}

// The thread-safe types have no ZMQ_FD. A libzmq that has them also has the replacement
// for it, which a Poller and a waiting receive use.
func TestPollDraftTypes(t *testing.T) {
	if !zmq.Has("draft") {
		_, err := newContext(t).NewSocket(zmq.Client)
		require.ErrorIs(t, err, zmq.ErrNotSupported)
		return
	}
	for _, types := range [][2]zmq.SocketType{{zmq.Server, zmq.Client}, {zmq.Gather, zmq.Scatter}} {
		zmqtest.Networks(t, func(t *testing.T, endpoint string) {
			to, from := connected(t, types[0], types[1], endpoint)
			p := newPoller(t)
			require.NoError(t, p.Add(to, poller.In))

			// Another goroutine blocks and receives half of the messages.
			const messages = 2000
			var others sync.WaitGroup
			others.Go(func() {
				for range messages / 2 {
					if _, err := to.RecvBytes(context.Background()); err != nil {
						return
					}
				}
			})
			others.Go(func() {
				for range messages {
					if from.SendString(context.Background(), "m") != nil {
						return
					}
				}
			})
			for n := 0; n < messages/2; {
				require.NotEmpty(t, poll(t, p, stall), "not reported after %d messages", n)
				if recv(to)() == nil {
					n++
				}
			}
			others.Wait()
			require.Empty(t, poll(t, p, time.Millisecond))
			require.NoError(t, to.Close())
			require.Zero(t, p.Len())
		})
	}
}
