package interop

import (
	"context"
	"encoding/hex"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

const curvePeer = "curve_peer.py"

func certificate(t *testing.T) zap.Certificate {
	t.Helper()
	c, err := zap.NewCertificate()
	require.NoError(t, err)
	return c
}

func testContext(t *testing.T) context.Context {
	t.Helper()
	return zmqtest.Timeout(t, timeout)
}

// refusals returns a function that waits until a monitor tells of a refusal, by
// whichever side's authenticator.
func refusals(t *testing.T, s *zmq.Socket) (wait func()) {
	t.Helper()
	m := zmqtest.Monitor(t, s, zmq.EventHandshakeFailedAuth|zmq.EventHandshakeSucceeded)
	return func() {
		t.Helper()
		e, err := m.Next(testContext(t))
		require.NoError(t, err)
		require.Equal(t, zmq.EventHandshakeFailedAuth, e.Event)
		require.Equal(t, zap.Refused, e.ZAPStatus)
	}
}

// pythonClients has a bad client refused, and then a good one let in.
func pythonClients(t *testing.T, p zap.Policy, server zmq.Setting, userID string, good, bad []string) {
	t.Helper()
	ctx := testContext(t)
	zctx := zmqtest.NewContext(t)
	decisions := make(chan zap.Decision, 100)
	p.Log = func(d zap.Decision) { decisions <- d }
	auth, err := zap.Start(zctx, p)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, auth.Close()) })
	s, err := zctx.NewSocket(zmq.Router, server)
	require.NoError(t, err)
	refused := refusals(t, s)
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	endpoint := zmqtest.LastEndpoint(t, s)

	stranger := startScript(t, ctx, curvePeer, "client", append([]string{endpoint}, bad...)...)
	stranger.expect("ready ")
	require.Equal(t, zap.Refused, (<-decisions).Status)
	refused()
	stranger.say("refused")
	stranger.done()

	friend := startScript(t, ctx, curvePeer, "client", append([]string{endpoint}, good...)...)
	friend.expect("ready ")
	var parts zmq.Multipart
	defer func() { parts.Close() }()
	require.NoError(t, s.RecvMultipartMessage(ctx, &parts))
	require.Equal(t, "from python", string(parts[1].Bytes()))
	got, err := parts[1].Property("User-Id")
	require.NoError(t, err)
	require.Equal(t, userID, got)
	require.True(t, (<-decisions).Accepted())
	require.NoError(t, s.SendMultipart(ctx, [][]byte{parts[0].Bytes(), []byte("from go")}))
	friend.say("go on")
	friend.done()
	_, err = s.RecvMultipart(context.Background(), zmq.DontWait)
	require.ErrorIs(t, err, zmq.ErrAgain)
}

func TestCurveServerToPythonClients(t *testing.T) {
	t.Parallel()
	server, good, bad := certificate(t), certificate(t), certificate(t)
	pythonClients(t,
		zap.Policy{Curve: func(domain, key string) bool { return domain == "interop" && key == good.Public }},
		zmq.AsCurveServer(server.Secret, zmq.Authenticated("interop")), good.Public,
		[]string{"curve", server.Public, good.Public, good.Secret},
		[]string{"curve", server.Public, bad.Public, bad.Secret})
}

func TestPlainServerToPythonClients(t *testing.T) {
	t.Parallel()
	pythonClients(t,
		zap.Policy{Plain: func(_, user, password string) bool { return user == "ada" && password == "right" }},
		zmq.AsPlainServer("interop"), "ada",
		[]string{"plain", "ada", "right"}, []string{"plain", "ada", "wrong"})
}

// goClients has a bad client refused by pyzmq's ThreadAuthenticator, and then a good
// one let in; the server answers one message and no other.
func goClients(t *testing.T, userID string, good, bad zmq.Setting, arguments ...string) {
	t.Helper()
	ctx := testContext(t)
	p := startScript(t, ctx, curvePeer, "server", arguments...)
	endpoint := strings.TrimPrefix(p.expect("ready "), "ready ")
	stranger := newSocket(t, zmq.Req, bad, zmq.Linger.To(0))
	refused := refusals(t, stranger)
	require.NoError(t, stranger.Connect(endpoint))
	nothing := zmq.ErrAgain
	if err := stranger.SendString(context.Background(), "from a stranger", zmq.DontWait); err != nil {
		require.ErrorIs(t, err, zmq.ErrAgain, "it was refused by now")
		nothing = zmq.ErrState // a REQ that has not asked
	}
	refused()
	s := newSocket(t, zmq.Req, good, zmq.Linger.To(0))
	require.NoError(t, s.Connect(endpoint))
	require.NoError(t, s.SendString(ctx, "from go"))
	reply, err := s.RecvString(ctx)
	require.NoError(t, err)
	require.Equal(t, "from python "+userID, reply)
	_, err = stranger.RecvString(context.Background(), zmq.DontWait)
	require.ErrorIs(t, err, nothing)
	p.say("arrived")
	p.done()
}

// pyzmq reads the clients' certificates that we have written.
func TestCurveClientToPythonServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server, good, bad := certificate(t), certificate(t), certificate(t)
	require.NoError(t, good.Save(filepath.Join(dir, "good.key")))
	goClients(t, good.Public,
		zmq.AsCurveClient(server.Public, good.Keys()), zmq.AsCurveClient(server.Public, bad.Keys()),
		"curve", server.Secret, dir)
}

func TestPlainClientToPythonServer(t *testing.T) {
	t.Parallel()
	goClients(t, "ada", zmq.AsPlainClient("ada", "right"), zmq.AsPlainClient("ada", "wrong"), "plain", "ada", "right")
}

func TestPythonCertificates(t *testing.T) {
	t.Parallel()
	ctx := testContext(t)
	dir := t.TempDir()
	startScript(t, ctx, curvePeer, "create", dir, "python").done()
	path := filepath.Join(dir, "python.key")
	c, err := zap.LoadCertificate(path)
	require.NoError(t, err)
	require.NotEmpty(t, c.Secret)
	require.Equal(t, map[string]string{"name": "Ada", "team": "blue sky"}, c.Metadata)
	public, err := zap.LoadPublicCertificate(path)
	require.NoError(t, err)
	require.Equal(t, c.Public, public.Public)
	require.Empty(t, public.Secret)
	store, err := zap.NewDirectoryStore(dir, 0)
	require.NoError(t, err)
	require.NoError(t, store.Err())
	require.True(t, store.Allowed("", c.Public))

	ours := certificate(t)
	ours.Metadata = map[string]string{"name": "Ada", "quotes": `"`, "comment": "a # b"}
	path = filepath.Join(dir, "go.key")
	require.NoError(t, ours.Save(path))
	startScript(t, ctx, curvePeer, "load", path, ours.Public, "").done()
	startScript(t, ctx, curvePeer, "load", path+"_secret", ours.Public, ours.Secret).done()
	startScript(t, ctx, curvePeer, "load_all", dir, ours.Public, c.Public).done()
}

// pyzmq's own Z85 and its libzmq's keys.
func TestZ85AsPython(t *testing.T) {
	t.Parallel()
	p := startScript(t, testContext(t), curvePeer, "codec")
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 200 {
		data := make([]byte, 4*(1+r.IntN(20)))
		for k := range data {
			data[k] = []byte{0, 255, byte(r.Uint32())}[r.IntN(3)]
		}
		text, err := zmq.Z85Encode(data)
		require.NoError(t, err)
		p.say("encode " + hex.EncodeToString(data))
		require.Equal(t, p.expect(""), text, "%d", i)
	}
	for range 20 {
		keys, err := zmq.NewCurveKeys()
		require.NoError(t, err)
		p.say("public " + hex.EncodeToString([]byte(keys.Secret)))
		require.Equal(t, p.expect(""), keys.Public)
	}
	require.NoError(t, p.stdin.Close())
	p.done()
}
