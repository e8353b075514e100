package zmqtest_test

import (
	"bytes"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq/zmqtest"
)

// through returns the two ends of a connection through a new proxy.
func through(t testing.TB) (p *zmqtest.Proxy, near, far net.Conn) {
	t.Helper()
	target, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { target.Close() })
	p = zmqtest.NewProxy(t, target.Addr().String())
	near, err = net.Dial("tcp4", p.Endpoint()[len("tcp://"):])
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

// pass sends data through the network and returns how long it took.
func pass(t testing.TB, from, to net.Conn, data []byte) time.Duration {
	t.Helper()
	start := time.Now()
	go func() { _, _ = from.Write(data) }()
	got := make([]byte, len(data))
	_, err := io.ReadFull(to, got)
	require.NoError(t, err)
	require.Equal(t, data, got)
	return time.Since(start)
}

func TestProxyPassesOn(t *testing.T) {
	t.Parallel()
	p, near, far := through(t)
	data := bytes.Repeat([]byte("0123456789"), 500)
	for _, split := range []int{0, 1, 1000} {
		p.Split(split)
		pass(t, near, far, data)
		pass(t, far, near, data)
	}
}

func TestProxyDelayAndRate(t *testing.T) {
	t.Parallel()
	p, near, far := through(t)
	const slow = 50 * time.Millisecond
	p.Delay(slow)
	require.GreaterOrEqual(t, pass(t, near, far, []byte("x")), slow)
	p.Restore()
	p.Rate(100_000)
	require.GreaterOrEqual(t, pass(t, near, far, make([]byte, 10_000)), 2*slow)
}

func TestProxyBlackHole(t *testing.T) {
	t.Parallel()
	p, near, far := through(t)
	p.BlackHole()
	_, err := near.Write([]byte("x"))
	require.NoError(t, err)
	require.NoError(t, far.SetReadDeadline(time.Now().Add(20*time.Millisecond)))
	_, err = far.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	p.Restore()
	require.NoError(t, far.SetReadDeadline(time.Now().Add(time.Minute)))
	_, err = far.Read(make([]byte, 1))
	require.NoError(t, err)
}

func TestProxyCut(t *testing.T) {
	t.Parallel()
	p, near, far := through(t)
	require.Eventually(t, func() bool { open, _ := p.Connections(); return open == 1 }, time.Minute, time.Millisecond)
	require.Equal(t, 1, p.Cut())
	open, ended := p.Connections()
	require.Equal(t, []int{0, 1}, []int{open, ended})
	for _, c := range []net.Conn{near, far} {
		_, err := c.Read(make([]byte, 1))
		require.ErrorIs(t, err, syscall.ECONNRESET)
	}
}

// The end of a test ends a connection whose data is held back.
func TestProxyClosesInBlackHole(t *testing.T) {
	t.Parallel()
	var near net.Conn
	require.Empty(t, record(t, func(t testing.TB) {
		var p *zmqtest.Proxy
		p, near, _ = through(t)
		p.BlackHole()
		_, err := near.Write([]byte("x"))
		require.NoError(t, err)
	}))
	_, err := near.Read(make([]byte, 1))
	require.Error(t, err)
}

func TestProxyWithoutTarget(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	p := zmqtest.NewProxy(t, "tcp://"+l.Addr().String())
	require.NoError(t, l.Close())
	c, err := net.Dial("tcp4", p.Endpoint()[len("tcp://"):])
	if err == nil { // the reset may come before the dialer is done
		defer c.Close()
		require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
		_, err = c.Read(make([]byte, 1))
	}
	require.ErrorIs(t, err, syscall.ECONNRESET)
}
