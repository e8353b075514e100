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
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// wssKeys are a key and the certificate of a server called localhost, which is its own
// authority.
func wssKeys(t *testing.T) (key, cert string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	require.NoError(t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(secret)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})),
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// wssServer returns a socket that is bound, and its certificate.
func wssServer(t *testing.T, zctx *Context) (s *Socket, endpoint, cert string) {
	t.Helper()
	key, cert := wssKeys(t)
	s = optionSocket(t, zctx, Pull, Linger.To(0), WSSKeyPEM.To(key), WSSCertPEM.To(cert))
	require.NoError(t, s.Bind("wss://127.0.0.1:*"))
	endpoint = endpointOf(t, s)
	return s, endpoint, cert
}

func effectOfWSS(t *testing.T, zctx *Context, ctx context.Context) {
	pull, endpoint, cert := wssServer(t, zctx)
	push := effectConnected(t, zctx, Push, endpoint, WSSTrustPEM.To(cert), WSSHostname.To("localhost"))
	require.NoError(t, push.Send(ctx, []byte("encrypted")))
	require.Equal(t, "encrypted", effectRecv(t, ctx, pull))
}

// Who trusts another authority gets no connection.
func effectOfWSSTrust(t *testing.T, zctx *Context, ctx context.Context) {
	_, endpoint, _ := wssServer(t, zctx)
	_, stranger := wssKeys(t)
	requireNoWSS(t, zctx, ctx, endpoint, WSSTrustPEM.To(stranger), WSSHostname.To("localhost"))
	effectOfWSS(t, zctx, ctx)
}

func effectOfWSSHostname(t *testing.T, zctx *Context, ctx context.Context) {
	_, endpoint, cert := wssServer(t, zctx)
	requireNoWSS(t, zctx, ctx, endpoint, WSSTrustPEM.To(cert), WSSHostname.To("example.org"))
	effectOfWSS(t, zctx, ctx)
}

// The system does not know the authority.
func effectOfWSSTrustSystem(t *testing.T, zctx *Context, ctx context.Context) {
	_, endpoint, _ := wssServer(t, zctx)
	requireNoWSS(t, zctx, ctx, endpoint, WSSTrustSystem.To(true), WSSHostname.To("localhost"))
}

// requireNoWSS asserts that a connection fails before messages could flow.
func requireNoWSS(t *testing.T, zctx *Context, ctx context.Context, endpoint string, settings ...Setting) {
	t.Helper()
	push := optionSocket(t, zctx, Push, append([]Setting{Linger.To(0)}, settings...)...)
	m, err := push.Monitor(EventHandshakeSucceeded | EventHandshakeFailedNoDetail | EventHandshakeFailedProtocol | EventDisconnected)
	require.NoError(t, err)
	require.NoError(t, push.Connect(endpoint))
	require.NotEqual(t, EventHandshakeSucceeded, nextEvent(t, ctx, m).Event)
}
