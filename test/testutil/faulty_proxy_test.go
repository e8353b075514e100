package testutil_test

import (
	"bytes"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
)

func TestMain(m *testing.M) { testutil.Main(m) }

// through returns the two ends of a connection through a new proxy.
func through(t *testing.T) (p *testutil.FaultyProxy, near, far net.Conn) {
	t.Helper()
	target, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { target.Close() })
	p, err = testutil.NewFaultyProxy(target.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	near, err = net.Dial("tcp4", p.Addr())
	require.NoError(t, err)
	t.Cleanup(func() { near.Close() })
	far, err = target.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { far.Close() })
	for _, c := range []net.Conn{near, far} {
		require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
	}
	return p, near, far
}

func TestFaultyProxyPassesOn(t *testing.T) {
	t.Parallel()
	p, near, far := through(t)
	for _, split := range []int{0, 1, 1000} {
		p.Split(split)
		data := bytes.Repeat([]byte("0123456789"), 500)
		for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
			_, err := way[0].Write(data)
			require.NoError(t, err)
			got := make([]byte, len(data))
			_, err = io.ReadFull(way[1], got)
			require.NoError(t, err)
			require.Equal(t, data, got)
		}
	}
}

func TestFaultyProxyDelay(t *testing.T) {
	t.Parallel()
	p, near, far := through(t)
	const delay = 50 * time.Millisecond
	p.Delay(delay)
	start := time.Now()
	_, err := near.Write([]byte("x"))
	require.NoError(t, err)
	_, err = far.Read(make([]byte, 1))
	require.NoError(t, err)
	require.GreaterOrEqual(t, time.Since(start), delay)
}

func TestFaultyProxyBlackhole(t *testing.T) {
	t.Parallel()
	p, near, far := through(t)
	p.Blackhole(true)
	_, err := near.Write([]byte("x"))
	require.NoError(t, err)
	require.NoError(t, far.SetReadDeadline(time.Now().Add(20*time.Millisecond)))
	_, err = far.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	p.Blackhole(false)
	require.NoError(t, far.SetReadDeadline(time.Now().Add(time.Minute)))
	_, err = far.Read(make([]byte, 1))
	require.NoError(t, err)
}

func TestFaultyProxyReset(t *testing.T) {
	t.Parallel()
	p, near, far := through(t)
	require.Eventually(t, func() bool { return p.Links() == 1 }, time.Minute, time.Millisecond)
	require.Equal(t, 1, p.Reset())
	require.Equal(t, 1, p.Breaks())
	for _, c := range []net.Conn{near, far} {
		_, err := c.Read(make([]byte, 1))
		require.ErrorIs(t, err, syscall.ECONNRESET)
	}
}

// Close ends a connection whose data is held back.
func TestFaultyProxyCloseInBlackhole(t *testing.T) {
	t.Parallel()
	p, near, _ := through(t)
	p.Blackhole(true)
	_, err := near.Write([]byte("x"))
	require.NoError(t, err)
	require.NoError(t, p.Close())
	_, err = near.Read(make([]byte, 1))
	require.Error(t, err)
}
