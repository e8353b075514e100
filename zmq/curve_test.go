package zmq_test

import (
	"bytes"
	"crypto/ecdh"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

func newKeys(t testing.TB) zmq.CurveKeys {
	t.Helper()
	keys := noErr(zmq.NewCurveKeys())(t)
	return keys
}

func TestCurveKeypair(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 20 {
		public, secret, err := zmq.NewCurveKeypair()
		require.NoError(t, err)
		require.Len(t, public, 40)
		require.Len(t, secret, 40)
		require.False(t, seen[public] || seen[secret] || public == secret)
		seen[public], seen[secret] = true, true
		require.Equal(t, public, noErr(zmq.CurvePublic(secret))(t))

		// The same by other code: CURVE keys are those of X25519.
		raw := noErr(zmq.Z85Decode(secret))(t)
		private := noErr(ecdh.X25519().NewPrivateKey(raw))(t)
		require.Equal(t, public, noErr(zmq.Z85Encode(private.PublicKey().Bytes()))(t))
	}
}

func TestCurvePublicRefuses(t *testing.T) {
	t.Parallel()
	secret := newKeys(t).Secret
	for _, bad := range []string{"", secret[:39], secret + "0", secret[:39] + " ", secret[:35] + "#####", strings.Repeat("0", 40)} {
		_, err := zmq.CurvePublic(bad)
		require.ErrorIs(t, err, syscall.EINVAL)
		var e *zmq.Error
		require.ErrorAs(t, err, &e)
		require.NotContains(t, err.Error(), secret[:20])
	}
}

// However a pair is shown, its secret is not.
func TestCurveKeysAreRedacted(t *testing.T) {
	t.Parallel()
	keys := newKeys(t)
	var logged bytes.Buffer
	slog.New(slog.NewTextHandler(&logged, nil)).Info("made", "keys", keys, "pointer", &keys)
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("made", "keys", keys, "list", []zmq.CurveKeys{keys})
	marshalled := noErr(json.Marshal(map[string]any{"keys": keys, "pointer": &keys}))(t)
	shown := logged.String() + string(marshalled) + keys.String() + keys.GoString()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
		shown += fmt.Sprintf(verb, keys) + fmt.Sprintf(verb, &keys) + fmt.Sprintf(verb, []zmq.CurveKeys{keys}) +
			fmt.Sprintf(verb, struct{ Keys zmq.CurveKeys }{keys})
	}
	shown += fmt.Sprint(errors.New(fmt.Sprint(keys)))
	require.NotContains(t, shown, keys.Secret)
	require.NotContains(t, shown, fmt.Sprintf("%x", keys.Secret))
	require.Contains(t, shown, keys.Public)
	require.Contains(t, shown, "(set)")
	require.NotContains(t, zmq.CurveKeys{Public: keys.Public}.String(), "(set)")
}

func TestSecuritySettingsRefuse(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	server, client := newKeys(t), newKeys(t)
	anybody, asked := zmq.AllowAnyClient(), zmq.Authenticated("domain")
	long := strings.Repeat("x", 256)
	type settings = []zmq.Setting
	for name, test := range map[string]struct {
		settings settings
		says     string
	}{
		"server without key":       {settings{zmq.AsCurveServer("", anybody)}, "40 characters"},
		"server with short key":    {settings{zmq.AsCurveServer(server.Secret[:39], anybody)}, "40 characters"},
		"server with other text":   {settings{zmq.AsCurveServer(server.Secret[:39]+"~", anybody)}, "character 40"},
		"server with zero key":     {settings{zmq.AsCurveServer(strings.Repeat("0", 40), anybody)}, "all zeros"},
		"nobody said who":          {settings{zmq.AsCurveServer(server.Secret, zmq.Clients{})}, "AllowAnyClient"},
		"empty domain":             {settings{zmq.AsCurveServer(server.Secret, zmq.Authenticated(""))}, "AllowAnyClient"},
		"long domain":              {settings{zmq.AsCurveServer(server.Secret, zmq.Authenticated(long))}, "256 bytes"},
		"domain with NUL":          {settings{zmq.AsCurveServer(server.Secret, zmq.Authenticated("a\x00"))}, "NUL"},
		"anybody and a domain":     {settings{zmq.ZapDomain.To("d"), zmq.AsCurveServer(server.Secret, anybody)}, "AllowAnyClient"},
		"client without server":    {settings{zmq.AsCurveClient("", client)}, "server's public key"},
		"client with itself":       {settings{zmq.AsCurveClient(client.Public, client)}, "own public key"},
		"client with half a pair":  {settings{zmq.AsCurveClient(server.Public, zmq.CurveKeys{Public: client.Public})}, "secret key"},
		"client with mixed pair":   {settings{zmq.AsCurveClient(server.Public, zmq.CurveKeys{Public: server.Public, Secret: client.Secret})}, "does not belong"},
		"client with two pairs":    {settings{zmq.AsCurveClient(server.Public, client, client)}, "several"},
		"client with bad public":   {settings{zmq.AsCurveClient(server.Public, zmq.CurveKeys{Public: "short", Secret: client.Secret})}, "public key"},
		"server and client":        {settings{zmq.AsCurveServer(server.Secret, asked), zmq.AsCurveClient(server.Public)}, "already a CURVE server"},
		"CURVE and PLAIN":          {settings{zmq.AsCurveServer(server.Secret, asked), zmq.AsPlainServer("d")}, "already a CURVE server"},
		"PLAIN server and client":  {settings{zmq.AsPlainClient("u", "p"), zmq.AsPlainServer("d")}, "already a PLAIN client"},
		"PLAIN without domain":     {settings{zmq.AsPlainServer("")}, "which clients"},
		"PLAIN without name":       {settings{zmq.AsPlainClient("", "p")}, "user is empty"},
		"PLAIN with NUL":           {settings{zmq.AsPlainClient("u", "p\x00")}, "PLAIN_PASSWORD"},
		"PLAIN with long name":     {settings{zmq.AsPlainClient(long, "p")}, "PLAIN_USERNAME"},
		"PLAIN password now empty": {settings{zmq.AsPlainClient("u", "p"), zmq.AsPlainClient("u", "")}, "already has a password"},
	} {
		_, err := zctx.NewSocket(zmq.Dealer, test.settings...)
		require.ErrorIs(t, err, syscall.EINVAL, name)
		require.ErrorContains(t, err, test.says, name)
		require.Regexp(t, "^zmq: set As(Curve|Plain)(Server|Client): ", err.Error(), name)
		for _, secret := range []string{server.Secret[:30], client.Secret[:30]} {
			require.NotContains(t, err.Error(), secret, name)
		}
	}

	require.ErrorContains(t, errOf(zctx.NewSocket(zmq.Stream, zmq.AsCurveServer(server.Secret, anybody))), "plain TCP")
	s := newSocket(t, zctx, zmq.Dealer)
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	require.ErrorContains(t, s.Set(zmq.AsCurveServer(server.Secret, anybody)), "without CURVE")

	// A refused setting leaves the socket as it was.
	s = newSocket(t, zctx, zmq.Dealer)
	require.Error(t, s.Set(zmq.AsCurveServer(server.Secret, zmq.Clients{})))
	require.Equal(t, zmq.MechanismNull, zmqtest.Get(t, zmq.Mechanism, s))
}

// What a bundle has promised is looked at when it begins to count.
func TestSecuritySettingsHold(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	keys := newKeys(t)
	anybody, asked := zmq.AllowAnyClient(), zmq.Authenticated("domain")
	const tcp = "tcp://127.0.0.1:*"
	type settings = []zmq.Setting
	for name, test := range map[string]struct {
		settings settings
		errno    error
		says     string
	}{
		"no authenticator, CURVE": {settings{zmq.AsCurveServer(keys.Secret, asked)}, zmq.ErrState, "zap.Start"},
		"no authenticator, PLAIN": {settings{zmq.AsPlainServer("d")}, zmq.ErrState, "zap.Start"},
		"turned into PLAIN":       {settings{zmq.AsCurveServer(keys.Secret, anybody), zmq.PlainServer.To(true)}, syscall.EINVAL, "CURVE server"},
		"turned into a client":    {settings{zmq.AsCurveServer(keys.Secret, anybody), zmq.CurveServerKey.To(keys.Public)}, syscall.EINVAL, "CURVE server"},
		"turned off":              {settings{zmq.AsCurveServer(keys.Secret, anybody), zmq.CurveServer.To(false)}, syscall.EINVAL, "CURVE server"},
		"domain changed":          {settings{zmq.AsCurveServer(keys.Secret, asked), zmq.ZapDomain.To("other")}, syscall.EINVAL, "CURVE server"},
		"domain added":            {settings{zmq.AsCurveServer(keys.Secret, anybody), zmq.ZapDomain.To("other")}, syscall.EINVAL, "CURVE server"},
		"not enforced":            {settings{zmq.AsCurveServer(keys.Secret, asked), zmq.ZapEnforceDomain.To(false)}, syscall.EINVAL, "CURVE server"},
		"client becomes server":   {settings{zmq.AsCurveClient(keys.Public), zmq.CurveServer.To(true)}, syscall.EINVAL, "CURVE client"},
		"client turned off":       {settings{zmq.AsPlainClient("u", "p"), zmq.PlainUsername.To("")}, syscall.EINVAL, "PLAIN client"},
		"raw":                     {settings{zmq.AsCurveServer(keys.Secret, anybody), zmq.RouterRaw.To(true)}, syscall.EINVAL, "RouterRaw"},
	} {
		err := newSocket(t, zctx, zmq.Router, test.settings...).Bind(tcp)
		require.ErrorIs(t, err, test.errno, name)
		require.ErrorContains(t, err, test.says, name)
		require.NotContains(t, err.Error(), keys.Secret, name)
	}

	s := newSocket(t, zctx, zmq.Router, zmq.AsCurveServer(keys.Secret, anybody))
	require.NoError(t, s.Bind(tcp))
	require.NoError(t, s.Set(zmq.AsCurveServer(newKeys(t).Secret, anybody)), "keys may change")
	require.NoError(t, s.Bind(tcp))
	options := fmt.Sprint(s.Options())
	secret := zmqtest.Get(t, zmq.CurveSecretKey, s)
	require.NotContains(t, options, secret)
	require.NotContains(t, options, keys.Secret)
}

// With CURVE the network path sees neither messages nor the server's key. With the other
// mechanisms it sees messages.
func TestCurveEncrypts(t *testing.T) {
	t.Parallel()
	server, client := newKeys(t), newKeys(t)
	for name, test := range map[string]struct {
		server, client []zmq.Setting
		readable       bool
	}{
		"NULL":  {nil, nil, true},
		"CURVE": {[]zmq.Setting{zmq.AsCurveServer(server.Secret, zmq.AllowAnyClient())}, []zmq.Setting{zmq.AsCurveClient(server.Public, client)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zctx := newContext(t)
			rep, req := newSocket(t, zctx, zmq.Rep, test.server...), newSocket(t, zctx, zmq.Req, test.client...)
			require.NoError(t, rep.Bind(tcp))
			w := newTamperer(t, strings.TrimPrefix(last(t, rep), "tcp://"), nil)
			t.Cleanup(w.close)
			require.NoError(t, req.Connect(w.front))
			for _, size := range []int{1, 10, 1000} {
				question, answer := strings.Repeat("a question ", size), strings.Repeat("an answer ", size)
				require.NoError(t, req.SendString(soon(t), question))
				require.Equal(t, question, recvString(t, rep))
				require.NoError(t, rep.SendString(soon(t), answer))
				require.Equal(t, answer, recvString(t, req))
				require.Equal(t, test.readable, w.shows("a question "))
				require.Equal(t, test.readable, w.shows("an answer "))
			}
			require.Equal(t, name, strings.ToUpper(zmqtest.Get(t, zmq.Mechanism, rep).String()))
			require.True(t, w.shows(name), "the greeting is seen")
			for _, secret := range []string{server.Secret, client.Secret} {
				require.False(t, w.shows(string(noErr(zmq.Z85Decode(secret))(t))))
			}
		})
	}
}
