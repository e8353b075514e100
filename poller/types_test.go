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

// requirePaused requires that a wait reports nothing.
func requirePaused(t testing.TB, p *poller.Poller, why string) {
	t.Helper()
	require.Empty(t, poll(t, p, 0), why)
	ctx, cancel := timeoutContext(20 * time.Millisecond)
	defer cancel()
	_, err := p.Wait(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded, why)
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
