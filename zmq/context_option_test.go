package zmq

import (
	"math"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

func TestContextDefaults(t *testing.T) {
	t.Parallel()
	c := optionContext(t)
	for i := range contextTable {
		o := &contextTable[i]
		n, err := o.get(c)
		if o.access&canGet == 0 {
			requireRefused(t, err, syscall.EINVAL, o.name, "only be set")
			continue
		}
		require.NoError(t, err, o.name)
		if b, ok := o.def.(bool); ok {
			require.Equal(t, b, n != 0, o.name)
		} else {
			require.Equal(t, o.def, n, o.name)
		}
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
		c := optionContext(t)
		for _, value := range test.values {
			require.NoError(t, c.Set(test.option.To(value)), "%s to %d", test.option.Name(), value)
			got, err := test.option.Get(c)
			require.NoError(t, err)
			require.Equal(t, value, got, test.option.Name())
		}
	}
	for _, option := range []ContextOption[bool]{ContextIPv6, Blocky, ZeroCopyRecv} {
		c := optionContext(t)
		for _, value := range []bool{true, false, true} {
			require.NoError(t, c.Set(option.To(value)))
			got, err := option.Get(c)
			require.NoError(t, err)
			require.Equal(t, value, got, option.Name())
		}
	}
}

func TestContextOutOfRange(t *testing.T) {
	t.Parallel()
	c := optionContext(t)
	for _, test := range []struct {
		option ContextOption[int]
		values []int
	}{
		{IOThreads, []int{-1, maxIOThreads + 1, math.MaxInt32}},
		{MaxSockets, []int{-1, 0, 65536, 1 << 30, math.MaxInt32, math.MaxInt64}},
		{ThreadPriority, []int{-1, 100, math.MaxInt32}},
		{ThreadSchedPolicy, []int{-2, 4, 6, 99}},
		{ContextMaxMessageSize, []int{-1, math.MaxInt32 + 1}},
		{ThreadAffinityCPUAdd, []int{-1, 1023, 1024, math.MaxInt32}},
		{ThreadAffinityCPURemove, []int{-1, 0, 1024}},
		{ThreadNamePrefix, []int{-1, math.MaxInt32 + 1}},
		{SocketLimit, []int{10}},
		{MessageStructSize, []int{64}},
	} {
		for _, value := range test.values {
			requireRefused(t, c.Set(test.option.To(value)), syscall.EINVAL, test.option.Name())
		}
	}
	var none ContextOption[int]
	require.Empty(t, none.Name())
	require.Equal(t, -1, none.Number())
	require.Equal(t, 1, IOThreads.Number())
	requireRefused(t, c.Set(none.To(1)), syscall.EINVAL, "empty")
	requireRefused(t, c.Set(ContextSetting{}), syscall.EINVAL, "empty")
	_, err := none.Get(c)
	requireRefused(t, err, syscall.EINVAL, "zero ContextOption")
	_, err = IOThreads.Get(nil)
	require.ErrorIs(t, err, ErrClosed)
	_, err = IOThreads.Get(new(Context))
	require.ErrorIs(t, err, ErrClosed)
	_, err = NewContext(IOThreads.To(-1))
	requireRefused(t, err, syscall.EINVAL, "IO_THREADS")
}

func TestContextOptionsAfterTheFirstSocket(t *testing.T) {
	t.Parallel()
	c := optionContext(t)
	s := optionSocket(t, c, Pair)
	for _, setting := range []ContextSetting{
		IOThreads.To(2), MaxSockets.To(10), ThreadPriority.To(1), ThreadSchedPolicy.To(0),
		ThreadAffinityCPUAdd.To(usableCPU(t)), ThreadAffinityCPURemove.To(0), ThreadNamePrefix.To(1),
	} {
		requireRefused(t, c.Set(setting), syscall.EINVAL, "first socket", "NewContext")
	}
	require.NoError(t, c.Set(ContextIPv6.To(true), Blocky.To(false), ContextMaxMessageSize.To(10), ZeroCopyRecv.To(false)))
	old, err := IPv6.Get(s)
	require.NoError(t, err)
	require.False(t, old)
	fresh, err := IPv6.Get(optionSocket(t, c, Pair))
	require.NoError(t, err)
	require.True(t, fresh)
}

func usableCPU(t *testing.T) int {
	t.Helper()
	for cpu := range maxCPU {
		usable, err := cpuUsable(cpu)
		require.NoError(t, err)
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
	c := optionContext(t)
	require.NoError(t, c.Set(ThreadAffinityCPUAdd.To(cpu)))
	require.NoError(t, c.Set(ThreadAffinityCPURemove.To(cpu)))
	requireRefused(t, c.Set(ThreadAffinityCPURemove.To(cpu)), syscall.EINVAL, "not added")
	require.NoError(t, c.Set(ThreadAffinityCPUAdd.To(cpu)))
	optionSocket(t, c, Pair)
}

func TestMaxSocketsIsWhatTheUserGets(t *testing.T) {
	t.Parallel()
	c, err := NewContext(MaxSockets.To(3))
	require.NoError(t, err)
	for range 3 {
		_, err := c.NewSocket(Pair)
		require.NoError(t, err)
	}
	_, err = c.NewSocket(Pair)
	require.ErrorIs(t, err, syscall.EMFILE)
	require.NoError(t, c.Close())
	_, err = MaxSockets.Get(c)
	require.ErrorIs(t, err, ErrClosed)
}

func TestNoIOThreads(t *testing.T) {
	t.Parallel()
	c, err := NewContext(IOThreads.To(0))
	require.NoError(t, err)
	s := optionSocket(t, c, Pair)
	require.NoError(t, s.Bind("inproc://alone"))
	requireRefused(t, s.Bind("tcp://127.0.0.1:*"), syscall.Errno(libzmq.EMTHREAD), "IOThreads")
	require.NoError(t, c.Close())

	c, err = NewContext(IOThreads.To(2))
	require.NoError(t, err)
	s = optionSocket(t, c, Pair, Affinity.To(1<<2|1<<63))
	requireRefused(t, s.Bind("tcp://127.0.0.1:*"), syscall.Errno(libzmq.EMTHREAD), "0x8000000000000004", "2 I/O threads")
	require.NoError(t, s.Set(Affinity.To(1<<1)))
	require.NoError(t, s.Bind("tcp://127.0.0.1:*"))
	require.NoError(t, c.Close())
}
