package zmq

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// draftEffects has for each option of libzmq's draft API a test of what it does.
var draftEffects = map[int]func(t *testing.T, zctx *Context, ctx context.Context){
	93: effectOfZapEnforceDomain,
	94: effectOfLoopbackFastPath,
	95: effectOfMetadata,
	96: effectOfMulticastLoop,
	97: effectOfRouterNotify,
	98: effectOfXPubManualLastValue,
	99: testedElsewhere, 100: testedElsewhere, // TestSocksProxy
	101: effectOfInBatchSize, 102: effectOfOutBatchSize,
	103: effectOfWSS, 104: effectOfWSS, 105: effectOfWSSTrust, 106: effectOfWSSHostname, 107: effectOfWSSTrustSystem,
	108: effectOfOnlyFirstSubscribe,
	109: effectOfReconnectStop,
	110: effectOfHello, 111: effectOfDisconnect,
	112: effectOfPriority, 113: effectOfBusyPoll,
	114: effectOfHiccup,
	115: effectOfXSubVerboseUnsubscribe,
	116: testedElsewhere, // TestTopicsCount
	117: effectOfNorm, 118: effectOfNorm, 119: effectOfNorm, 120: effectOfNorm, 121: effectOfNorm, 122: effectOfNorm, 123: effectOfNorm, 124: effectOfNorm,
}

func testedElsewhere(*testing.T, *Context, context.Context) {}

// Every option of the draft API does what it is for, or is refused by its name and
// with what would bring it.
func TestDraftOptionEffects(t *testing.T) {
	t.Parallel()
	for number := 93; number <= 124; number++ {
		o := specOf(number)
		require.NotNil(t, o, number)
		require.Contains(t, draftEffects, number, o.name)
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			zctx := optionContext(t)
			if missing(o) != 0 {
				requireMissing(t, zctx, o)
				return
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			draftEffects[number](t, zctx, ctx)
		})
	}
}

// requireMissing asserts that an option is refused in either direction.
func requireMissing(t *testing.T, zctx *Context, o *optionSpec) {
	t.Helper()
	typ := Pair
	for !o.types.has(typ) {
		typ++
	}
	s := optionSocket(t, zctx, typ)
	var errs []error
	if o.access&canSet != 0 {
		errs = append(errs, s.Set(to(o, samples(o)[0])))
	}
	if o.access&canGet != 0 {
		_, err := o.get(s)
		errs = append(errs, err)
	}
	require.NotEmpty(t, errs)
	for _, err := range errs {
		requireRefused(t, err, missing(o), o.name)
		require.ErrorIs(t, err, ErrNotSupported)
		if strings.HasPrefix(o.needs, needsDraft) {
			require.ErrorContains(t, err, "draft API", o.name)
		}
	}
}

// effectBound returns a socket that is bound, and where.
func effectBound(t *testing.T, zctx *Context, typ SocketType, settings ...Setting) (s *Socket, endpoint string) {
	t.Helper()
	s = optionSocket(t, zctx, typ, append([]Setting{Linger.To(0)}, settings...)...)
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	endpoint = endpointOf(t, s)
	return s, endpoint
}

// effectConnected returns a socket that is connected to an endpoint.
func effectConnected(t *testing.T, zctx *Context, typ SocketType, endpoint string, settings ...Setting) *Socket {
	t.Helper()
	s := optionSocket(t, zctx, typ, append([]Setting{Linger.To(0)}, settings...)...)
	require.NoError(t, s.Connect(endpoint))
	return s
}

func effectRecv(t *testing.T, ctx context.Context, s *Socket) string {
	t.Helper()
	got := noErr(s.RecvMultipart(ctx))(t)
	return string(got[len(got)-1])
}

func effectOfHello(t *testing.T, zctx *Context, ctx context.Context) {
	greeting := HelloMessage.To([]byte("hello"))
	for _, types := range [][2]SocketType{{Router, Dealer}, {Server, Client}, {Peer, Peer}} {
		bound, endpoint := effectBound(t, zctx, types[0])
		effectConnected(t, zctx, types[1], endpoint, greeting)
		require.Equal(t, "hello", effectRecv(t, ctx, bound), "from the one that connects")
		_, endpoint = effectBound(t, zctx, types[0], greeting)
		connected := effectConnected(t, zctx, types[1], endpoint)
		require.Equal(t, "hello", effectRecv(t, ctx, connected), "from the one that is bound")
	}
}

// The socket that was connected to gets the message when its peer goes.
func effectOfDisconnect(t *testing.T, zctx *Context, ctx context.Context) {
	for _, types := range [][2]SocketType{{Router, Dealer}, {Server, Client}, {Peer, Peer}} {
		bound, endpoint := effectBound(t, zctx, types[0], DisconnectMessage.To([]byte("it has gone")))
		connected := effectConnected(t, zctx, types[1], endpoint, HelloMessage.To([]byte("hello")))
		require.Equal(t, "hello", effectRecv(t, ctx, bound))
		require.NoError(t, connected.Close())
		require.Equal(t, "it has gone", effectRecv(t, ctx, bound))
	}
}

// The socket that connected gets the message when its connection is lost.
func effectOfHiccup(t *testing.T, zctx *Context, ctx context.Context) {
	for _, types := range [][2]SocketType{{Router, Dealer}, {Server, Client}, {Peer, Peer}} {
		bound, endpoint := effectBound(t, zctx, types[0], HelloMessage.To([]byte("hello")))
		connected := effectConnected(t, zctx, types[1], endpoint, HiccupMessage.To([]byte("it was lost")))
		require.Equal(t, "hello", effectRecv(t, ctx, connected))
		require.NoError(t, bound.Close())
		require.Equal(t, "it was lost", effectRecv(t, ctx, connected))
	}
}

func effectOfRouterNotify(t *testing.T, zctx *Context, ctx context.Context) {
	both, endpoint := effectBound(t, zctx, Router, RouterNotify.To(NotifyConnect|NotifyDisconnect))
	dealer := effectConnected(t, zctx, Dealer, endpoint, RoutingID.To([]byte("me")))
	for range 2 {
		require.Equal(t, [][]byte{[]byte("me"), {}}, noErr(both.RecvMultipart(ctx))(t))
		require.NoError(t, dealer.Close())
	}
	require.ErrorIs(t, errOf(both.RecvBytes(context.Background(), DontWait)), ErrAgain)

	come, endpoint := effectBound(t, zctx, Router, RouterNotify.To(NotifyConnect))
	dealer = effectConnected(t, zctx, Dealer, endpoint)
	require.Empty(t, effectRecv(t, ctx, come))
	require.NoError(t, dealer.Close())
	dealer = effectConnected(t, zctx, Dealer, endpoint)
	require.Empty(t, effectRecv(t, ctx, come), "the second one; nothing says that the first has gone")
	require.NoError(t, dealer.SendString(context.Background(), "next"))
	require.Equal(t, "next", effectRecv(t, ctx, come))
}

// A ROUTER with a domain refuses peers when there is no authenticator, but only if the domain is
// enforced.
func effectOfZapEnforceDomain(t *testing.T, zctx *Context, ctx context.Context) {
	open, endpoint := effectBound(t, zctx, Router, ZapDomain.To("domain"))
	effectConnected(t, zctx, Dealer, endpoint)
	require.NoError(t, open.WaitConnected(ctx, 1))

	closed := optionSocket(t, zctx, Router, Linger.To(0), ZapDomain.To("domain"), ZapEnforceDomain.To(true))
	m := noErr(closed.Monitor(EventHandshakeSucceeded | EventHandshakeFailedNoDetail))(t)
	require.NoError(t, closed.Bind("tcp://127.0.0.1:*"))
	endpoint = endpointOf(t, closed)
	effectConnected(t, zctx, Dealer, endpoint)
	require.Equal(t, EventHandshakeFailedNoDetail, nextEvent(t, ctx, m).Event)
}

func nextEvent(t *testing.T, ctx context.Context, m *Monitor) MonitorEvent {
	t.Helper()
	for e, err := range m.Events(ctx) {
		require.NoError(t, err)
		return e
	}
	require.Fail(t, "the monitor has ended")
	return MonitorEvent{}
}

func effectOfMetadata(t *testing.T, zctx *Context, ctx context.Context) {
	router, endpoint := effectBound(t, zctx, Router)
	dealer := effectConnected(t, zctx, Dealer, endpoint, Metadata.To("X-colour:green"))
	require.NoError(t, dealer.SendString(context.Background(), "hello"))
	var m Message
	defer func() { require.NoError(t, m.Close()) }()
	for range 2 { // the routing id, and the message
		require.NoError(t, router.RecvMessage(ctx, &m))
	}
	require.Equal(t, "green", noErr(m.Property("X-colour"))(t))
}

func effectOfXPubManualLastValue(t *testing.T, zctx *Context, ctx context.Context) {
	for _, last := range []bool{false, true} {
		xpub, endpoint := effectBound(t, zctx, XPub, XPubManualLastValue.To(last), XPubManual.To(true))
		var subs [2]*Socket
		for i := range subs {
			subs[i] = effectConnected(t, zctx, Sub, endpoint, Subscribe.To("topic"))
			require.Equal(t, "\x01topic", effectRecv(t, ctx, xpub))
			require.NoError(t, xpub.Subscribe("topic"))
		}
		require.NoError(t, xpub.SendString(context.Background(), "topic: the last value"))
		require.NoError(t, xpub.SendString(context.Background(), "topic: the next one"))
		require.Equal(t, "topic: the last value", effectRecv(t, ctx, subs[1]), "the one that came last")
		want := "topic: the last value"
		if last {
			want = "topic: the next one"
		}
		require.Equal(t, want, effectRecv(t, ctx, subs[0]))
	}
}

// Parts behind one that is no subscription are no subscriptions.
func effectOfOnlyFirstSubscribe(t *testing.T, zctx *Context, ctx context.Context) {
	for _, only := range []bool{false, true} {
		setting := OnlyFirstSubscribe.To(only)
		xpub, endpoint := effectBound(t, zctx, XPub, setting)
		xsub := effectConnected(t, zctx, XSub, endpoint, setting)
		require.NoError(t, xsub.SendMultipart(ctx, [][]byte{[]byte("message"), []byte("\x01B")}))
		require.NoError(t, xsub.Send(ctx, []byte("\x01A")))
		for got := ""; got != "\x01A"; {
			got = effectRecv(t, ctx, xpub)
		}
		require.NoError(t, xpub.SendString(context.Background(), "B"))
		require.NoError(t, xpub.SendString(context.Background(), "A"))
		want := "B"
		if only {
			want = "A"
		}
		require.Equal(t, want, effectRecv(t, ctx, xsub))
	}
}

func effectOfXSubVerboseUnsubscribe(t *testing.T, zctx *Context, ctx context.Context) {
	for _, verbose := range []bool{false, true} {
		xpub, endpoint := effectBound(t, zctx, XPub, XPubVerboser.To(true))
		xsub := effectConnected(t, zctx, XSub, endpoint, XSubVerboseUnsubscribe.To(verbose))
		for _, sent := range []string{"\x01A", "\x01A", "\x00A", "\x01B"} {
			require.NoError(t, xsub.SendString(ctx, sent))
		}
		want := []string{"\x01A", "\x01A", "\x01B"} // it still has one of A
		if verbose {
			want = []string{"\x01A", "\x01A", "\x00A", "\x01B"}
		}
		for _, w := range want {
			require.Equal(t, w, effectRecv(t, ctx, xpub))
		}
	}
}

// What the transport NORM is told is kept. Connections are not made: libzmq 4.3.5
// leaves a descriptor of each behind, which this package's tests do not allow.
func effectOfNorm(t *testing.T, zctx *Context, _ context.Context) {
	s := optionSocket(t, zctx, Pub)
	for number := 117; number <= 124; number++ {
		o := specOf(number)
		for _, value := range samples(o) {
			require.NoError(t, s.Set(to(o, value)), o.name)
			v, err := o.get(s)
			require.NoError(t, err, o.name)
			require.EqualValues(t, value, o.goValue(v), o.name)
		}
	}
}
