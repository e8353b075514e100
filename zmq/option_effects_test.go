package zmq

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// draftEffects are the tests of the options of libzmq's draft API that cannot be read back,
// and of two whose values have names or whose peers get an error.
var draftEffects = map[string]func(t *testing.T, zctx *Context, ctx context.Context){
	"ZAP_ENFORCE_DOMAIN":       effectOfZapEnforceDomain,
	"METADATA":                 effectOfMetadata,
	"ROUTER_NOTIFY":            effectOfRouterNotify,
	"XPUB_MANUAL_LAST_VALUE":   effectOfXPubManualLastValue,
	"WSS_KEY_PEM":              effectOfWSS,
	"WSS_CERT_PEM":             effectOfWSS,
	"WSS_TRUST_PEM":            effectOfWSS,
	"WSS_HOSTNAME":             effectOfWSS,
	"WSS_TRUST_SYSTEM":         effectOfWSS,
	"ONLY_FIRST_SUBSCRIBE":     effectOfOnlyFirstSubscribe,
	"HELLO_MSG":                effectOfHello,
	"DISCONNECT_MSG":           effectOfDisconnect,
	"BUSY_POLL":                effectOfBusyPoll,
	"HICCUP_MSG":               effectOfHiccup,
	"XSUB_VERBOSE_UNSUBSCRIBE": effectOfXSubVerboseUnsubscribe,
}

// Every option of the draft API does what it is for, or is refused by its name and
// with what would bring it. TestOptionRoundTrip holds those that can be read back.
func TestDraftOptionEffects(t *testing.T) {
	t.Parallel()
	for number := 93; number <= 124; number++ {
		o := specOf(number)
		require.NotNil(t, o, number)
		effect := draftEffects[o.name]
		require.True(t, effect != nil || o.access&canGet != 0, o.name)
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			zctx := optionContext(t)
			if missing(o) != 0 {
				requireMissing(t, zctx, o)
			} else if effect != nil {
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				effect(t, zctx, ctx)
			}
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

// serving are the types that greet their peers, with the types of these.
var serving = [][2]SocketType{{Router, Dealer}, {Server, Client}, {Peer, Peer}}

func effectOfHello(t *testing.T, zctx *Context, ctx context.Context) {
	greeting := HelloMessage.To([]byte("hello"))
	for _, types := range serving {
		bound, endpoint := effectBound(t, zctx, types[0])
		effectConnected(t, zctx, types[1], endpoint, greeting)
		requireNext(t, ctx, bound, "hello") // from the one that connects
		_, endpoint = effectBound(t, zctx, types[0], greeting)
		requireNext(t, ctx, effectConnected(t, zctx, types[1], endpoint), "hello")
	}
}

// The socket that was connected to gets the message when its peer goes.
func effectOfDisconnect(t *testing.T, zctx *Context, ctx context.Context) {
	for _, types := range serving {
		bound, endpoint := effectBound(t, zctx, types[0], DisconnectMessage.To([]byte("it has gone")))
		connected := effectConnected(t, zctx, types[1], endpoint, HelloMessage.To([]byte("hello")))
		requireNext(t, ctx, bound, "hello")
		require.NoError(t, connected.Close())
		requireNext(t, ctx, bound, "it has gone")
	}
}

// The socket that connected gets the message when its connection is lost.
func effectOfHiccup(t *testing.T, zctx *Context, ctx context.Context) {
	for _, types := range serving {
		bound, endpoint := effectBound(t, zctx, types[0], HelloMessage.To([]byte("hello")))
		connected := effectConnected(t, zctx, types[1], endpoint, HiccupMessage.To([]byte("it was lost")))
		requireNext(t, ctx, connected, "hello")
		require.NoError(t, bound.Close())
		requireNext(t, ctx, connected, "it was lost")
	}
}

func effectOfRouterNotify(t *testing.T, zctx *Context, ctx context.Context) {
	for notify, want := range map[int][]string{NotifyConnect: {""}, NotifyDisconnect: {"said", ""}, NotifyConnect | NotifyDisconnect: {"", "said", ""}} {
		router, endpoint := effectBound(t, zctx, Router, RouterNotify.To(notify))
		dealer := effectConnected(t, zctx, Dealer, endpoint)
		if notify != NotifyConnect {
			says(t, dealer, "said")
		}
		requireNext(t, ctx, router, want[:len(want)-1]...)
		if notify != NotifyConnect {
			require.NoError(t, dealer.Close())
		}
		requireNext(t, ctx, router, want[len(want)-1])
		require.ErrorIs(t, errOf(router.RecvBytes(ctx, DontWait)), ErrAgain)
	}
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
	for last, want := range map[bool]string{false: "topic: the last value", true: "topic: the next one"} {
		xpub, endpoint := effectBound(t, zctx, XPub, XPubManualLastValue.To(last), XPubManual.To(true))
		var subs [2]*Socket
		for i := range subs {
			subs[i] = effectConnected(t, zctx, Sub, endpoint, Subscribe.To("topic"))
			requireNext(t, ctx, xpub, "\x01topic")
			require.NoError(t, xpub.Subscribe("topic"))
		}
		says(t, xpub, "topic: the last value", "topic: the next one")
		requireNext(t, ctx, subs[1], "topic: the last value") // the one that came last
		requireNext(t, ctx, subs[0], want)
	}
}

// Parts behind one that is no subscription are no subscriptions.
func effectOfOnlyFirstSubscribe(t *testing.T, zctx *Context, ctx context.Context) {
	for only, want := range map[bool]string{false: "B", true: "A"} {
		setting := OnlyFirstSubscribe.To(only)
		xpub, endpoint := effectBound(t, zctx, XPub, setting)
		xsub := effectConnected(t, zctx, XSub, endpoint, setting)
		require.NoError(t, xsub.SendMultipart(ctx, [][]byte{[]byte("message"), []byte("\x01B")}))
		says(t, xsub, "\x01A")
		for effectRecv(t, ctx, xpub) != "\x01A" {
			continue
		}
		says(t, xpub, "B", "A")
		requireNext(t, ctx, xsub, want)
	}
}

// Without the option, an XSUB that still has a subscription to a topic does not pass on the
// end of another one.
func effectOfXSubVerboseUnsubscribe(t *testing.T, zctx *Context, ctx context.Context) {
	for verbose, want := range map[bool][]string{false: {"\x01A", "\x01A", "\x01B"}, true: {"\x01A", "\x01A", "\x00A", "\x01B"}} {
		xpub, endpoint := effectBound(t, zctx, XPub, XPubVerboser.To(true))
		says(t, effectConnected(t, zctx, XSub, endpoint, XSubVerboseUnsubscribe.To(verbose)), "\x01A", "\x01A", "\x00A", "\x01B")
		requireNext(t, ctx, xpub, want...)
	}
}

func effectOfBusyPoll(t *testing.T, zctx *Context, _ context.Context) {
	if err := optionSocket(t, zctx, Dealer).Set(BusyPoll.To(50)); err != nil {
		requireRefused(t, err, syscall.EPERM, "BUSY_POLL", "CAP_NET_ADMIN")
	}
}

// A ROUTER with a domain that is enforced refuses peers when there is no authenticator.
func effectOfZapEnforceDomain(t *testing.T, zctx *Context, ctx context.Context) {
	router := optionSocket(t, zctx, Router, Linger.To(0), ZapDomain.To("domain"), ZapEnforceDomain.To(true))
	m := noErr(router.Monitor(EventHandshakeFailedNoDetail))(t)
	require.NoError(t, router.Bind("tcp://127.0.0.1:*"))
	effectConnected(t, zctx, Dealer, endpointOf(t, router))
	requireRefused(t, noErr(m.Next(ctx))(t).Err, syscall.EFAULT, "zap.Start")
}
