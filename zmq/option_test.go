package zmq

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// Two key pairs for tests; they protect nothing.
const (
	testPublicKey = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
	testSecretKey = "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"
	testServerKey = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
)

var stableTypes = []SocketType{Pair, Pub, Sub, Req, Rep, Dealer, Router, Pull, Push, XPub, XSub, Stream}

func optionContext(t testing.TB, settings ...ContextSetting) *Context {
	t.Helper()
	zctx := noErr(NewContext(settings...))(t)
	t.Cleanup(func() { require.NoError(t, zctx.Close()) })
	return zctx
}

func optionSocket(t testing.TB, zctx *Context, typ SocketType, settings ...Setting) *Socket {
	t.Helper()
	s := noErr(zctx.NewSocket(typ, settings...))(t)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func get[T any](t testing.TB, o Option[T], s *Socket) T {
	t.Helper()
	value := noErr(o.Get(s))(t)
	return value
}

func endpointOf(t testing.TB, s *Socket) string {
	t.Helper()
	endpoint := noErr(s.LastEndpoint())(t)
	return endpoint
}

// to is Option.To for a line of the table whose type is not known at compile
// time.
func to(o *optionSpec, value any) Setting {
	return Setting{apply: func(s *Socket) error { return o.set(s, value) }}
}

func requireRefused(t *testing.T, err error, errno syscall.Errno, words ...string) {
	t.Helper()
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, errno, e.Errno, "%v", err)
	require.NotEmpty(t, e.Detail, "%v", err)
	for _, word := range words {
		require.Contains(t, err.Error(), word)
	}
}

// missing returns the errno that an option gives on the libzmq at hand because
// the library lacks it, or 0.
func missing(o *optionSpec) syscall.Errno {
	switch o.needs {
	case "":
		return 0
	case "curve", "gssapi", "vmci", needsDraft:
		if libzmq.Has(o.needs) {
			return 0
		}
		return syscall.ENOTSUP
	case needsDraft435, needsWSS, needsNorm:
		has := libzmq.Has(needsDraft) && (o.needs != needsWSS || libzmq.Has("WSS")) && (o.needs != needsNorm || libzmq.Has("norm"))
		if has && (o.needs == needsWSS || !libzmq.OlderThan(4, 3, 5)) {
			return 0
		}
		return syscall.ENOTSUP
	}
	var major, minor, patch int
	if _, err := fmt.Sscanf(o.needs, "%d.%d.%d", &major, &minor, &patch); err != nil {
		panic(err)
	}
	if libzmq.OlderThan(major, minor, patch) {
		return syscall.ENOTSUP
	}
	return 0
}

// samples returns values that an option must accept.
func samples(o *optionSpec) []any {
	switch o.number {
	case numUseFD:
		return []any{-1}
	case Metadata.Number():
		return []any{"X-a:bc", "X-name:" + strings.Repeat("v", 100)}
	case TCPKeepaliveCount.Number():
		return []any{1, 127, -1}
	case Priority.Number():
		return []any{0, 6}
	case numBusyPoll:
		return []any{0}
	case WhenFull.Number():
		return []any{DropCounted, Block, Fail, Drop}
	case numWSSKey:
		return []any{"-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"}
	case numWSSCert:
		return []any{"-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"}
	case TCPKeepaliveIdle.Number(), TCPKeepaliveInterval.Number():
		return []any{time.Second, 32767 * time.Second, forEver}
	}
	switch o.kind {
	case kindBool:
		if o.number == numRouterRaw {
			return []any{false, true}
		}
		return []any{true, false, true}
	case kindInt:
		return []any{int(o.min), int(o.max), int(min(o.min+1, o.max))}
	case kindInt64:
		return []any{o.min, o.max, int64(1) << 40}
	case kindUint64:
		return []any{uint64(1), uint64(math.MaxUint64), uint64(0)}
	case kindMillis, kindMillisOrNone, kindTenths, kindNanos, kindSeconds:
		return []any{o.kind.toDuration(o.min), o.kind.toDuration(o.max), o.kind.toDuration(500)}
	case kindKey:
		return []any{testPublicKey, testServerKey}
	case kindString:
		values := []any{strings.Repeat("x", int(o.max)), "some"}
		if o.min == 0 {
			values = append(values, "")
		}
		return values
	case kindTopic:
		return []any{strings.Repeat("x", int(o.max)), "some\x00bytes", ""}
	case kindBytes:
		return []any{[]byte(strings.Repeat("x", int(o.max))), []byte{1, 0, 2}}
	}
	panic("no samples for " + o.name)
}

func TestOptionDefaults(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	for _, typ := range stableTypes {
		s := optionSocket(t, zctx, typ)
		for _, o := range optionTable {
			if o.access&canGet == 0 || o.number == numFD {
				continue
			}
			v, err := o.get(s)
			if o.access == canGet && !o.types.has(typ) {
				requireRefused(t, err, syscall.EINVAL, o.name, typ.String())
				continue
			}
			if errno := missing(o); errno != 0 {
				requireRefused(t, err, errno, o.name)
				require.ErrorIs(t, err, ErrNotSupported)
				continue
			}
			require.NoError(t, err, "%s on %s", o.name, typ)
			if want := defaultOn(o, typ); want != nil {
				require.Equal(t, want, o.goValue(v), "%s on %s: def states the default, see CONTRIBUTING.md", o.name, typ)
			}
		}
		require.Equal(t, typ, get(t, Type, s))
	}
}

// defaultOn returns the table's default, or the default of libzmq for types that differ.
func defaultOn(o *optionSpec, typ SocketType) any {
	if o.name == "LINGER" && (typ == Sub || typ == XSub) {
		return time.Duration(0) // nothing that a subscriber sends is worth waiting for
	}
	if o.number == SendHWM.Number() && (typ == Sub || typ == XSub) {
		return 0 // libzmq drops the subscriptions for which a queue has no room
	}
	return o.def
}

func TestOptionRoundTrip(t *testing.T) {
	t.Parallel()
	for _, o := range optionTable {
		if o.access&canSet == 0 || o.number == TrackSubscriptions.Number() { // only NewSocket takes it
			continue
		}
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			zctx := optionContext(t)
			for _, typ := range stableTypes {
				if o.types.has(typ) {
					roundTrip(t, zctx, o, typ)
				}
			}
		})
	}
}

func roundTrip(t *testing.T, zctx *Context, o *optionSpec, typ SocketType) {
	s := optionSocket(t, zctx, typ)
	if typ == XPub && (o.number == numSubscribe || o.number == Unsubscribe.Number()) {
		require.NoError(t, s.Set(XPubManual.To(true)))
	}
	for _, value := range samples(o) {
		if o.number == SendHWM.Number() && onlySubscribes.has(typ) {
			value = 0
		}
		err := s.Set(to(o, value))
		if errno := missing(o); errno != 0 {
			requireRefused(t, err, errno, o.name)
			require.ErrorIs(t, err, ErrNotSupported)
			return
		}
		require.NoError(t, err, "%s to %v on %s", o.name, value, typ)
		if o.access&canGet == 0 {
			continue
		}
		if (o.number == PlainUsername.Number() || o.number == numPlainPassword) && value == "" {
			// libzmq keeps the text and turns the mechanism off.
			require.Equal(t, MechanismNull, get(t, Mechanism, s))
			continue
		}
		got := noErr(o.get(s))(t)
		if o.kind == kindMillisOrNone && value == forEver {
			value = time.Duration(0)
		}
		require.Equal(t, value, o.goValue(got), "%s on %s", o.name, typ)
	}
	require.NoError(t, s.Close())
}

func TestOptionRefusedOnOtherTypes(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	for _, typ := range stableTypes {
		s := optionSocket(t, zctx, typ)
		for _, o := range optionTable {
			if o.access&canSet == 0 || o.types.has(typ) || missing(o) != 0 {
				continue
			}
			errno := syscall.EINVAL
			if o.number == numReadAhead { // ours: a feature that these types lack
				errno = syscall.ENOTSUP
			}
			for _, value := range samples(o) {
				err := s.Set(to(o, value))
				requireRefused(t, err, errno, o.name, typ.String(), " do")
				require.Equal(t, errno == syscall.ENOTSUP, errors.Is(err, ErrNotSupported))
			}
		}
		require.NoError(t, s.Close())
	}
}

func TestOptionOutOfRange(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	for _, o := range optionTable {
		if o.access&canSet == 0 || missing(o) != 0 {
			continue
		}
		typ := Pair
		for !o.types.has(typ) {
			typ++
		}
		s := optionSocket(t, zctx, typ)
		var bad []any
		switch {
		case o.kind == kindUint64, o.kind == kindKey:
			continue
		case o.kind == kindInt64:
			bad = []any{o.min - 1, int64(math.MinInt64)}
		case o.kind.duration():
			bad = []any{time.Duration(o.max+1) * o.kind.unitOf(), time.Duration(math.MaxInt64)}
			if o.min == 0 && o.kind != kindMillisOrNone {
				bad = append(bad, -time.Second, time.Duration(-1))
			}
		case o.kind.numeric():
			bad = []any{int(o.min) - 1, int(o.max) + 1, math.MinInt64, math.MaxInt64}
		default:
			bad = []any{[]byte(strings.Repeat("x", int(o.max)+1))}
			if o.min > 0 {
				bad = append(bad, []byte{})
			}
		}
		for _, value := range bad {
			err := s.Set(to(o, value))
			requireRefused(t, err, syscall.EINVAL, o.name, "out of range", "the allowed range is")
			require.NotContains(t, err.Error(), "nanoseconds", "a duration has its unit already")
		}
		require.NoError(t, s.Close())
	}
}

func TestFrozenOptions(t *testing.T) {
	t.Parallel()
	frozen := map[string]Setting{
		"SNDHWM":     SendHWM.To(5),
		"RCVHWM":     RecvHWM.To(5),
		"IMMEDIATE":  Immediate.To(true),
		"CONFLATE":   Conflate.To(true),
		"ROUTER_RAW": RouterRaw.To(true),
	}
	listed := 0
	for i := range optionTable {
		if o := optionTable[i]; o.frozen {
			require.Contains(t, frozen, o.name)
			listed++
		}
	}
	require.Len(t, frozen, listed)
	zctx := optionContext(t)
	for name, setting := range frozen {
		typ := Dealer
		if name == "ROUTER_RAW" {
			typ = Router
		}
		for _, attach := range []func(*Socket) error{
			func(s *Socket) error { return s.Bind("inproc://frozen-" + name) },
			func(s *Socket) error { return s.Connect("tcp://127.0.0.1:1") },
		} {
			s := optionSocket(t, zctx, typ)
			require.Error(t, s.Bind("tcp://nowhere"), "an attempt that fails freezes nothing")
			require.NoError(t, s.Set(setting))
			require.NoError(t, s.Close())

			s = optionSocket(t, zctx, typ)
			require.NoError(t, attach(s))
			requireRefused(t, s.Set(setting), syscall.EINVAL, name, "NewSocket")
			require.NoError(t, s.Close())
		}
	}
}

func TestZeroOptionsAndSettings(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	s := optionSocket(t, zctx, Pair)
	var none Option[int]
	require.Equal(t, -1, none.Number())
	requireRefused(t, s.Set(none.To(1)), syscall.EINVAL, "empty")
	requireRefused(t, s.Set(Setting{}), syscall.EINVAL, "empty")
	_, err := none.Get(s)
	requireRefused(t, err, syscall.EINVAL, "zero Option")

	require.ErrorIs(t, errOf(SendHWM.Get(nil)), ErrClosed)
	require.ErrorIs(t, errOf(SendHWM.Get(new(Socket))), ErrClosed)
	require.NoError(t, s.Close())
	require.ErrorIs(t, errOf(SendHWM.Get(s)), ErrClosed)
	require.ErrorIs(t, s.Set(Linger.To(0)), ErrClosed)
	require.Empty(t, s.Options())
	require.Empty(t, (*Socket)(nil).Options())
}

// noErr returns the value of a call, and fails the test if there is an error: noErr(f())(t).
func noErr[T any](value T, err error) func(require.TestingT) T {
	return func(t require.TestingT) T {
		require.NoError(t, err)
		return value
	}
}

// errOf returns the error of a call.
func errOf[T any](_ T, err error) error { return err }
