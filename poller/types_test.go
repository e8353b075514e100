package poller_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/zmq"
)

const (
	in   = poller.In
	out  = poller.Out
	both = poller.In | poller.Out
)

// A case is what libzmq says of a socket: alone, connected, when its peer has sent
// it something, and when it has received that.
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

func peerSends(_, peer *zmq.Socket) error { return peer.SendString("x") }

func askRep(s, peer *zmq.Socket) error {
	if err := s.SendString("question"); err != nil {
		return err
	}
	if _, err := peer.RecvBytes(); err != nil {
		return err
	}
	return peer.SendString("answer")
}

func askRouter(s, peer *zmq.Socket) error {
	if err := s.SendString("question"); err != nil {
		return err
	}
	question, err := peer.RecvMultipart()
	if err != nil {
		return err
	}
	return peer.SendMultipart(question)
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
		err = s.SendString("\x01x")
	}
	if err != nil {
		return err
	}
	if _, err := peer.RecvBytes(); err != nil {
		return err
	}
	return peer.SendString("x")
}

func TestTypes(t *testing.T) {
	t.Parallel()
	for _, c := range typeCases {
		t.Run(c.typ.String()+"-"+c.peer.String(), func(t *testing.T) {
			t.Parallel()
			transports(t, func(t *testing.T, endpoint string) {
				ctx := newContext(t)
				s, peer := newSocket(t, ctx, c.typ), newSocket(t, ctx, c.peer)
				// Each Poller asks for something else.
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
					// And that is what libzmq says.
					events, err := zmq.Events.Get(s)
					require.NoError(t, err)
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
				_, err := s.RecvMultipart(zmq.DontWait)
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
		hello, err := s.RecvMultipart()
		require.NoError(t, err)
		require.Len(t, hello, 2)
		requireSoon(t, p, s, out, "it was told of the connection")
		id = append(id, hello[0])
	}
	for i, s := range []*zmq.Socket{a, b} {
		require.NoError(t, s.SendMultipart([][]byte{id[i], []byte("x")}))
	}
	for _, s := range []*zmq.Socket{a, b} {
		requireSoon(t, p, s, both, "data")
	}
}

// XPUB and ROUTER are ready to send while their peer is full, as with zmq_poll: it is
// not promised that a send to this peer succeeds. It must not be promised by silence
// either, that is by waking up all the time.
func TestInexactOut(t *testing.T) {
	t.Parallel()
	c := newContext(t)
	router := newSocket(t, c, zmq.Router, zmq.RouterMandatory.To(true), zmq.SendHWM.To(1), zmq.RecvHWM.To(1))
	dealer := newSocket(t, c, zmq.Dealer, zmq.RoutingID.To([]byte("peer")), zmq.SendHWM.To(1), zmq.RecvHWM.To(1))
	connect(t, router, dealer, inprocName())
	require.NoError(t, dealer.SendString("hello"))
	_, err := router.RecvMultipart()
	require.NoError(t, err)
	message := [][]byte{[]byte("peer"), []byte("x")}
	for err == nil {
		err = router.SendMultipart(message, zmq.DontWait)
	}
	require.ErrorIs(t, err, zmq.ErrAgain)
	p := newPoller(t)
	require.NoError(t, p.Add(router, both))
	events, err := zmq.Events.Get(router)
	require.NoError(t, err)
	requireNow(t, p, router, poller.Events(events&3), "as libzmq says")
	require.NoError(t, p.Update(router, in))

	// A sender waits, while the Poller does.
	sent := make(chan error, 1)
	go func() { sent <- router.SendMultipart(message) }()
	require.Empty(t, poll(t, p, 20*time.Millisecond))
	_, err = dealer.RecvBytes()
	require.NoError(t, err)
	require.NoError(t, await(t, sent, "the sender was not woken"))
}
