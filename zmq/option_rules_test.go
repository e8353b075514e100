package zmq

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

func TestTopics(t *testing.T) {
	t.Parallel()
	s := optionSocket(t, optionContext(t), Sub)
	for _, n := range []int{0, 1, 245, 256, maxTopic} {
		require.NoError(t, s.Subscribe(strings.Repeat("x", n)))
		require.NoError(t, s.Unsubscribe(strings.Repeat("x", n)))
	}
	require.NoError(t, s.Unsubscribe("never subscribed"))
	requireRefused(t, s.Subscribe(strings.Repeat("x", maxTopic+1)), syscall.EINVAL, "4096", "4097")
	requireRefused(t, s.Unsubscribe(strings.Repeat("x", 1<<20)), syscall.EINVAL, "4096")
	for _, n := range []int{246, 255} {
		err := s.Subscribe(strings.Repeat("x", n))
		if libzmq.OlderThan(4, 3, 5) {
			requireRefused(t, err, syscall.ENOTSUP, "4.3.5")
			require.ErrorIs(t, err, ErrNotSupported)
		} else {
			require.NoError(t, err)
		}
	}
}

func TestCurveKeys(t *testing.T) {
	t.Parallel()
	s := optionSocket(t, optionContext(t), Dealer)
	if !libzmq.Has("curve") {
		requireRefused(t, s.Set(CurveSecretKey.To(testSecretKey)), syscall.ENOTSUP, "libsodium")
		return
	}
	for _, option := range []Option[string]{CurvePublicKey, CurveSecretKey, CurveServerKey} {
		for name, key := range map[string]string{
			"empty":            "",
			"short":            testSecretKey[1:],
			"long":             testSecretKey + "x",
			"not Z85":          "~" + testSecretKey[1:],
			"a NUL":            "\x00" + testSecretKey[1:],
			"too large":        "#####" + testSecretKey[5:],
			"zeros":            unsetKey,
			"raw zeros":        strings.Repeat("\x00", 32),
			"with a final NUL": testSecretKey + "\x00",
		} {
			err := s.Set(option.To(key))
			requireRefused(t, err, syscall.EINVAL, option.spec.name)
			require.NotContains(t, err.Error(), testSecretKey[5:], name)
		}
		got := get(t, option, s)
		require.Empty(t, got)
		require.NoError(t, s.Set(option.To(testServerKey)))
		got = get(t, option, s)
		require.Equal(t, testServerKey, got)
	}
	raw := []byte(strings.Repeat("k", 32))
	require.NoError(t, s.Set(OptionByNumber[[]byte](numCurveSecretKey).To(raw)))
	require.Len(t, get(t, CurveSecretKey, s), 40)
}

func TestMechanismIsNotLostByTurningOffWhatIsOff(t *testing.T) {
	t.Parallel()
	s := optionSocket(t, optionContext(t), Dealer)
	type step struct {
		needs    string
		settings []Setting
		want     SecurityMechanism
	}
	for i, step := range []step{
		{"", []Setting{PlainUsername.To("u"), PlainPassword.To("p")}, MechanismPlain},
		{"", []Setting{PlainServer.To(false)}, MechanismPlain},
		{"", []Setting{PlainPassword.To("")}, MechanismNull},
		{"", []Setting{PlainServer.To(true)}, MechanismPlain},
		{"", []Setting{PlainServer.To(false)}, MechanismNull},
		{"gssapi", []Setting{GSSAPIServer.To(false)}, MechanismNull},
		{"gssapi", []Setting{GSSAPIPrincipal.To("someone")}, MechanismGSSAPI},
		{"curve", []Setting{CurveServerKey.To(testServerKey)}, MechanismCurve},
		{"curve", []Setting{CurveServer.To(false), PlainServer.To(false), PlainUsername.To(""), PlainPassword.To("")}, MechanismCurve},
	} {
		if step.needs == "" || libzmq.Has(step.needs) {
			require.NoError(t, s.Set(step.settings...), i)
			require.Equal(t, step.want, get(t, Mechanism, s), i)
		}
	}
	for m, want := range map[SecurityMechanism]string{0: "NULL", 1: "PLAIN", 2: "CURVE", 3: "GSSAPI", 4: "unknown"} {
		require.Equal(t, want, m.String())
	}
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	s := optionSocket(t, optionContext(t), Dealer)
	for _, good := range []string{"X-a:bc", "X-:bc", "X-a:b:c", "X-" + strings.Repeat("n", 253) + ":v"} {
		require.NoError(t, s.Set(Metadata.To(good)), good)
	}
	for _, bad := range []string{"", "a", "a:b", "x-a:b", "X-ab", "X-a:", ":X-a", "X-:v", "X-a:\x00", "X-" + strings.Repeat("n", 254) + ":v", strings.Repeat("X", 5000)} {
		requireRefused(t, s.Set(Metadata.To(bad)), syscall.EINVAL, "METADATA")
	}
}

func TestRouterRawCannotBeTakenBack(t *testing.T) {
	t.Parallel()
	s := optionSocket(t, optionContext(t), Router, RouterRaw.To(false), RouterRaw.To(true))
	requireRefused(t, s.Set(RouterRaw.To(false)), syscall.EINVAL, "new socket")
	require.NoError(t, s.Set(RouterRaw.To(true)))
}

func TestRawAndProbingExcludeEachOther(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	s := optionSocket(t, zctx, Router, RouterRaw.To(true), ProbeRouter.To(false))
	requireRefused(t, s.Set(ProbeRouter.To(true)), syscall.EINVAL, "PROBE_ROUTER", "RouterRaw")
	s = optionSocket(t, zctx, Router, ProbeRouter.To(true))
	requireRefused(t, s.Set(RouterRaw.To(true)), syscall.EINVAL, "ROUTER_RAW", "ProbeRouter")
	require.NoError(t, s.Set(ProbeRouter.To(false), RouterRaw.To(true)))
	requireRefused(t, s.Bind("inproc://raw"), syscall.EPROTONOSUPPORT, "RouterRaw")
}

func TestRoutingIDsThatLibzmqMakesUp(t *testing.T) {
	t.Parallel()
	s := optionSocket(t, optionContext(t), Dealer)
	for _, id := range []string{"\x00\x00\x00\x00\x01", "\x00abcd"} {
		requireRefused(t, s.Set(RoutingID.To([]byte(id))), syscall.EINVAL, "ROUTING_ID", "zero byte")
		requireRefused(t, s.Set(OptionByNumber[string](RoutingID.Number()).To(id)), syscall.EINVAL, "zero byte")
	}
}

func TestOptionByNumber(t *testing.T) {
	t.Parallel()
	s := optionSocket(t, optionContext(t), Router)
	require.Equal(t, "LINGER", OptionByNumber[int](17).spec.name)
	require.Equal(t, 17, OptionByNumber[int](17).Number())

	// Known numbers: libzmq's units, all the checks.
	require.NoError(t, s.Set(
		OptionByNumber[int](17).To(250), OptionByNumber[int64](22).To(1<<40), OptionByNumber[uint64](4).To(1<<63), OptionByNumber[string](5).To("me"),
	))
	require.Equal(t, 250*time.Millisecond, get(t, Linger, s))
	require.Equal(t, 250, get(t, OptionByNumber[int](17), s))
	require.EqualValues(t, 1<<40, get(t, OptionByNumber[int64](22), s))
	require.Equal(t, uint64(1)<<63, get(t, OptionByNumber[uint64](4), s))
	require.Equal(t, "me", get(t, OptionByNumber[string](5), s))
	require.Equal(t, []byte("me"), get(t, OptionByNumber[[]byte](5), s))
	require.NoError(t, s.Set(OptionByNumber[[]byte](17).To([]byte{0, 0, 0, 0})))
	require.Equal(t, make([]byte, 4), get(t, OptionByNumber[[]byte](17), s))
	for _, refused := range []struct {
		err   error
		words []string
	}{
		{s.Set(OptionByNumber[int](17).To(-2)), []string{"LINGER", "out of range"}},
		{s.Set(OptionByNumber[int](42).To(2)), []string{"IPV6", "out of range"}},
		{s.Set(OptionByNumber[int](40).To(1)), []string{"XPUB_VERBOSE", "ROUTER"}},
		{s.Set(OptionByNumber[string](17).To("250")), []string{"OptionByNumber[int]", "Linger"}},
		{errOf(OptionByNumber[string](17).Get(s)), []string{"OptionByNumber[int]"}},
		{s.Set(OptionByNumber[int](5).To(1)), []string{"RoutingID"}},
		{errOf(OptionByNumber[int](5).Get(s)), []string{"ROUTING_ID"}},
		{errOf(OptionByNumber[int64](5).Get(s)), []string{"ROUTING_ID"}},
		{errOf(OptionByNumber[uint64](5).Get(s)), []string{"ROUTING_ID"}},
		{s.Set(OptionByNumber[[]byte](17).To([]byte{0})), []string{"4 bytes"}},
		{s.Set(OptionByNumber[int64](22).To(-2)), []string{"MAXMSGSIZE"}},
		{s.Set(OptionByNumber[uint64](22).To(1 << 63)), []string{"MAXMSGSIZE"}},
		{s.Set(OptionByNumber[string](5).To("")), []string{"1 to 255"}},
		{s.Set(OptionByNumber[int](9999).To(1)), []string{"option 9999", "does not have this option"}},
		{s.Set(OptionByNumber[int64](9999).To(1)), []string{"option 9999", "does not have this option"}},
		{s.Set(OptionByNumber[uint64](9999).To(1)), []string{"option 9999", "does not have this option"}},
		{s.Set(OptionByNumber[string](9999).To("x")), []string{"option 9999", "does not have this option"}},
		{s.Set(OptionByNumber[[]byte](9999).To(nil)), []string{"option 9999", "does not have this option"}},
		{errOf(OptionByNumber[string](9999).Get(s)), []string{"option 9999"}},
	} {
		requireRefused(t, refused.err, syscall.EINVAL, refused.words...)
	}

	// Unknown ones go to libzmq as they are. 31 is IPV4ONLY, deprecated.
	only := OptionByNumber[int](31)
	require.Equal(t, "option 31", only.spec.name)
	require.Equal(t, 1, get(t, only, s))
	require.NoError(t, s.Set(only.To(0)))
	require.True(t, get(t, IPv6, s))
	require.NoError(t, s.Set(OptionByNumber[string](38).To("127.0.0.0/8"))) // TCP_ACCEPT_FILTER
}

func TestStateOptions(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	s := optionSocket(t, zctx, Pair)
	fd := get(t, FD, s)
	own := make([]byte, 8) // on Windows
	require.NoError(t, errOf(s.core().GetOption(numFD, own)))
	require.Equal(t, fd, get(t, OptionByNumber[int](numFD), s))
	require.NotEqual(t, specOf(numFD).unwire(own[:4]).n, int64(fd), "libzmq's own descriptor stays inside")

	peer := optionSocket(t, zctx, Pair)
	require.NoError(t, s.Bind("inproc://state"))
	require.NoError(t, peer.Connect("inproc://state"))
	require.NoError(t, peer.SendMultipart(context.Background(), [][]byte{[]byte("a"), []byte("b")}))
	require.Equal(t, "a", string(noErr(s.RecvBytes(context.Background()))(t)))
	more := get(t, RecvMore, s)
	require.True(t, more)
	require.NoError(t, errOf(s.RecvBytes(context.Background())))
	more = get(t, RecvMore, s)
	require.False(t, more)
	require.Equal(t, 2, get(t, Events, s), "it can send, and there is nothing to receive")
	require.Equal(t, "inproc://state", get(t, LastEndpoint, s))
	require.NoError(t, s.Close())
	require.ErrorIs(t, errOf(FD.Get(s)), ErrClosed)
	require.ErrorIs(t, errOf(RecvMore.Get(s)), ErrClosed)
}
