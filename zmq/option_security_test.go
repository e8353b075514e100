package zmq

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

func TestSecurityIsCheckedWhereItCounts(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	// A socket that asks the authenticator can be bound, but may not connect.
	attach := func(s *Socket, words string, asks bool) {
		t.Helper()
		connectWords := words
		if words == "" && asks {
			connectWords = "may not connect"
		}
		for _, attempt := range []struct {
			err   error
			words string
		}{
			{s.Bind("tcp://127.0.0.1:*"), words},
			{s.Connect("tcp://127.0.0.1:1"), connectWords},
		} {
			if attempt.words == "" {
				require.NoError(t, attempt.err)
			} else {
				requireRefused(t, attempt.err, syscall.EINVAL, attempt.words)
			}
		}
	}
	for _, test := range []struct {
		settings []Setting
		words    string // empty: allowed
		asks     bool
	}{
		{[]Setting{RecvHWM.To(1)}, "", false},
		{[]Setting{RecvHWM.To(1), ZapDomain.To("d")}, "RecvHWM", true},
		{[]Setting{RecvHWM.To(2), ZapDomain.To("d")}, "", true},
		{[]Setting{RecvHWM.To(0), ZapDomain.To("d")}, "", true},
		{[]Setting{RecvHWM.To(1), PlainServer.To(true)}, "RecvHWM", true},
		{[]Setting{RecvHWM.To(1), PlainUsername.To("u")}, "", false},
		{[]Setting{PlainServer.To(true)}, "", true},
		{[]Setting{PlainServer.To(true), ZapEnforceDomain.To(true)}, "ZapDomain", true},
		{[]Setting{PlainServer.To(true), ZapEnforceDomain.To(true), ZapDomain.To("d")}, "", true},
		{[]Setting{ZapEnforceDomain.To(true)}, "", false},
		{[]Setting{PlainUsername.To("u"), ZapEnforceDomain.To(true)}, "", false},
		{[]Setting{PlainUsername.To("u"), ZapDomain.To("d")}, "", false},
	} {
		s := optionSocket(t, zctx, Dealer, test.settings...)
		attach(s, test.words, test.asks)
		require.NoError(t, s.Bind("inproc://security-"+s.Type().String()), "inproc has no security")
		require.NoError(t, s.Close())
	}
	if !libzmq.Has("curve") {
		return
	}
	public, secret, server := CurvePublicKey.To(testPublicKey), CurveSecretKey.To(testSecretKey), CurveServerKey.To(testServerKey)
	for _, test := range []struct {
		settings []Setting
		words    string
		asks     bool
	}{
		{[]Setting{CurveServer.To(true)}, "CurveSecretKey", true},
		{[]Setting{CurveServer.To(true), secret}, "", true},
		{[]Setting{CurveServer.To(true), secret, ZapEnforceDomain.To(true)}, "", false},
		{[]Setting{CurveServer.To(true), secret, ZapEnforceDomain.To(true), ZapDomain.To("d")}, "", true},
		{[]Setting{CurveServer.To(true), secret, RecvHWM.To(1)}, "RecvHWM", true},
		{[]Setting{server}, "CurveSecretKey", false},
		{[]Setting{server, secret}, "CurvePublicKey", false},
		{[]Setting{public, secret}, "CurveServerKey", false},
		{[]Setting{server, public, secret}, "", false},
	} {
		s := optionSocket(t, zctx, Dealer, test.settings...)
		attach(s, test.words, test.asks)
		require.NoError(t, s.Close())
	}
}

// The error for a libzmq without a capability, such as CURVE, says what is missing.
func TestCapabilityMissing(t *testing.T) {
	t.Parallel()
	err := needs(opCurve, "no such capability", "CURVE keys")
	require.ErrorIs(t, err, ErrNotSupported)
	require.ErrorContains(t, err, "curve: the libzmq in use does not support CURVE keys; ")
	require.Contains(t, needText("curve"), "libsodium")
	missing := bundle("AsCurveServer", func(*Socket) (security, []Setting, error) { return security{}, nil, err })
	s := optionSocket(t, optionContext(t), Dealer)
	require.ErrorIs(t, s.Set(missing), ErrNotSupported)
	require.ErrorContains(t, s.Set(missing), "set AsCurveServer: the libzmq in use")
}
