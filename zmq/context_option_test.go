package zmq

import (
	"math"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

var contextSpecs = []*optionSpec{
	IOThreads.spec, MaxSockets.spec, SocketLimit.spec, ThreadPriority.spec, ThreadSchedPolicy.spec, ThreadAffinityCPUAdd.spec,
	ThreadAffinityCPURemove.spec, ThreadNamePrefix.spec, ContextMaxMessageSize.spec, MessageStructSize.spec, ContextIPv6.spec,
	Blocky.spec, ZeroCopyRecv.spec, TrackConnections.spec,
}

func TestContextDefaults(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	for _, o := range contextSpecs {
		v, err := o.getContext(zctx)
		if o.access&canGet == 0 {
			requireRefused(t, err, syscall.EINVAL, o.name, "write-only")
			continue
		}
		require.NoError(t, err, o.name)
		require.Equal(t, o.def, o.goValue(v), o.name)
	}
}

func TestContextRoundTrip(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		option ContextOption[int]
		values []int
	}{
		{IOThreads, []int{0, 2, maxIOThreads, 1}},
		{MaxSockets, []int{1, 10, 65535}},
		{ThreadSchedPolicy, []int{0}},
		{ContextMaxMessageSize, []int{0, 1 << 20, math.MaxInt32}},
		{ThreadNamePrefix, []int{0, 7, math.MaxInt32}},
	} {
		zctx := optionContext(t)
		for _, value := range test.values {
			require.NoError(t, zctx.Set(test.option.To(value)), "%s to %d", test.option.spec.name, value)
			got := noErr(test.option.Get(zctx))(t)
			require.Equal(t, value, got, test.option.spec.name)
		}
	}
	for _, option := range []ContextOption[bool]{ContextIPv6, Blocky, ZeroCopyRecv} {
		zctx := optionContext(t)
		for _, value := range []bool{true, false, true} {
			require.NoError(t, zctx.Set(option.To(value)))
			require.Equal(t, value, noErr(option.Get(zctx))(t), option.spec.name)
		}
	}
}

func TestContextOutOfRange(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	for _, test := range []struct {
		option ContextOption[int]
		values []int
	}{
		{IOThreads, []int{-1, maxIOThreads + 1, math.MaxInt32}},
		{MaxSockets, []int{-1, 0, 65536, 1 << 30, math.MaxInt32, math.MaxInt64}},
		{ThreadPriority, []int{-1, 100, math.MaxInt32}},
		{ThreadSchedPolicy, []int{-2, 6, 99}},
		{ContextMaxMessageSize, []int{-1, math.MaxInt32 + 1}},
		{ThreadAffinityCPUAdd, []int{-1, 1023, 1024, math.MaxInt32}},
		{ThreadAffinityCPURemove, []int{-1, 0, 1024}},
		{ThreadNamePrefix, []int{-1, math.MaxInt32 + 1}},
	} {
		for _, value := range test.values {
			requireRefused(t, zctx.Set(test.option.To(value)), syscall.EINVAL, test.option.spec.name)
		}
	}
	var none ContextOption[int]
	requireRefused(t, zctx.Set(none.To(1)), syscall.EINVAL, "empty")
	requireRefused(t, zctx.Set(ContextSetting{}), syscall.EINVAL, "empty")
	_, err := none.Get(zctx)
	requireRefused(t, err, syscall.EINVAL, "zero ContextOption")
	require.ErrorIs(t, errOf(IOThreads.Get(nil)), ErrClosed)
	require.ErrorIs(t, errOf(IOThreads.Get(new(Context))), ErrClosed)
	_, err = NewContext(IOThreads.To(-1))
	requireRefused(t, err, syscall.EINVAL, "IO_THREADS")
}

// libzmq has a write-only option with the number of SocketLimit: ThreadPriority.
func TestContextReadOnly(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	for _, option := range []ContextOption[int]{SocketLimit, MessageStructSize} {
		for _, value := range []int{0, 10} {
			requireRefused(t, zctx.Set(option.To(value)), syscall.EINVAL, option.spec.name, "read-only")
		}
	}
}

func TestContextOptionsAfterTheFirstSocket(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t)
	s := optionSocket(t, zctx, Pair)
	for _, setting := range []ContextSetting{
		IOThreads.To(2), MaxSockets.To(10), ThreadPriority.To(1), ThreadSchedPolicy.To(0),
		ThreadAffinityCPUAdd.To(usableCPU(t)), ThreadAffinityCPURemove.To(0), ThreadNamePrefix.To(1),
	} {
		requireRefused(t, zctx.Set(setting), syscall.EINVAL, "first socket", "NewContext")
	}
	require.NoError(t, zctx.Set(ContextIPv6.To(true), Blocky.To(false), ContextMaxMessageSize.To(10), ZeroCopyRecv.To(false)))
	require.False(t, get(t, IPv6, s))
	require.True(t, get(t, IPv6, optionSocket(t, zctx, Pair)))
}

func usableCPU(t *testing.T) int {
	t.Helper()
	for cpu := range maxCPU {
		usable := noErr(cpuUsable(cpu))(t)
		if usable {
			return cpu
		}
	}
	t.Fatal("no CPU at all")
	return -1
}

func TestThreadAffinity(t *testing.T) {
	t.Parallel()
	cpu := usableCPU(t)
	zctx := optionContext(t)
	require.NoError(t, zctx.Set(ThreadAffinityCPUAdd.To(cpu)))
	require.NoError(t, zctx.Set(ThreadAffinityCPURemove.To(cpu)))
	requireRefused(t, zctx.Set(ThreadAffinityCPURemove.To(cpu)), syscall.EINVAL, "not added")
	require.NoError(t, zctx.Set(ThreadAffinityCPUAdd.To(cpu)))
	optionSocket(t, zctx, Pair)
}

func TestMaxSocketsIsWhatTheUserGets(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t, MaxSockets.To(3))
	for range 3 {
		require.NoError(t, errOf(zctx.NewSocket(Pair)))
	}
	require.ErrorIs(t, errOf(zctx.NewSocket(Pair)), syscall.EMFILE)
	require.NoError(t, zctx.Close())
	require.ErrorIs(t, errOf(MaxSockets.Get(zctx)), ErrClosed)
}

// Closed sockets that linger use up the places inside libzmq, although no socket is open.
func TestLingeringSocketsTakePlaces(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t, MaxSockets.To(1))
	for {
		s, err := zctx.NewSocket(Push)
		if err != nil {
			requireRefused(t, err, syscall.EMFILE, "MaxSockets", "closed ones")
			return
		}
		require.NoError(t, s.Connect("inproc://never-bound"))
		require.NoError(t, s.SendString(t.Context(), "lingers"))
		require.NoError(t, s.Close())
	}
}

func TestNoIOThreads(t *testing.T) {
	t.Parallel()
	zctx := optionContext(t, IOThreads.To(0))
	s := optionSocket(t, zctx, Pair)
	require.NoError(t, s.Bind("inproc://alone"))
	requireRefused(t, s.Bind("tcp://127.0.0.1:*"), syscall.Errno(libzmq.EMTHREAD), "IOThreads")
	require.NoError(t, zctx.Close())

	zctx = optionContext(t, IOThreads.To(2))
	s = optionSocket(t, zctx, Pair, Affinity.To(1<<2|1<<63))
	requireRefused(t, s.Bind("tcp://127.0.0.1:*"), syscall.Errno(libzmq.EMTHREAD), "Affinity")
	require.NoError(t, s.Set(Affinity.To(1<<1)))
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	require.NoError(t, zctx.Close())
}
