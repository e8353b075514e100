package zmq

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// setOnlyEffects has a test of what it does for each stable option that cannot be read
// back, except those of vmci, which the usual libzmq lacks.
var setOnlyEffects = map[string]func(t *testing.T, zctx *Context, ctx context.Context){
	"SUBSCRIBE": effectOfSubscribe, "UNSUBSCRIBE": effectOfSubscribe,
	"ROUTER_MANDATORY":   effectOfRouterMandatory,
	"XPUB_VERBOSE":       effectOfXPubVerbose,
	"XPUB_VERBOSER":      effectOfXPubVerboser,
	"ROUTER_RAW":         effectOfRouterRaw,
	"PROBE_ROUTER":       effectOfProbeRouter,
	"REQ_CORRELATE":      effectOfReqCorrelate,
	"REQ_RELAXED":        effectOfReqRelaxed,
	"ROUTER_HANDOVER":    effectOfRouterHandover,
	"CONNECT_ROUTING_ID": effectOfConnectRoutingID,
	"XPUB_NODROP":        effectOfXPubNoDrop,
	"XPUB_MANUAL":        effectOfXPubManual,
	"XPUB_WELCOME_MSG":   effectOfXPubWelcome,
	"STREAM_NOTIFY":      effectOfStreamNotify,
}

func TestSetOnlyOptionEffects(t *testing.T) {
	t.Parallel()
	for _, o := range optionTable {
		if o.access != canSet || o.needs != "" || o.number < 0 || o.number > 92 {
			continue
		}
		require.Contains(t, setOnlyEffects, o.name)
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			setOnlyEffects[o.name](t, optionContext(t), ctx)
		})
	}
}

// says sends messages of one part.
func says(t *testing.T, s *Socket, texts ...string) {
	t.Helper()
	for _, text := range texts {
		require.NoError(t, s.SendString(context.Background(), text))
	}
}

// requireNext receives messages, and compares their last parts.
func requireNext(t *testing.T, ctx context.Context, s *Socket, want ...string) {
	t.Helper()
	for _, w := range want {
		require.Equal(t, w, effectRecv(t, ctx, s))
	}
}

func effectOfSubscribe(t *testing.T, zctx *Context, ctx context.Context) {
	xpub, endpoint := effectBound(t, zctx, XPub)
	sub := effectConnected(t, zctx, Sub, endpoint, Subscribe.To("a"), Subscribe.To("b"), Unsubscribe.To("a"), Subscribe.To("c"))
	requireNext(t, ctx, xpub, "\x01b", "\x01c")
	require.NoError(t, sub.Set(Unsubscribe.To("b")))
	requireNext(t, ctx, xpub, "\x00b")
}

func effectOfRouterMandatory(t *testing.T, zctx *Context, _ context.Context) {
	router, _ := effectBound(t, zctx, Router)
	message := [][]byte{[]byte("nobody"), []byte("x")}
	require.NoError(t, router.SendMultipart(context.Background(), message))
	require.NoError(t, router.Set(RouterMandatory.To(true)))
	require.ErrorIs(t, router.SendMultipart(context.Background(), message), ErrHostUnreachable)
}

func effectOfXPubVerbose(t *testing.T, zctx *Context, ctx context.Context) {
	for verbose, want := range map[bool][]string{false: {"\x01A", "\x01B"}, true: {"\x01A", "\x01A", "\x01B"}} {
		xpub, endpoint := effectBound(t, zctx, XPub, XPubVerbose.To(verbose))
		says(t, effectConnected(t, zctx, XSub, endpoint), "\x01A", "\x01A", "\x01B")
		requireNext(t, ctx, xpub, want...)
	}
}

func effectOfXPubVerboser(t *testing.T, zctx *Context, ctx context.Context) {
	for verboser, want := range map[bool][][]string{
		false: {{"\x01B"}, {"\x01C"}},
		true:  {{"\x01A", "\x01B"}, {"\x00A", "\x01C"}},
	} {
		xpub, endpoint := effectBound(t, zctx, XPub, XPubVerboser.To(verboser))
		first, second := effectConnected(t, zctx, XSub, endpoint), effectConnected(t, zctx, XSub, endpoint)
		says(t, first, "\x01A")
		requireNext(t, ctx, xpub, "\x01A")
		says(t, second, "\x01A", "\x01B")
		requireNext(t, ctx, xpub, want[0]...)
		says(t, first, "\x00A", "\x01C")
		requireNext(t, ctx, xpub, want[1]...)
	}
}

// dialPlain connects a plain TCP peer, which says hi.
func dialPlain(t *testing.T, endpoint string) {
	t.Helper()
	conn := noErr(net.Dial("tcp", strings.TrimPrefix(endpoint, "tcp://")))(t)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	require.NoError(t, errOf(conn.Write([]byte("hi"))))
}

func effectOfRouterRaw(t *testing.T, zctx *Context, ctx context.Context) {
	router, endpoint := effectBound(t, zctx, Router, RouterRaw.To(true))
	dialPlain(t, endpoint)
	for got := ""; got != "hi"; {
		got = effectRecv(t, ctx, router)
	}
}

func effectOfStreamNotify(t *testing.T, zctx *Context, ctx context.Context) {
	for notify, want := range map[bool][]string{false: {"hi"}, true: {"", "hi"}} {
		stream, endpoint := effectBound(t, zctx, Stream, StreamNotify.To(notify))
		dialPlain(t, endpoint)
		requireNext(t, ctx, stream, want...)
	}
}

func effectOfProbeRouter(t *testing.T, zctx *Context, ctx context.Context) {
	router, endpoint := effectBound(t, zctx, Router)
	dealer := effectConnected(t, zctx, Dealer, endpoint, ProbeRouter.To(true))
	require.NoError(t, dealer.Send(context.Background(), []byte("x")))
	requireNext(t, ctx, router, "", "x")
}

func effectOfReqCorrelate(t *testing.T, zctx *Context, ctx context.Context) {
	for correlate, parts := range map[bool]int{false: 3, true: 4} { // routing id, perhaps a number, delimiter, question
		router, endpoint := effectBound(t, zctx, Router)
		says(t, effectConnected(t, zctx, Req, endpoint, ReqCorrelate.To(correlate)), "question")
		require.Len(t, noErr(router.RecvMultipart(ctx))(t), parts)
	}
}

func effectOfReqRelaxed(t *testing.T, zctx *Context, _ context.Context) {
	_, endpoint := effectBound(t, zctx, Rep)
	req := effectConnected(t, zctx, Req, endpoint)
	require.NoError(t, req.SendString(context.Background(), "first"))
	require.ErrorIs(t, req.SendString(context.Background(), "second"), ErrState)
	require.NoError(t, req.Set(ReqRelaxed.To(true)))
	require.NoError(t, req.SendString(context.Background(), "second"))
}

func effectOfRouterHandover(t *testing.T, zctx *Context, ctx context.Context) {
	router, endpoint := effectBound(t, zctx, Router, RouterHandover.To(true), RouterMandatory.To(true))
	id := []byte("same")
	for _, text := range []string{"old", "new"} {
		dealer := effectConnected(t, zctx, Dealer, endpoint, RoutingID.To(id))
		require.NoError(t, dealer.SendString(context.Background(), text))
		requireNext(t, ctx, router, text)
		require.NoError(t, router.SendMultipart(context.Background(), [][]byte{id, []byte("reply to " + text)}))
		requireNext(t, ctx, dealer, "reply to "+text)
	}
}

func effectOfConnectRoutingID(t *testing.T, zctx *Context, ctx context.Context) {
	dealer, endpoint := effectBound(t, zctx, Dealer)
	router := effectConnected(t, zctx, Router, endpoint, ConnectRoutingID.To([]byte("chosen")), RouterMandatory.To(true))
	require.NoError(t, router.SendMultipart(context.Background(), [][]byte{[]byte("chosen"), []byte("x")}))
	requireNext(t, ctx, dealer, "x")
}

func effectOfXPubNoDrop(t *testing.T, zctx *Context, ctx context.Context) {
	for noDrop, want := range map[bool]error{false: nil, true: ErrAgain} {
		xpub, endpoint := effectBound(t, zctx, XPub, XPubNoDrop.To(noDrop), SendHWM.To(1), SendBuffer.To(4096))
		effectConnected(t, zctx, Sub, endpoint, Subscribe.To(""), RecvHWM.To(1), RecvBuffer.To(4096))
		requireNext(t, ctx, xpub, "\x01")
		var err error
		for i := 0; i < 1000 && err == nil; i++ {
			err = xpub.Send(context.Background(), make([]byte, 1<<16), DontWait)
		}
		require.ErrorIs(t, err, want)
	}
}

func effectOfXPubManual(t *testing.T, zctx *Context, ctx context.Context) {
	xpub, endpoint := effectBound(t, zctx, XPub, XPubManual.To(true))
	xsub := effectConnected(t, zctx, XSub, endpoint)
	says(t, xsub, "\x01asked")
	requireNext(t, ctx, xpub, "\x01asked")
	require.NoError(t, xpub.Set(Subscribe.To("granted")))
	says(t, xpub, "asked", "granted")
	requireNext(t, ctx, xsub, "granted")
}

func effectOfXPubWelcome(t *testing.T, zctx *Context, ctx context.Context) {
	xpub, endpoint := effectBound(t, zctx, XPub, XPubWelcomeMessage.To([]byte("welcome")))
	sub := effectConnected(t, zctx, Sub, endpoint, Subscribe.To("welcome"))
	requireNext(t, ctx, xpub, "\x01welcome") // libzmq sends it in a call of the XPUB
	requireNext(t, ctx, sub, "welcome")
}

// wssKeys are a key and the certificate of a server called localhost, which is its own
// authority.
func wssKeys(t *testing.T) (key, cert string) {
	t.Helper()
	secret := noErr(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der := noErr(x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret))(t)
	pkcs8 := noErr(x509.MarshalPKCS8PrivateKey(secret))(t)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})),
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// wssServer returns a socket that is bound, and its certificate.
func wssServer(t *testing.T, zctx *Context) (s *Socket, endpoint, cert string) {
	t.Helper()
	key, cert := wssKeys(t)
	s = optionSocket(t, zctx, Pull, Linger.To(0), WSSKeyPEM.To(key), WSSCertPEM.To(cert))
	require.NoError(t, s.Bind("wss://127.0.0.1:*"))
	return s, endpointOf(t, s), cert
}

// A client gets a connection if it trusts the server's authority and asks for its name.
func effectOfWSS(t *testing.T, zctx *Context, ctx context.Context) {
	pull, endpoint, cert := wssServer(t, zctx)
	_, stranger := wssKeys(t)
	for _, settings := range [][]Setting{
		{WSSTrustPEM.To(stranger), WSSHostname.To("localhost")},
		{WSSTrustPEM.To(cert), WSSHostname.To("example.org")},
		{WSSTrustSystem.To(true), WSSHostname.To("localhost")}, // the system does not know the authority
	} {
		push := optionSocket(t, zctx, Push, append([]Setting{Linger.To(0)}, settings...)...)
		m := noErr(push.Monitor(EventHandshakeSucceeded | EventHandshakeFailedNoDetail | EventHandshakeFailedProtocol | EventDisconnected))(t)
		require.NoError(t, push.Connect(endpoint))
		require.NotEqual(t, EventHandshakeSucceeded, noErr(m.Next(ctx))(t).Event)
	}
	push := effectConnected(t, zctx, Push, endpoint, WSSTrustPEM.To(cert), WSSHostname.To("localhost"))
	says(t, push, "encrypted")
	requireNext(t, ctx, pull, "encrypted")
}
