package zmq

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

func TestDurationsRoundUp(t *testing.T) {
	t.Parallel()
	s := optionSocket(t, optionContext(t), Dealer)
	for _, test := range []struct {
		option Option[time.Duration]
		in     time.Duration
		want   time.Duration
	}{
		{Linger, 0, 0},
		{Linger, 1, millis(1)},
		{Linger, 500 * time.Microsecond, millis(1)},
		{Linger, time.Millisecond, millis(1)},
		{Linger, time.Millisecond + 1, millis(2)},
		{Linger, 1500 * time.Microsecond, millis(2)},
		{Linger, time.Second, seconds(1)},
		{Linger, -1, forEver},
		{Linger, -time.Second, forEver},
		{Linger, math.MinInt64, forEver},
		{Linger, math.MaxInt32 * time.Millisecond, math.MaxInt32 * time.Millisecond},
		{RecvTimeout, 1, millis(1)},
		{RecvTimeout, -time.Hour, forEver},
		{SendTimeout, 1, millis(1)},
		{SendTimeout, -time.Hour, forEver},
		{ConnectTimeout, 1, millis(1)},
		{ConnectTimeout, -1, 0},
		{HandshakeInterval, -time.Minute, 0},
		{ReconnectInterval, -time.Minute, forEver},
		{HeartbeatTTL, 1, millis(100)},
		{HeartbeatTTL, millis(100), millis(100)},
		{HeartbeatTTL, millis(101), millis(200)},
		{HeartbeatTTL, 6553500 * time.Millisecond, 6553500 * time.Millisecond},
		{TCPKeepaliveIdle, 1, seconds(1)},
		{TCPKeepaliveIdle, seconds(60), seconds(60)},
		{TCPKeepaliveIdle, seconds(60) + 1, seconds(61)},
		{TCPKeepaliveIdle, -seconds(5), forEver},
		{TCPKeepaliveInterval, millis(1500), seconds(2)},
	} {
		require.NoError(t, s.Set(test.option.To(test.in)), "%s to %v", test.option.spec.name, test.in)
		require.Equal(t, test.want, get(t, test.option, s), "%s to %v", test.option.spec.name, test.in)
	}
	requireRefused(t, s.Set(HeartbeatTTL.To(6553501*time.Millisecond)), syscall.EINVAL, "1h49m13.6s")
	requireRefused(t, s.Set(Linger.To(math.MaxInt64)), syscall.EINVAL, "negative duration")
	for _, option := range []Option[time.Duration]{TCPKeepaliveIdle, TCPKeepaliveInterval} {
		requireRefused(t, s.Set(option.To(0)), syscall.EINVAL, "negative")
	}
	requireRefused(t, s.Set(TCPKeepaliveCount.To(0)), syscall.EINVAL, "negative")
}

func TestOptionsSnapshot(t *testing.T) {
	t.Parallel()
	s := optionSocket(t, optionContext(t), Dealer, SendHWM.To(3), Linger.To(time.Second),
		PlainUsername.To("anna"), PlainPassword.To("dragon"), RoutingID.To([]byte("me")))
	all := s.Options()
	require.Equal(t, 3, all["SNDHWM"])
	require.Equal(t, time.Second, all["LINGER"])
	require.Equal(t, Dealer, all["TYPE"])
	require.Equal(t, MechanismPlain, all["MECHANISM"])
	require.Equal(t, "anna", all["PLAIN_USERNAME"])
	require.Equal(t, []byte("me"), all["ROUTING_ID"])
	require.Equal(t, "(set)", all["PLAIN_PASSWORD"])
	require.NotContains(t, all, "FD")
	require.NotContains(t, all, "SUBSCRIBE")
	require.NotContains(t, fmt.Sprint(all), "dragon")
	if libzmq.Has("curve") {
		require.Empty(t, all["CURVE_SECRETKEY"])
		require.NoError(t, s.Set(CurveSecretKey.To(testSecretKey)))
		require.Equal(t, "(set)", s.Options()["CURVE_SECRETKEY"])
	}
	for _, o := range optionTable {
		if o.access&canGet != 0 && o.number != numFD && missing(o) == 0 && (o.access != canGet || o.types.has(Dealer)) {
			require.Contains(t, all, o.name)
		}
	}
}

// Settings that NewSocket is given are applied, in their order, to every type of socket.
func TestSettingsAtConstruction(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	types := stableTypes
	if libzmq.Has(needsDraft) {
		types = append(slices.Clone(types), Server, Client, Radio, Dish, Gather, Scatter, Dgram, Peer, Channel)
	}
	for _, typ := range types {
		s := optionSocket(t, zctx, typ, Backlog.To(5), Linger.To(42*time.Second), Backlog.To(7))
		require.Equal(t, 7, get(t, Backlog, s), typ.String())
		require.Equal(t, 42*time.Second, get(t, Linger, s), typ.String())
		require.NoError(t, s.Close())
	}
}

func TestThreadNamePrefixText(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "four", strings.Repeat("x", 17), "a\x00b"} {
		_, err := NewContext(ThreadNamePrefixText.To(bad))
		requireRefused(t, err, syscall.EINVAL, "THREAD_NAME_PREFIX")
	}
	zctx, err := NewContext(ThreadNamePrefixText.To("ingest"))
	if !libzmq.Has("draft") {
		requireRefused(t, err, syscall.ENOTSUP, "THREAD_NAME_PREFIX", "draft")
		_, err = ThreadNamePrefixText.Get(optionContext(t))
		requireRefused(t, err, syscall.ENOTSUP, "THREAD_NAME_PREFIX", "draft")
		return
	}
	require.NoError(t, err)
	defer zctx.Close()
	require.Equal(t, "ingest", noErr(ThreadNamePrefixText.Get(zctx))(t))
	require.NoError(t, errOf(zctx.NewSocket(Pair)))
	requireThreadNamed(t, "ingest")
	requireRefused(t, zctx.Set(ThreadNamePrefixText.To("later")), syscall.EINVAL, "NewContext")
	long := optionContext(t, ThreadNamePrefixText.To(strings.Repeat("x", 16)))
	require.NoError(t, errOf(long.NewSocket(Pair)))
	require.NoError(t, long.Close())
}

// requireThreadNamed waits until a thread of the process has a name with this prefix.
// A thread names itself when it begins.
func requireThreadNamed(t *testing.T, prefix string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return // /proc tells the names
	}
	require.Eventually(t, func() bool {
		names := noErr(filepath.Glob("/proc/self/task/*/comm"))(t)
		for _, name := range names {
			if text, _ := os.ReadFile(name); strings.HasPrefix(string(text), prefix) {
				return true
			}
		}
		return false
	}, 20*time.Second, time.Millisecond)
}
